import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from './open-store.ts';
import { callEnd, countFailedLoads, finishedCall, runningCall } from './store-contract-samples.ts';
import type { Store } from './store.ts';

const FIXTURES = path.join(import.meta.dirname, 'fixtures');

/** `npm run bench -- soak` kills a complete server, more often. */
const KILLS = 3;

let folder: string;
let file: string;
let child: ChildProcess | null;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-faults-'));
  file = path.join(folder, 'switchboard.db');
  child = null;
});

afterEach(async () => {
  if (child !== null && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true });
});

async function open(lockedMs?: number): Promise<Store> {
  const opened = await openStore(lockedMs === undefined ? { file } : { file, lockedMs });
  if (!opened.ok) throw new Error(opened.reason);
  return opened.store;
}

async function holdLock(): Promise<() => void> {
  const holder = fork(path.join(FIXTURES, 'hold-lock.mjs'), [file]);
  child = holder;
  await once(holder, 'message');
  return () => void holder.send('let go');
}

function idsOnDisk(): number {
  const db = new DatabaseSync(file, { readOnly: true });
  const ids = Number(db.prepare("select value from counters where name = 'event_ids'").get()?.['value']);
  db.close();
  return ids;
}

describe('a lock held by another process', () => {
  it('delays writes without blocking the event loop or reads, and then completes them', async () => {
    const store = await open(60_000);
    const earlier = await finishedCall(store);
    expect((await store.calls.list({ limit: 10, q: 'berlin' }))?.calls).toHaveLength(1);
    const release = await holdLock();
    const rows = Array.from({ length: 20 }, () => runningCall());
    let answered = 0;
    const writes = rows.map(async (row) => {
      await store.calls.insertRunning(row);
      answered += 1;
    });
    for (let turn = 0; turn < 10; turn += 1) await delay(10);
    expect(answered).toBe(0);
    expect((await store.calls.get(earlier))?.status).toBe('succeeded');
    expect((await store.calls.list({ limit: 10, q: 'berlin' }))?.calls).toHaveLength(1);
    release();
    await Promise.all(writes);
    expect((await store.calls.list({ limit: 50, status: ['running'] }))?.calls).toHaveLength(20);
    expect(store.health()).toEqual({ ok: true, reason: null });
    await store.close();
  });

  it('refuses a call and an end after the limit without a trace, and accepts both once the lock is released', async () => {
    const store = await open(400);
    const row = runningCall();
    await store.calls.insertRunning(row);
    const release = await holdLock();
    const refused = runningCall();
    await expect(store.calls.insertRunning(refused)).rejects.toMatchObject({ code: 'storage_unavailable' });
    await expect(store.calls.finish(row.id, callEnd())).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect((await store.calls.get(row.id))?.status).toBe('running');
    expect(store.health().ok).toBe(false);
    expect(store.health().reason).toMatch(/locked by another process/);
    release();
    await vi.waitFor(() => expect(store.health()).toEqual({ ok: true, reason: null }), { timeout: 5_000 });
    expect(await store.calls.get(refused.id)).toBeNull();
    await store.calls.finish(row.id, callEnd());
    expect((await store.calls.list({ limit: 10 }))?.calls.map(({ id, status }) => [id, status])).toEqual([[row.id, 'succeeded']]);
    await finishedCall(store);
    await store.close();
  });

  it('delays a start, which fails with a message when it is not released', async () => {
    await (await open()).close();
    const release = await holdLock();
    const refused = await openStore({ file, lockedMs: 50 });
    expect(refused).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/is locked by another process\. Stop the program that holds it/),
    });
    release();
    await (await open()).close();
  });

  it('delays reservations of event ids, which are stored once the lock is released', async () => {
    const store = await open(60_000);
    const first = await store.reserveEventIds(10);
    const release = await holdLock();
    const reserved = [1, 2, 3].map(() => store.reserveEventIds(10));
    release();
    expect(await Promise.all(reserved)).toEqual([first + 10, first + 20, first + 30]);
    if (child !== null && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await vi.waitFor(() => expect(idsOnDisk()).toBeGreaterThanOrEqual(first + 40), { timeout: 10_000 });
    await store.close();
  });
});

it('has every answered call on disk, however often the host is killed', async () => {
  const answered = new Map<string, string>();
  for (let kills = 1; kills <= KILLS; kills += 1) {
    const writer = spawn(process.execPath, [path.join(FIXTURES, 'write-calls.mjs'), file], { stdio: ['ignore', 'pipe', 'inherit'] });
    child = writer;
    const until = answered.size + (kills === 1 ? 300 : 100);
    for await (const line of createInterface(writer.stdout)) {
      const [state, id] = line.split(' ');
      if (state !== undefined && id !== undefined) answered.set(id, state);
      if (answered.size === until) writer.kill('SIGKILL');
    }
  }
  const store = await open();
  const finished = [...answered].filter(([, state]) => state === 'finished').map(([id]) => id);
  expect(finished.length).toBeGreaterThan(200 + 50 * KILLS);
  const ends = await Promise.all(finished.map((id) => store.calls.get(id)));
  expect(ends.filter((call) => call?.status !== 'succeeded')).toEqual([]);
  await store.calls.closeInterrupted();
  const running = await Promise.all(
    [...answered].filter(([, state]) => state === 'running').map(async ([id]) => (await store.calls.get(id))?.status),
  );
  expect(running.every((status) => status === 'failed' || status === 'succeeded')).toBe(true);
  expect((await store.calls.list({ limit: 200, q: 'berlin' }))?.calls).toHaveLength(200);
  await store.close();
});

it.each([1, 2, 3, 4, 5])('has all writes of a load or none when the host is killed after %d of them', async (writes) => {
  const dying = spawn(process.execPath, [path.join(FIXTURES, 'die-in-commit.mjs'), file, String(writes)], { stdio: 'inherit' });
  child = dying;
  await once(dying, 'exit');
  expect(dying.signalCode).toBe('SIGKILL');
  const store = await open();
  expect(await countFailedLoads(store)).toEqual([1, 1, 1, 1, 1]);
  await store.close();
});
