import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Connection, createConnection } from './sqlite-connection.ts';
import { diskFull } from '../storage-error.ts';
import { createWriteQueue, type WriteQueue } from './write-queue.ts';

let folder: string;
let db: DatabaseSync;
let connection: Connection;
let queue: WriteQueue;
let isShort: boolean;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-queue-'));
  db = new DatabaseSync(path.join(folder, 'a.db'), { timeout: 0 });
  db.exec('pragma journal_mode = wal; create table notes (text text unique)');
  connection = createConnection(db, folder);
  insert = connection.prepare(CompiledQuery.raw('insert into notes values (?)', ['text']));
  isShort = false;
  queue = createWriteQueue({
    connection,
    space: { isShort: () => isShort },
    full: () => diskFull(folder),
    lockedMs: 50,
    probe: () => db.exec("insert or replace into notes values ('probe')"),
  });
});

afterEach(async () => {
  await queue.close();
  db.close();
  rmSync(folder, { recursive: true });
});

let insert: (values: { text: string }) => unknown;
const write = (text: string) => () => void insert({ text });
const written = (text: string) => db.prepare('select 1 from notes where text = ?').get(text) !== undefined;

/** Makes SQLite report a full disk. */
function fillDisk(): void {
  const pages = db.prepare('pragma page_count').get()?.['page_count'];
  db.exec(`pragma max_page_count = ${Number(pages)}`);
}

const LARGE = 'x'.repeat(100_000);

it('shares one transaction among the writes of one turn, and answers after its commit', async () => {
  const commits = vi.fn<() => void>();
  const inside: boolean[] = [];
  const other = new DatabaseSync(path.join(folder, 'a.db'), { readOnly: true });
  const seen = () => Number(other.prepare('select count(*) as n from notes').get()?.['n']);
  const writes = ['a', 'b', 'c'].map((text) =>
    queue.run(
      () => {
        inside.push(db.isTransaction);
        write(text)();
        expect(seen()).toBe(0);
      },
      { onCommitted: commits },
    ),
  );
  await writes[0];
  expect(seen()).toBe(3);
  expect(commits).toHaveBeenCalledTimes(3);
  await Promise.all(writes);
  expect(inside).toEqual([true, true, true]);
  other.close();
});

it('rejects only the faulty write of a group, and commits the others', async () => {
  const results = await Promise.allSettled([
    queue.run(write('a')),
    queue.run(() => {
      write('half')();
      write('a')();
    }),
    queue.run(() => {
      throw new TypeError('a bug');
    }),
    queue.run(write('b')),
  ]);
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(results[2]).toMatchObject({ reason: new TypeError('a bug') });
  expect(['a', 'half', 'b'].map(written)).toEqual([true, false, true]);
  expect(queue.health().ok).toBe(true);
});

it('refuses immediately when the disk is full, accepts writes that still fit, and recovers automatically', async () => {
  fillDisk();
  const [large, small] = await Promise.allSettled([queue.run(write(LARGE)), queue.run(write('small'))]);
  expect(large).toMatchObject({ status: 'rejected', reason: { code: 'storage_full' } });
  expect(small.status).toBe('fulfilled');
  await expect(queue.run(write(LARGE))).rejects.toMatchObject({ code: 'storage_full' });
  expect(queue.health()).toMatchObject({ ok: false, reason: expect.stringContaining('is full') });
  db.exec('pragma max_page_count = 1000000');
  await vi.waitFor(() => expect(queue.health().ok).toBe(true), { timeout: 5_000 });
  await queue.run(write(LARGE));
  expect(written(LARGE)).toBe(true);
});

it('reserves the remaining space for running calls, and reports it', async () => {
  isShort = true;
  await expect(queue.run(write('begun'), { needsSpace: true })).rejects.toMatchObject({ code: 'storage_full' });
  await queue.run(write('ended'));
  expect(['begun', 'ended'].map(written)).toEqual([false, true]);
  expect(queue.health()).toMatchObject({ ok: false, reason: expect.stringContaining('is full') });
  isShort = false;
  await queue.run(write('begun'), { needsSpace: true });
  expect(queue.health()).toEqual({ ok: true, reason: null });
});

it('waits for queued writes when it closes, and accepts none after', async () => {
  const writes = Array.from({ length: 1_000 }, (_, n) => queue.run(write(`n${n}`)));
  await queue.close();
  await setImmediate();
  await Promise.all(writes);
  await expect(queue.run(write('late'))).rejects.toMatchObject({ code: 'storage_unavailable' });
});

it('distinguishes a faulty write from a storage error', async () => {
  await queue.run(write('a'));
  await expect(queue.run(write('a'))).rejects.toThrow(/unique/i);
  expect(db.isTransaction).toBe(false);
});

it('waits for a lock without blocking anything, and refuses once the limit is over', async () => {
  const other = new DatabaseSync(path.join(folder, 'a.db'));
  other.exec('begin immediate');
  const refused = queue.run(write('late'));
  await setImmediate();
  expect(written('late')).toBe(false);
  await expect(refused).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(queue.health()).toMatchObject({ ok: false, reason: expect.stringContaining('locked by another process') });
  const patient = queue.run(write('in time'));
  other.exec('commit');
  other.close();
  await patient;
  expect(['late', 'in time'].map(written)).toEqual([false, true]);
  expect(queue.health()).toEqual({ ok: true, reason: null });
});

it('refuses a write with a shorter lock timeout, without a failure, while others keep waiting', async () => {
  const other = new DatabaseSync(path.join(folder, 'a.db'));
  other.exec('begin immediate');
  const patient = queue.run(write('patient'));
  await expect(queue.run(write('short'), { lockedMs: 0 })).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(queue.health()).toEqual({ ok: true, reason: null });
  other.exec('commit');
  other.close();
  await patient;
  expect(['short', 'patient'].map(written)).toEqual([false, true]);
});
