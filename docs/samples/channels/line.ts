/** People on a chat server that speaks plain lines: `name: text`. */
import { connect as open } from 'node:net';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Message } from 'switchboard';

let socket: Socket | null = null;
let lines: AsyncIterator<string> | null = null;

export async function connect(): Promise<void> {
  socket?.destroy();
  socket = open(Number(process.env['CHAT_PORT']), process.env['CHAT_HOST'] ?? '127.0.0.1');
  await new Promise((resolve, reject) => socket?.once('connect', resolve).once('error', reject));
  lines = createInterface({ input: socket })[Symbol.asyncIterator]();
}

export async function recv(): Promise<Message> {
  const line = await lines?.next();
  if (line === undefined || line.done === true) throw new Error('The chat server has closed the connection.');
  const [sender = '', ...words] = line.value.split(': ');
  return { text: words.join(': '), sender, channel: 'line' };
}

export async function send({ text, metadata }: Message): Promise<void> {
  const recipient = typeof metadata?.['recipient'] === 'string' ? metadata['recipient'] : 'all';
  await new Promise<void>((resolve, reject) => socket?.write(`@${recipient} ${text}\n`, (error) => (error ? reject(error) : resolve())));
}
