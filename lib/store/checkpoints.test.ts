import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCheckpoints } from './checkpoints.ts';
import { createQueryBuilder } from './query-builder.ts';
import { createConnection } from './sqlite-connection.ts';

/** One row fills a page. */
const PAGE = 'x'.repeat(3_900);
const PAGES = 4_100;

let folder: string;
let file: string;
let db: DatabaseSync;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-checkpoints-'));
  file = path.join(folder, 'a.db');
  db = new DatabaseSync(file, { timeout: 0 });
  db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 0; create table notes (text text)');
});

afterEach(() => rmSync(folder, { recursive: true }));

function writePages(count: number): void {
  db.exec('begin');
  const insert = db.prepare('insert into notes values (?)');
  for (let row = 0; row < count; row += 1) insert.run(PAGE);
  db.exec('commit');
}

const log = () => db.prepare('pragma wal_checkpoint(noop)').get();
const pagesOfLog = (): number => Number(log()?.['log']);

it('copies a long log beside the work, so that it is begun anew', async () => {
  const checkpoints = createCheckpoints(file, createConnection(db, folder), createQueryBuilder());
  writePages(PAGES);
  expect(pagesOfLog()).toBeGreaterThan(PAGES);
  for (let commit = 0; commit < 16; commit += 1) checkpoints.onCommitted();
  writePages(10);
  await vi.waitFor(() => expect(log()).toMatchObject({ busy: 0, checkpointed: pagesOfLog() }), { timeout: 15_000 });
  writePages(1);
  expect(pagesOfLog()).toBeLessThan(10);
  await checkpoints.close();
  db.close();
  const again = new DatabaseSync(file, { readOnly: true });
  expect(again.prepare('select count(*) as rows from notes').get()).toEqual({ rows: PAGES + 11 });
  again.close();
}, 30_000);

it('leaves a short log alone', async () => {
  const checkpoints = createCheckpoints(file, createConnection(db, folder), createQueryBuilder());
  writePages(100);
  for (let commit = 0; commit < 64; commit += 1) checkpoints.onCommitted();
  await checkpoints.close();
  expect(log()).toMatchObject({ checkpointed: 0 });
  db.close();
});

it('lets commits go on when its thread cannot work', async () => {
  const checkpoints = createCheckpoints(path.join(folder, 'missing', 'b.db'), createConnection(db, folder), createQueryBuilder());
  writePages(PAGES);
  for (let commit = 0; commit < 64; commit += 1) checkpoints.onCommitted();
  await checkpoints.close();
  expect(checkpoints.pause()).toBeNull();
  expect(pagesOfLog()).toBeGreaterThan(PAGES);
  db.close();
});

it('tries another thread when one has failed, after a while', async () => {
  const linked = path.join(folder, 'linked');
  let later = 0;
  const now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now + later);
  const checkpoints = createCheckpoints(path.join(linked, 'a.db'), createConnection(db, folder), createQueryBuilder());
  writePages(PAGES);
  const commit = (): void => {
    for (let commits = 0; commits < 16; commits += 1) checkpoints.onCommitted();
  };
  commit();
  await checkpoints.close();
  symlinkSync(folder, linked);
  commit();
  await checkpoints.close();
  expect(log()).toMatchObject({ checkpointed: 0 });
  later = 31_000;
  commit();
  await checkpoints.close();
  expect(log()).toMatchObject({ checkpointed: pagesOfLog() });
  vi.restoreAllMocks();
  db.close();
});

it('is closed while it copies, and the log goes with the last connection', async () => {
  const checkpoints = createCheckpoints(file, createConnection(db, folder), createQueryBuilder());
  writePages(PAGES);
  for (let commit = 0; commit < 16; commit += 1) checkpoints.onCommitted();
  await checkpoints.close();
  db.close();
  const again = new DatabaseSync(file);
  expect(again.prepare('select count(*) as rows from notes').get()).toEqual({ rows: PAGES });
  again.close();
});
