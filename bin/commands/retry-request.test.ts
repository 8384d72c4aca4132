import { expect, it } from 'vitest';
import type { Answer } from './retry-request.ts';
import { retryRequest } from './retry-request.ts';

/** Retries until the outcome is known; uses the responses in order. */
async function ask(answers: readonly (Answer | Error)[], hasKey: boolean) {
  const left = [...answers];
  const notes: string[] = [];
  const asking = retryRequest(
    async () => {
      const next = left.shift();
      if (next === undefined) throw new Error('asked too often');
      if (next instanceof Error) throw next;
      return next;
    },
    hasKey,
    { note: (line) => notes.push(line), signal: new AbortController().signal },
  );
  const outcome = await asking.then(
    ({ status }) => status,
    (error: unknown) => String(error),
  );
  return { outcome, left: left.length, notes };
}

const answer = (status: number, retryAfter: string | null = null): Answer => ({ status, retryAfter, text: '' });
const DONE = answer(200);

it('retries after the delay of a busy server, and prints one notice', async () => {
  expect(await ask([answer(429, '0'), answer(429, '0'), DONE], false)).toEqual({
    outcome: 200,
    left: 0,
    notes: ['The server is busy. Retrying.'],
  });
});

it.each([
  ['says no time', answer(429)],
  ['wants more patience than there is', answer(429, '61')],
  ['names a date', answer(503, 'Wed, 21 Oct 2026 07:28:00 GMT')],
  ['refuses for good', answer(404, '0')],
])('accepts the response of a server that %s', async (_, refusal) => {
  expect(await ask([refusal, DONE], true)).toEqual({ outcome: refusal.status, left: 1, notes: [] });
});

it('retries a call with an idempotency key after a broken connection, as long as it runs', async () => {
  expect(await ask([new Error('reset'), answer(409, '0'), answer(409, '0'), DONE], true)).toMatchObject({ outcome: 200, left: 0 });
  expect(await ask([new Error('reset'), DONE], false)).toEqual({ outcome: 'Error: reset', left: 1, notes: [] });
  expect(await ask([answer(503, '0'), DONE], true)).toMatchObject({ outcome: 200, left: 0 });
  for (const status of [409, 503]) expect(await ask([answer(status, '0'), DONE], false)).toMatchObject({ outcome: status, left: 1 });
});
