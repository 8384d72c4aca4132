import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from './open-store.ts';
import { callEnd, runningCall } from './store-contract-samples.ts';
import type { Store } from './store.ts';

let folder: string;
let store: Store;
/** What the syncs of the disk fail with; null while they work. */
let refusal: Error | null;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-sync-'));
  refusal = null;
  const disk = {
    settled: () => (refusal === null ? Promise.resolve() : Promise.reject(refusal)),
    close: async () => undefined,
  };
  const opened = openStore({ file: path.join(folder, 'switchboard.db'), disk });
  if (!opened.ok) throw new Error(opened.reason);
  store = opened.store;
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const LARGE = JSON.stringify('x'.repeat(100_000));

describe('what the database has taken and the disk has refused', () => {
  it.each([
    ['small', '{"degrees":12}'],
    ['large', LARGE],
  ])('is an end that can be written again (%s)', async (_, resultText) => {
    const row = runningCall();
    const end = callEnd({ resultText });
    await store.calls.insertRunning(row);
    refusal = new Error('EIO: i/o error');
    await expect(store.calls.finish(row.id, end)).rejects.toMatchObject({ code: 'storage_unavailable' });
    refusal = null;
    await store.calls.finish(row.id, end);
    expect(store.calls.get(row.id)).toMatchObject({ status: 'succeeded', result: JSON.parse(resultText) });
  });

  it('is a beginning that is ended as a call that was not run', async () => {
    const row = runningCall();
    refusal = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    await expect(store.calls.insertRunning(row)).rejects.toMatchObject({ code: 'storage_full' });
    await vi.waitFor(() =>
      expect(store.calls.get(row.id)).toMatchObject({
        status: 'failed',
        error: { kind: 'extension_unavailable', message: expect.stringContaining('was not run') },
        finished_at: expect.any(String),
      }),
    );
    expect(store.calls.closeInterrupted()).toBe(0);
  });
});
