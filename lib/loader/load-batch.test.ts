import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLimiter, createTurns } from './load-batch.ts';

afterEach(() => vi.restoreAllMocks());

describe('a limiter', () => {
  it('runs as many tasks at once as the limit, in order of arrival', async () => {
    const limit = createLimiter(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const all = [0, 1, 2, 3].map((number) =>
      limit(() => {
        begun.push(number);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    await turn();
    expect(begun).toEqual([0, 1]);
    ends[1]?.();
    await turn();
    expect(begun).toEqual([0, 1, 2]);
    ends[0]?.();
    ends[2]?.();
    await turn();
    ends[3]?.();
    await Promise.all(all);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])('does not exceed the limit when a task arrives %d steps after another one ends', async (steps) => {
    const limit = createLimiter(1);
    let running = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
    };
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const [first, second] = [limit(() => end), limit(work)];
    resolve();
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    await Promise.all([first, second, limit(work)]);
    expect(most).toBe(1);
  });

  it('runs a task immediately when its signal aborts, and the others keep their order', async () => {
    const limit = createLimiter(1);
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const controller = new AbortController();
    const done: string[] = [];
    const note = (name: string) => async (): Promise<void> => void done.push(name);
    const all = [limit(() => end), limit(note('aborted'), controller.signal), limit(note('next'))];
    controller.abort();
    await all[1];
    expect(done).toEqual(['aborted']);
    resolve();
    await Promise.all(all);
    expect(done).toEqual(['aborted', 'next']);
  });
});

describe('long work in parts', () => {
  const othersAfter = async (heldMs: number): Promise<boolean> => {
    let now = 1_000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const pause = createTurns();
    let hadTurn = false;
    setImmediate(() => (hadTurn = true));
    now += heldMs;
    await pause();
    return hadTurn;
  };

  it('yields to the event loop after a long part', async () => {
    expect(await othersAfter(20)).toBe(true);
  });

  it('does not yield after short parts', async () => {
    expect(await othersAfter(1)).toBe(false);
  });
});
