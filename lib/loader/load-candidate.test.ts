import { describe, expect, it, vi } from 'vitest';
import { loadWhenPossible } from './load-candidate.ts';
import type { LoadResult } from './load-candidate.ts';
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
