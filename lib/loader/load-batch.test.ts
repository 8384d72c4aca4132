import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { commitInGroups, createLimiter, createTurns } from './load-batch.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('commits in groups', () => {
  /** Loads that the test ends, in any order. */
  function begin(count: number, everyMs: number | null) {
    vi.useFakeTimers();
    const loads = Array.from({ length: count }, () => Promise.withResolvers<number>());
    const groups: (readonly number[])[] = [];
    const done = commitInGroups(
      loads.map(({ promise }) => promise),
      { graceMs: 5_000, everyMs },
      async (items) => void groups.push(items),
    );
    return { groups, done, end: (...ids: readonly number[]) => ids.forEach((id) => loads[id]?.resolve(id)) };
  }

  it('commits all loads of a save at once, in the order of the list', async () => {
    const { groups, done, end } = begin(3, null);
    end(2, 0);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(groups).toEqual([]);
    end(1);
    await done;
    expect(groups).toEqual([[0, 1, 2]]);
  });

  it('does not wait for a slow load once no other one has finished for a while', async () => {
    const { groups, done, end } = begin(3, null);
    end(2, 1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(groups).toEqual([[1, 2]]);
    end(0);
    await done;
    expect(groups).toEqual([[1, 2], [0]]);
  });

  it('commits loads of a start in between, but none before those that precede it in the list', async () => {
    const { groups, done, end } = begin(5, 1_000);
    end(0, 1, 3);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(groups).toEqual([[0, 1]]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(groups).toEqual([[0, 1]]);
    end(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(groups).toEqual([
      [0, 1],
      [2, 3],
    ]);
    end(4);
    await done;
    expect(groups).toEqual([[0, 1], [2, 3], [4]]);
  });

  it('begins a commit only after the one before', async () => {
    vi.useFakeTimers();
    const loads = [0, 1, 2].map(() => Promise.withResolvers<number>());
    const { promise: stored, resolve } = Promise.withResolvers<void>();
    const begun: (readonly number[])[] = [];
    const done = commitInGroups(
      loads.map(({ promise }) => promise),
      { graceMs: 5_000, everyMs: 1_000 },
      async (items) => {
        begun.push(items);
        await stored;
      },
    );
    loads[0]?.resolve(0);
    await vi.advanceTimersByTimeAsync(1_000);
    loads[1]?.resolve(1);
    await vi.advanceTimersByTimeAsync(2_000);
    loads[2]?.resolve(2);
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toEqual([[0]]);
    resolve();
    await done;
    expect(begun).toEqual([[0], [1, 2]]);
  });
});

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
