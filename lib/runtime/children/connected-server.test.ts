import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createToolFollower } from './connected-server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Each read ends at once, with the result from the test. */
function followed(read: () => Promise<boolean>) {
  const onFailure = vi.fn<(error: unknown, nextMs: number) => void>();
  const counted = vi.fn(read);
  return { follower: createToolFollower({ read: counted, onFailure }), reads: counted, onFailure };
}

describe('the list of tools of a connected server', () => {
  it('reads nothing before `begin`, and then handles earlier notifications', async () => {
    const { follower, reads } = followed(async () => true);
    follower.notice();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(reads).not.toHaveBeenCalled();
    follower.begin();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(reads).toHaveBeenCalledTimes(1);
  });

  it('reads nothing for a change that a list already contains', async () => {
    const { follower, reads } = followed(async () => true);
    follower.notice();
    follower.forget();
    follower.begin();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(reads).not.toHaveBeenCalled();
  });

  it('reads once for many notifications, and once more for those during the read', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const { follower, reads } = followed(() => promise);
    follower.begin();
    for (let count = 0; count < 5; count += 1) follower.notice();
    await vi.advanceTimersByTimeAsync(100);
    expect(reads).toHaveBeenCalledTimes(1);
    follower.notice();
    follower.notice();
    resolve(true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(reads).toHaveBeenCalledTimes(2);
  });

  it('retries after a failure, less and less often, and at once after a notification', async () => {
    let isWell = false;
    const { follower, reads, onFailure } = followed(async () => {
      if (!isWell) throw new Error('not now');
      return true;
    });
    follower.begin();
    follower.notice();
    await vi.advanceTimersByTimeAsync(20 + 1_000 + 2_000 + 4_000);
    expect(onFailure.mock.calls.map(([, nextMs]) => nextMs)).toEqual([1_000, 2_000, 4_000, 8_000]);
    isWell = true;
    follower.notice();
    await vi.advanceTimersByTimeAsync(100);
    expect(reads).toHaveBeenCalledTimes(5);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(reads).toHaveBeenCalledTimes(5);
  });

  it('reads less and less often if each read causes a notification without a change', async () => {
    const { follower, reads } = followed(async () => {
      follower.notice();
      return false;
    });
    follower.begin();
    follower.notice();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(reads.mock.calls.length).toBeLessThan(30);
  });

  it('reads at once again after a pause', async () => {
    const { follower, reads } = followed(async () => false);
    follower.begin();
    for (let count = 1; count <= 20; count += 1) {
      follower.notice();
      await vi.advanceTimersByTimeAsync(30_000);
      expect(reads).toHaveBeenCalledTimes(count);
    }
  });
});
