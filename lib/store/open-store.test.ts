import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  closeSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabaseFile } from './sqlite/database-file.ts';
import { openStore } from './open-store.ts';
import { finishedCall } from './store-contract-samples.ts';
import type { Store } from './store.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'switchboard-open-'));
  file = path.join(folder, 'switchboard.db');
});

afterEach(() => rmSync(folder, { recursive: true }));

/** All files of the folder with their bytes. */
function contents(): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name)).toString('base64')]));
}

async function makeDatabase(calls = 200): Promise<void> {
  const opened = await openStore({ file });
  if (!opened.ok) throw new Error(opened.reason);
  await Promise.all(Array.from({ length: calls }, async () => await finishedCall(opened.store)));
  await opened.store.close();
}

async function refusal(): Promise<string> {
  const opened = await openStore({ file });
  if (opened.ok) throw new Error('it was opened');
  expect(opened.reason).not.toContain('\n');
  return opened.reason;
}

describe('a rejected file stays unchanged', () => {
  it('is not a database', async () => {
    writeFileSync(file, 'Dear diary, '.repeat(100));
    const before = contents();
    expect(await refusal()).toMatch(/is not a database\. Move it away/);
    expect(contents()).toEqual(before);
  });

  it('is shorter than any database', async () => {
    writeFileSync(file, 'SQLite format 3\0');
    expect(await refusal()).toMatch(/is damaged \(it is cut off\)/);
    expect(readFileSync(file, 'latin1')).toBe('SQLite format 3\0');
  });

  it('belongs to another program', async () => {
    const db = new DatabaseSync(file);
    db.exec('create table songs (title text)');
    db.close();
    const before = contents();
    expect(await refusal()).toMatch(/database of another program/);
    expect(contents()).toEqual(before);
  });

  it('was made by a newer program', async () => {
    await makeDatabase();
    const db = new DatabaseSync(file);
    db.exec('pragma user_version = 4711');
    db.close();
    const before = contents();
    expect(await refusal()).toMatch(/newer version of this program\. Start that version/);
    expect(contents()).toEqual(before);
  });

  it('has a migration that this program does not know', async () => {
    await makeDatabase();
    const db = new DatabaseSync(file);
    db.exec("insert into switchboard_migrations values ('9999_future', 'now')");
    db.close();
    const before = contents();
    expect(await refusal()).toMatch(/newer version/);
    expect(contents()).toEqual(before);
  });

  it('was made by a newer program that died with its log unmerged', async () => {
    await makeDatabase();
    const source = `${file}.source`;
    copyFileSync(file, source);
    const db = new DatabaseSync(source);
    db.exec('pragma user_version = 4711');
    copyFileSync(source, file);
    copyFileSync(`${source}-wal`, `${file}-wal`);
    db.close();
    rmSync(source);
    const before = contents();
    expect(await refusal()).toMatch(/newer version/);
    expect(contents()).toMatchObject(before);
  });

  it('has a damaged page', async () => {
    await makeDatabase(2_000);
    const size = readFileSync(file).length;
    const descriptor = openSync(file, 'r+');
    for (let place = 8_192; place < size; place += 4_096) writeSync(descriptor, Buffer.alloc(2_000, 0xab), 0, 2_000, place);
    closeSync(descriptor);
    const before = contents();
    expect(await refusal()).toMatch(/is damaged .*Restore it from a backup/);
    expect(contents()).toEqual(before);
  });

  it('lost its end', async () => {
    await makeDatabase(2_000);
    truncateSync(file, Math.floor(readFileSync(file).length / 2));
    const before = contents();
    expect(await refusal()).toMatch(/is damaged/);
    expect(contents()).toEqual(before);
  });

  it('is a folder', async () => {
    mkdirSync(file);
    expect(await refusal()).toMatch(/is not a file/);
  });
});

describe('a large file after an unclean stop', () => {
  const FULL_CHECK_BYTES = 16_384;

  /** The files of a killed host, with an unmerged log. */
  async function makeUnclean(): Promise<void> {
    await makeDatabase(2_000);
    const copy = `${file}.copy`;
    const db = new DatabaseSync(file);
    db.exec('pragma wal_autocheckpoint = 0');
    db.exec('update calls set tool = tool where seq < 5');
    copyFileSync(file, copy);
    const log = readFileSync(`${file}-wal`);
    db.close();
    renameSync(copy, file);
    writeFileSync(`${file}-wal`, log);
  }

  async function openLarge(): Promise<Store> {
    const opened = await openStore({ file, fullCheckBytes: FULL_CHECK_BYTES });
    if (!opened.ok) throw new Error(opened.reason);
    return opened.store;
  }

  it('is checked in the background, and is healthy', async () => {
    await makeUnclean();
    const store = await openLarge();
    expect(store.examined).not.toBeNull();
    expect(await store.examined).toBeNull();
    expect(store.health()).toEqual({ ok: true, reason: null });
    await store.close();
    const next = await openLarge();
    expect(next.examined).toBeNull();
    await next.close();
  });

  it('reports the damage in its health', async () => {
    await makeUnclean();
    const pages = new DatabaseSync(file, { readOnly: true });
    const root = Number(pages.prepare("select rootpage from sqlite_schema where name = 'call_payloads'").get()?.['rootpage']);
    pages.close();
    const log = readFileSync(`${file}-wal`);
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.alloc(4_000, 0xab), 0, 4_000, (root - 1) * 4_096);
    closeSync(descriptor);
    writeFileSync(`${file}-wal`, log);
    const store = await openLarge();
    expect(await store.examined).toMatch(/is damaged .*Restore it from a backup/);
    expect(store.health()).toMatchObject({ ok: false, reason: expect.stringContaining('is damaged') });
    await store.close();
  });
});

it('names the folder that cannot be used when a file is in its place', async () => {
  const place = path.join(folder, 'data');
  writeFileSync(place, 'here');
  const opened = await openStore({ file: path.join(place, 'switchboard.db') });
  expect(opened).toMatchObject({ ok: false, reason: expect.stringContaining(`The data folder ${place} cannot be used`) });
  expect(readFileSync(place, 'utf8')).toBe('here');
});

it('creates the folder, and treats an empty file as a new database', async () => {
  file = path.join(folder, 'a', 'b', 'switchboard.db');
  await makeDatabase(1);
  file = path.join(folder, 'empty.db');
  writeFileSync(file, '');
  await makeDatabase(1);
  expect(readdirSync(folder).toSorted()).toEqual(['a', 'empty.db']);
});

it('reads the unmerged log of a killed host', async () => {
  const opened = await openStore({ file });
  if (!opened.ok) throw new Error(opened.reason);
  const id = await finishedCall(opened.store);
  const copy = path.join(folder, 'copy.db');
  copyFileSync(file, copy);
  copyFileSync(`${file}-wal`, `${copy}-wal`);
  await opened.store.close();
  const again = await openStore({ file: copy });
  if (!again.ok) throw new Error(again.reason);
  expect((await again.store.calls.get(id))?.status).toBe('succeeded');
  await again.store.close();
});

it.each([
  ['process', 1],
  ['power', 2],
] as const)('syncs its log as set by DURABILITY=%s', async (durability, synchronous) => {
  const opened = openDatabaseFile({ file, lockedMs: 0, durability });
  if (!opened.ok) throw new Error(opened.reason);
  expect(opened.db.prepare('pragma synchronous').get()).toEqual({ synchronous });
  opened.db.close();
});
