import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { retryStorage } from './storage-refusal.ts';

const FULL = Object.assign(new Error('full'), { code: 'storage_full' });

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => vi.useRealTimers());

/** Its delays take no time. */
async function retry(...given: Parameters<typeof retryStorage>): Promise<void> {
  await Promise.all([retryStorage(...given), vi.runAllTimersAsync()]);
}

describe('the end of a call that storage refuses', () => {
  it('is retried, also while the server stops', async () => {
    const write = vi.fn<() => Promise<void>>().mockRejectedValueOnce(FULL).mockResolvedValue(undefined);
    await retry(write, () => true);
    expect(write).toHaveBeenCalledTimes(2);
  });

  it('is emitted once, regardless of the number of refusals', async () => {
    const write = vi.fn<() => Promise<void>>().mockRejectedValueOnce(FULL).mockRejectedValueOnce(FULL).mockResolvedValue(undefined);
    const onRefused = vi.fn<(error: unknown) => void>();
    await retry(write, () => false, onRefused);
    expect(onRefused.mock.calls).toEqual([[FULL]]);
    expect(write).toHaveBeenCalledTimes(3);
  });

  it('is given up when the server has been stopping for a while', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 2_000));
    const write = vi.fn<() => Promise<void>>().mockRejectedValue(FULL);
    await expect(retry(write, () => true)).rejects.toBe(FULL);
    expect(write).toHaveBeenCalledTimes(2);
  });

  it('is not retried after another kind of error', async () => {
    const write = vi.fn<() => Promise<void>>().mockRejectedValue(new Error('a bug'));
    await expect(retry(write, () => false)).rejects.toThrow('a bug');
    expect(write).toHaveBeenCalledTimes(1);
  });
});
