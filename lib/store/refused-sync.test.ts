import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from './open-store.ts';
import { callEnd, finishedCall, runningCall } from './store-contract-samples.ts';
import type { RecordFile } from './record-file.ts';
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
  const opened = openStore({ file: path.join(folder, 'switchboard.db'), disk, callRecords: [recordFile(), recordFile()] });
  if (!opened.ok) throw new Error(opened.reason);
  store = opened.store;
});

/** One in memory. */
function recordFile(): RecordFile {
  let content = Buffer.alloc(0);
  return {
    read: () => content,
    size: () => content.length,
    write(bytes, position, done) {
      if (refusal === null) content = Buffer.concat([content.subarray(0, position), bytes, content.subarray(position + bytes.length)]);
      setImmediate(done, refusal);
    },
    shorten: () => undefined,
    close: async () => undefined,
  };
}

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

  it('is the beginning of a call with large values that is ended as one that was not run', async () => {
    const row = runningCall({ argumentsText: LARGE });
    refusal = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    await expect(store.calls.insertRunning(row)).rejects.toMatchObject({ code: 'storage_full' });
    refusal = null;
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

it('leaves no trace of a beginning that the disk has refused, says so, and goes on by itself', async () => {
  await finishedCall(store);
  const row = runningCall();
  refusal = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  await expect(store.calls.insertRunning(row)).rejects.toMatchObject({ code: 'storage_full' });
  expect(store.health()).toMatchObject({ ok: false, reason: expect.stringContaining('is full') });
  refusal = null;
  await vi.waitFor(() => expect(store.health()).toEqual({ ok: true, reason: null }), { timeout: 5_000 });
  expect(store.calls.get(row.id)).toBeNull();
  await store.calls.insertRunning(row);
  expect(store.calls.get(row.id)?.status).toBe('running');
});
