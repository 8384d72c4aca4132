import { describe, expect, it, vi } from 'vitest';
import { loadWhenPossible } from './load-candidate.ts';
import type { LoadResult } from './load-candidate.ts';
import { createLoadRetries } from './load-retries.ts';
import { NOTHING_LOADED } from './loaded-files.ts';

const UNREADABLE = 'extension.ts cannot be read (EMFILE)';

function failed(message: string): LoadResult {
  return {
    kind: 'failed',
    contentHash: 'a',
    failure: { code: 'unreadable', message },
    build: null,
    inputs: [],
    missing: [],
    sources: {},
    loaded: NOTHING_LOADED,
  };
}

describe('a load that fails for lack of file descriptors', () => {
  it('is repeated until the file can be read, and reports once that it waits', async () => {
    const tried: boolean[] = [];
    const makeSpace = vi.fn<() => void>();
    const onWait = vi.fn<() => void>();
    const load = async (isRetry: boolean): Promise<LoadResult> => {
      tried.push(isRetry);
      return failed(tried.length < 4 ? UNREADABLE : 'no permission');
    };
    const result = await loadWhenPossible(load, { runtime: { makeSpace }, signal: new AbortController().signal }, onWait, 0);
    expect(result).toMatchObject({ failure: { message: 'no permission' } });
    expect(tried).toEqual([false, true, true, true]);
    expect(makeSpace).toHaveBeenCalledTimes(3);
    expect(onWait).toHaveBeenCalledTimes(1);
  });

  it('is not repeated when a newer save replaces it', async () => {
    const replaced = new AbortController();
    const load = vi.fn<(isRetry: boolean) => Promise<LoadResult>>(async () => failed(UNREADABLE));
    await loadWhenPossible(load, { runtime: {}, signal: replaced.signal }, () => replaced.abort());
    expect(load).toHaveBeenCalledTimes(1);
  });
});

it('a failed load is repeated later if a shortage or a busy machine caused it', async () => {
  vi.useFakeTimers();
  const slotOf = (code: 'spawn_failed' | 'start_timeout' | 'import_error', message: string) => ({
    id: message,
    kind: 'tools' as const,
    disabled: false,
    isExcluded: false,
    loading: null,
    breakdown: null,
    newest: { failure: { code, message, output: null } },
  });
  const slots = [slotOf('spawn_failed', 'spawn EAGAIN'), slotOf('start_timeout', 'late'), slotOf('import_error', 'It throws')];
  const retried: string[] = [];
  const state = { slots: new Map(slots.map((slot) => [slot.id, slot])) };
  const retries = createLoadRetries({ state, retry: (id) => retried.push(id), random: () => 0 });
  retries.look();
  await vi.advanceTimersByTimeAsync(1_000);
  retries.look();
  await vi.advanceTimersByTimeAsync(2_000);
  retries.close();
  vi.useRealTimers();
  expect(retried).toEqual(['spawn EAGAIN', 'late', 'spawn EAGAIN', 'late']);
});
