import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { explainUnusable } from './database-file.ts';
import { makeFolder } from '../make-folder.ts';
import { syncPath } from './sync-path.ts';

/**
 * A backup is one file: a copy of the database, with one more table for the built programs of the revisions that can
 * run again. It is made while a server writes, and has everything answered before it began.
 *
 * What can go wrong:
 * - the server commits during the copy: a read transaction is held, and everything is copied in one step;
 * - the disk fills up or the command is stopped: the file is written beside its path and renamed when checked and
 *   synced;
 * - the file exists: refused, never overwritten;
 * - a program is removed meanwhile: left out; it is built again from its sources.
 */
export type BackupOutcome =
  | { readonly ok: true; readonly bytes: number; readonly calls: number; readonly programs: number }
  | { readonly ok: false; readonly reason: string };

export const DATABASE_NAME = 'switchboard.db';
export const PROGRAMS_FOLDER = 'artifacts';
export const FILES_TABLE = 'switchboard_backup_files';
const ALL_PAGES = 1_000_000_000;

export async function backUp(dataDir: string, target: string): Promise<BackupOutcome> {
  const source = path.join(dataDir, DATABASE_NAME);
  if (!existsSync(source)) return refuse(`There is no database in ${dataDir}. Set DATA_DIR to the folder that the server uses.`);
  if (existsSync(target)) return refuse(`${target} already exists, and a backup overwrites nothing. Choose another file.`);
  const draft = `${target}.part-${process.pid}`;
  try {
    makeFolder(path.dirname(target));
    await copyDatabase(source, draft);
    const programs = addPrograms(draft, path.join(dataDir, PROGRAMS_FOLDER));
    const fault = explainUnusable(draft);
    if (fault !== null) return refuse(`${fault.fact.replaceAll(draft, source)} ${fault.wayOut}`);
    const calls = countCalls(draft);
    syncPath(draft);
    if (existsSync(target)) return refuse(`${target} was created meanwhile, and a backup overwrites nothing. Choose another file.`);
    renameSync(draft, target);
    syncPath(path.dirname(target));
    return { ok: true, bytes: statSync(target).size, calls, programs };
  } catch (error) {
    return refuse(
      `The backup could not be made (${messageOf(error)}). Check the permissions and the free space of ${path.dirname(target)}.`,
    );
  } finally {
    for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${ending}`, { force: true });
  }
}

async function copyDatabase(source: string, draft: string): Promise<void> {
  const db = new DatabaseSync(source, { readOnly: true, timeout: 5_000 });
  try {
    db.exec('begin');
    db.prepare('select count(*) from sqlite_schema').get(); // from here on it reads the state of this moment
    await backup(db, draft, { rate: ALL_PAGES });
  } finally {
    db.close();
  }
}

/** @returns their number */
function addPrograms(draft: string, folder: string): number {
  const db = new DatabaseSync(draft);
  try {
    db.exec('pragma journal_mode = delete; pragma synchronous = full');
    db.exec(`create table ${FILES_TABLE} (path text not null primary key, content blob not null) strict`);
    const insert = db.prepare(`insert into ${FILES_TABLE} (path, content) values (?, ?)`);
    const hashes = db.prepare('select distinct content_hash from revisions where runnable = 1').all();
    let programs = 0;
    db.exec('begin');
    for (const { content_hash: hash } of hashes) {
      const name = String(hash);
      const files = readProgram(path.join(folder, name));
      if (files.length > 0) programs += 1;
      for (const file of files) insert.run(`${name}/${file.name}`, file.content);
    }
    db.exec('commit');
    return programs;
  } finally {
    db.close();
  }
}

interface ProgramFile {
  readonly name: string;
  readonly content: Buffer;
}

/** All of it, or nothing when it is missing. */
function readProgram(folder: string): readonly ProgramFile[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => ({ name: path.relative(folder, file).split(path.sep).join('/'), content: readFileSync(file) }));
  } catch {
    return [];
  }
}

function countCalls(file: string): number {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return callsIn(db);
  } finally {
    db.close();
  }
}

/** Including those not yet moved to a table, as an older version wrote them. */
export function callsIn(db: DatabaseSync): number {
  const count = (rows: string): number => Number(db.prepare(`select count(*) as count from ${rows}`).get()?.['count'] ?? 0);
  return count('calls') + (count("sqlite_schema where name = 'call_journal'") === 0 ? 0 : count('call_journal where is_end = 0'));
}

function refuse(reason: string): BackupOutcome {
  return { ok: false, reason };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
