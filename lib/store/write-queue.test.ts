import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createConnection } from './sqlite-connection.ts';
import { diskFull, explainDiskError } from './storage-error.ts';
import type { Connection } from './sqlite-connection.ts';
import { createWriteQueue } from './write-queue.ts';
import type { WriteQueue } from './write-queue.ts';

let folder: string;
let db: DatabaseSync;
let connection: Connection;
let queue: WriteQueue;
/** What the next sync of the disk fails with; null when it works. */
let diskError: Error | null;
let syncs: number;
/** Whether each was made room for inside of a transaction. */
let rooms: boolean[];
let isShort: boolean;
/** What writes wait for besides. */
let pause: Promise<void> | null;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-queue-'));
  db = new DatabaseSync(path.join(folder, 'a.db'), { timeout: 0 });
  db.exec('pragma journal_mode = wal; create table notes (text text unique)');
  connection = createConnection(db, folder);
  diskError = null;
  syncs = 0;
  rooms = [];
  isShort = false;
  pause = null;
  queue = createWriteQueue({
    connection,
    disk: {
      async settled() {
        await setImmediate();
        syncs += 1;
        if (diskError !== null) throw diskError;
      },
      close: async () => undefined,
    },
    room: { keep: () => rooms.push(db.isTransaction), close: () => undefined },
    checkpoints: { onCommitted: () => undefined, pause: () => pause, close: async () => undefined },
    space: { isShort: () => isShort },
    full: () => diskFull(folder),
    explain: (error) => explainDiskError(error, folder),
    lockedMs: 50,
    provenMs: 60_000,
    probe: () => void connection.run(CompiledQuery.raw("insert or replace into notes values ('probe')")),
  });
});

afterEach(async () => {
  await queue.close();
  db.close();
  rmSync(folder, { recursive: true });
});

const write = (text: string) => () => void connection.run(CompiledQuery.raw('insert into notes values (?)', [text]));
const written = (text: string) => db.prepare('select 1 from notes where text = ?').get(text) !== undefined;

/** The disk has no more room, as far as SQLite can tell. */
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

it('refuses the one faulty write of a group whole, and keeps the others', async () => {
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

it('refuses at once when the disk is full, still takes what fits, and recovers by itself', async () => {
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

it('keeps what room there is for what is under way, and tells of it', async () => {
  isShort = true;
  await expect(queue.run(write('begun'), { needsRoom: true })).rejects.toMatchObject({ code: 'storage_full' });
  await queue.run(write('ended'));
  expect(['begun', 'ended'].map(written)).toEqual([false, true]);
  expect(queue.health()).toMatchObject({ ok: false, reason: expect.stringContaining('is full') });
  isShort = false;
  await queue.run(write('begun'), { needsRoom: true });
  expect(queue.health()).toEqual({ ok: true, reason: null });
});

it('takes a commit as the proof that the database takes writes, unless others wait or a write was refused since', async () => {
  const ask = async () => queue.whenTaken();
  const other = new DatabaseSync(path.join(folder, 'a.db'));
  other.exec('begin immediate');
  await expect(ask()).rejects.toMatchObject({ code: 'storage_unavailable' });
  other.exec('commit');
  await queue.run(write('a'));
  other.exec('begin immediate');
  expect(queue.whenTaken()).toBeNull();
  const waits = queue.run(write('b'));
  await expect(ask()).rejects.toMatchObject({ code: 'storage_unavailable' });
  await expect(waits).rejects.toMatchObject({ code: 'storage_unavailable' });
  await expect(ask()).rejects.toMatchObject({ code: 'storage_unavailable' });
  other.exec('commit');
  other.close();
  await ask();
  expect(queue.whenTaken()).toBeNull();
  isShort = true;
  await expect(ask()).rejects.toMatchObject({ code: 'storage_full' });
});

it('waits for what is waiting when it closes, and takes nothing after', async () => {
  const writes = Array.from({ length: 1_000 }, (_, n) => queue.run(write(`n${n}`)));
  await queue.close();
  await setImmediate();
  await Promise.all(writes);
  await expect(queue.run(write('late'))).rejects.toMatchObject({ code: 'storage_unavailable' });
  await expect(queue.whenTaken()).rejects.toMatchObject({ code: 'storage_unavailable' });
});

it('tells a fault of one write at once from a refusal of the storage', () => {
  expect(() => queue.now(write('a'))).not.toThrow();
  expect(() => queue.now(write('a'))).toThrow(/unique/i);
  expect(db.isTransaction).toBe(false);
});

it('answers a write that must outlive a loss of power only after the sync, and others after the commit', async () => {
  const order: string[] = [];
  await Promise.all([
    queue.run(write('safe'), { waitsForDisk: true }).then(() => order.push(`safe after ${syncs}`)),
    queue.run(write('quick')).then(() => order.push(`quick after ${syncs}`)),
  ]);
  expect(order).toEqual(['quick after 0', 'safe after 1']);
});

it('does not sync the disk for writes that do not ask for it', async () => {
  await queue.run(write('quick'));
  await setImmediate();
  expect(syncs).toBe(0);
});

it('commits what is hurried at once, unless others came before it', async () => {
  const hurried = queue.run(write('a'), { isHurried: true });
  expect(written('a')).toBe(true);
  const patient = queue.run(write('b'));
  const behind = queue.run(write('c'), { isHurried: true });
  expect(['b', 'c'].map(written)).toEqual([false, false]);
  await Promise.all([hurried, patient, behind]);
  expect(['b', 'c'].map(written)).toEqual([true, true]);
});

it('has what is hurried wait for a lock and for the log like any other', async () => {
  const other = new DatabaseSync(path.join(folder, 'a.db'));
  other.exec('begin immediate');
  const locked = queue.run(write('a'), { isHurried: true });
  other.exec('commit');
  other.close();
  await locked;
  const { promise, resolve } = Promise.withResolvers<void>();
  pause = promise;
  const paused = queue.run(write('b'), { isHurried: true });
  expect(written('b')).toBe(false);
  pause = null;
  resolve();
  await paused;
  expect(['a', 'b'].map(written)).toEqual([true, true]);
});

it('has the disk begin with what goes there soon, and keeps nobody waiting for it', async () => {
  await queue.run(write('a'), { goesToDiskSoon: true });
  expect(syncs).toBe(0);
  await vi.waitFor(() => expect(syncs).toBe(1));
  diskError = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  await queue.run(write('b'), { goesToDiskSoon: true });
  await vi.waitFor(() => expect(queue.health()).toMatchObject({ ok: false }));
});

it('waits while the last of the log is copied into the database', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  pause = promise;
  const write1 = queue.run(write('a'));
  const write2 = queue.run(write('b'));
  await setImmediate();
  await setImmediate();
  expect(written('a')).toBe(false);
  pause = null;
  resolve();
  await Promise.all([write1, write2]);
  expect(['a', 'b'].map(written)).toEqual([true, true]);
});

it('refuses those that wait for a disk that fails, says so in its health, and recovers', async () => {
  diskError = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  await expect(queue.run(write('lost'), { waitsForDisk: true })).rejects.toMatchObject({ code: 'storage_full' });
  expect(queue.health()).toMatchObject({ ok: false });
  diskError = null;
  await queue.run(write('kept'), { waitsForDisk: true });
  expect(queue.health()).toEqual({ ok: true, reason: null });
});

it('makes room in the log inside of the transaction of those that wait for the disk, and for no others', async () => {
  await queue.run(write('a'));
  expect(rooms).toEqual([]);
  await Promise.all([queue.run(write('b')), queue.run(write('c'), { waitsForDisk: true })]);
  expect(rooms).toEqual([true]);
});
