import { setTimeout as wait } from 'node:timers/promises';
import type { CommandContext } from './command.ts';

export interface Answer {
  readonly status: number;
  /** Value of the header. */
  readonly retryAfter: string | null;
  readonly text: string;
}

/** Total retry time for a busy server and for a broken connection. */
const BUSY_MS = 60_000;
const BROKEN_MS = 10_000;
const AGAIN_MS = 1_000;

/**
 * Retries rate-limited requests after `Retry-After`, within the total retry time. A request with an idempotency key is also
 * retried where it may have started: the server stops, its storage is locked, the connection broke, or the first request
 * still runs. Rejects with the connection error.
 */
export async function retryRequest(
  ask: () => Promise<Answer>,
  hasKey: boolean,
  { note, signal }: Pick<CommandContext, 'note' | 'signal'>,
): Promise<Answer> {
  const since = Date.now();
  let said = '';
  const pause = async (ms: number, why: string): Promise<void> => {
    if (said !== why) note(why);
    said = why;
    await wait(ms, undefined, { signal });
  };
  for (;;) {
    let answer: Answer;
    try {
      answer = await ask();
    } catch (error) {
      if (!hasKey || signal.aborted || Date.now() - since > BROKEN_MS) throw error;
      await pause(AGAIN_MS, 'The connection broke. Retrying; the call runs only once.');
      continue;
    }
    const seconds = Number(answer.retryAfter ?? Number.NaN);
    if (!(seconds >= 0)) return answer;
    const ms = Math.max(seconds, 0.1) * 1_000;
    if (answer.status === 409 && hasKey) await pause(ms, 'Still running.');
    else if ((answer.status === 429 || (answer.status === 503 && hasKey)) && Date.now() - since + ms <= BUSY_MS)
      await pause(ms, 'The server is busy. Retrying.');
    else return answer;
  }
}
