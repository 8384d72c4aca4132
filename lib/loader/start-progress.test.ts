import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStartProgress } from './start-progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createLoads(count: number): {
  readonly loads: readonly Promise<void>[];
  finish(count: number): Promise<void>;
  fail(): Promise<void>;
} {
  const all = Array.from({ length: count }, () => Promise.withResolvers<void>());
  return {
    loads: all.map(({ promise }) => promise),
    async finish(some) {
      for (const { resolve } of all.splice(0, some)) resolve();
      await vi.advanceTimersByTimeAsync(0);
    },
    async fail() {
      all.shift()?.reject(new Error('failed'));
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

describe('the progress of a first start', () => {
  it('counts finished loads, failed or not, until all are finished', async () => {
    const progress = createStartProgress(
      () => undefined,
      () => undefined,
    );
    expect(progress.current()).toBeNull();
    const { loads, finish, fail } = createLoads(4);
    progress.follow(loads);
    expect(progress.current()).toEqual({ loaded: 0, total: 4 });
    await finish(2);
    await fail();
    expect(progress.current()).toEqual({ loaded: 3, total: 4 });
    await finish(1);
    expect(progress.current()).toBeNull();
  });

  it('notifies once a second and writes fewer log lines, only while the count changes', async () => {
    const notify = vi.fn<() => void>();
    const lines: string[] = [];
    const progress = createStartProgress(notify, (text) => lines.push(text));
    const { loads, finish } = createLoads(300);
    progress.follow(loads);
    for (let second = 0; second < 8; second += 1) {
      await finish(10);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(notify).toHaveBeenCalledTimes(8);
    expect(lines).toEqual(['loading extensions: 40 of 300', 'loading extensions: 80 of 300']);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(notify).toHaveBeenCalledTimes(8);
    progress.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('emits nothing for a start that takes less than a second', async () => {
    const notify = vi.fn<() => void>();
    const progress = createStartProgress(notify, notify);
    const { loads, finish } = createLoads(2);
    progress.follow(loads);
    await finish(2);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(notify).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
