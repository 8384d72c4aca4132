/** Questions that customers ask on a web site. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Message } from 'switchboard';

interface Question {
  id: number;
  customer: string;
  text: string;
}

const url = process.env['SUPPORT_URL'] ?? 'http://127.0.0.1:4000';
let last = 0;

export function connect(): void {}

export async function recv(): Promise<Message> {
  for (;;) {
    const response = await fetch(`${url}/questions?after=${last}`);
    if (!response.ok) throw new Error(`The web site answered ${response.status}.`);
    const [question] = (await response.json()) as Question[];
    if (question !== undefined) {
      last = question.id;
      const { id, customer, text } = question;
      return { text, sender: customer, channel: 'support', metadata: { question: id }, idempotency_key: String(id) };
    }
    await wait(2_000);
  }
}

export async function send(incoming: Message, text: string): Promise<void> {
  const response = await fetch(`${url}/questions/${String(incoming.metadata?.['question'])}`, { method: 'POST', body: text });
  if (!response.ok) throw new Error(`The web site did not take the answer: ${response.status}.`);
}
