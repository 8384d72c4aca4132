import { setTimeout as wait } from 'node:timers/promises';
import type { CommandContext } from './command.ts';

export interface Answer {
  readonly status: number;
  /** As the header says it. */
  readonly retryAfter: string | null;
  readonly text: string;
}

/** For how long altogether a busy server is asked again, and one to which the connection broke. */
const BUSY_MS = 60_000;
const BROKEN_MS = 10_000;
const AGAIN_MS = 1_000;

/**
 * Asks again what is refused because there is too much to do, after as long as the server says, and not when it wants more
 * patience than there is. What runs once by its key, however often it is asked for, is asked again also where it may have been
 * begun: when the server stops or its storage is locked, when the connection broke before the answer, and as long as the first
 * request runs. Rejects with what broke the connection.
 */
export async function askPatiently(
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
      await pause(AGAIN_MS, 'The connection broke; what was asked for runs once, so it is asked for again.');
      continue;
    }
    const seconds = Number(answer.retryAfter ?? Number.NaN);
    if (!(seconds >= 0)) return answer;
    const ms = Math.max(seconds, 0.1) * 1_000;
    if (answer.status === 409 && hasKey) await pause(ms, 'It is still running.');
    else if ((answer.status === 429 || (answer.status === 503 && hasKey)) && Date.now() - since + ms <= BUSY_MS)
      await pause(ms, 'The server is busy; asking again.');
    else return answer;
  }
}
