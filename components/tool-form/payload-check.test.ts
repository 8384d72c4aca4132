import { afterEach, describe, expect, it, vi } from 'vitest';
import { READY } from './check-messages.ts';
import type { CheckAnswer, CheckQuestion } from './check-messages.ts';
import { createPayloadCheck } from './payload-check.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A worker that answers what `reply` says, or never. */
function fakeWorker(reply: (question: CheckQuestion) => CheckAnswer | null) {
  const target = new EventTarget();
  const worker = {
    terminated: 0,
    addEventListener: target.addEventListener.bind(target),
    postMessage(question: CheckQuestion) {
      const answer = reply(question);
      if (answer !== null) queueMicrotask(() => target.dispatchEvent(new MessageEvent('message', { data: answer })));
    },
    terminate() {
      worker.terminated += 1;
    },
  };
  const say = (answer: CheckAnswer) => target.dispatchEvent(new MessageEvent('message', { data: answer }));
  return { worker, asWorker: worker as unknown as Worker, say };
}

describe('createPayloadCheck', () => {
  it('answers each question with its own issues', async () => {
    const { asWorker } = fakeWorker(({ id, payload }) => ({ id, issues: [{ path: '/a', message: JSON.stringify(payload) }] }));
    const check = createPayloadCheck({ type: 'object' }, () => asWorker);
    const [one, two] = await Promise.all([check.check({ n: 1 }), check.check({ n: 2 })]);
    expect(one?.[0]?.message).toBe('{"n":1}');
    expect(two?.[0]?.message).toBe('{"n":2}');
  });

  it('ends a worker that hangs, and leaves the rest to the server', async () => {
    vi.useFakeTimers();
    const { worker, asWorker, say } = fakeWorker(() => null);
    let made = 0;
    const check = createPayloadCheck({ type: 'object' }, () => {
      made += 1;
      return asWorker;
    });
    const answer = check.check({});
    say({ id: READY, issues: null });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await answer).toBeNull();
    expect(worker.terminated).toBe(1);
    expect(await check.check({})).toBeNull();
    expect(made).toBe(1);
  });

  it('waits for a worker whose program comes slowly, and counts the time of a check from then on', async () => {
    vi.useFakeTimers();
    const { worker, asWorker, say } = fakeWorker(() => null);
    const check = createPayloadCheck({ type: 'object' }, () => asWorker);
    const answer = check.check({});
    await vi.advanceTimersByTimeAsync(20_000);
    say({ id: READY, issues: null });
    await vi.advanceTimersByTimeAsync(1_000);
    say({ id: 1, issues: [] });
    expect(await answer).toEqual([]);
    expect(worker.terminated).toBe(0);
  });

  it('leaves nobody waiting when it is closed', async () => {
    const { worker, asWorker } = fakeWorker(() => null);
    const check = createPayloadCheck({ type: 'object' }, () => asWorker);
    const answer = check.check({});
    check.close();
    expect(await answer).toBeNull();
    expect(worker.terminated).toBe(1);
  });
});
