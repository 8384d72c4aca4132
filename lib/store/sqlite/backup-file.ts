import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { explainUnusable } from './database-file.ts';
import { makeFolder } from '../make-folder.ts';
import { claimFolder } from './folder-claim.ts';
import { journalFilesOf } from './import-journal.ts';

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
type BackupOutcome =
  | { readonly ok: true; readonly bytes: number; readonly calls: number; readonly programs: number }
  | { readonly ok: false; readonly reason: string };

export const DATABASE_NAME = 'switchboard.db';
const PROGRAMS_FOLDER = 'artifacts';
const FILES_TABLE = 'switchboard_backup_files';
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

/** Syncs to disk: of a file its content, of a folder its names. */
function syncPath(place: string): void {
  const descriptor = openSync(place, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Restores a backup into a data folder without a database. Every page is checked first, and the database is renamed
 * last, so that an interrupted restore leaves a folder that a server treats as empty.
 *
 * What can go wrong:
 * - a server uses the folder, or it has a database: refused, nothing is overwritten;
 * - the backup is damaged, no backup, or from a newer version: refused;
 * - the backup is read-only: its copy is made writable;
 * - a path in it leads out of the folder: refused, because the file may come from anywhere.
 */
type RestoreOutcome =
  | { readonly ok: true; readonly calls: number; readonly programs: number }
  | { readonly ok: false; readonly reason: string };

const OWNER_MAY = constants.S_IRUSR | constants.S_IWUSR;
const PROGRAM_PATH = /^([0-9a-f]{64})\/[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;
/** Files of an earlier database, which SQLite would use for the restored one. */
const LEFTOVERS = ['-wal', '-shm', '-journal'];

export function restoreBackup(file: string, dataDir: string): RestoreOutcome {
  if (!existsSync(file)) return refuse(`File ${file} not found.`);
  const fault = explainUnusable(file);
  if (fault !== null) return refuse(`${fault.fact} Choose another file created by \`switchboard backup\`.`);
  const target = path.join(dataDir, DATABASE_NAME);
  const claimed = claimFolder(dataDir);
  if (!claimed.ok)
    return refuse(
      claimed.isTaken
        ? `A server uses ${dataDir}. Stop it, or set DATA_DIR to another folder.`
        : `The data folder ${dataDir} cannot be used: ${claimed.reason} Or set DATA_DIR to another one.`,
    );
  const { claim } = claimed;
  const draft = `${target}.restore-${process.pid}`;
  try {
    if (existsSync(target))
      return refuse(
        `${dataDir} already has a database, and a restore overwrites nothing. Move the folder away, or set DATA_DIR to another one.`,
      );
    makeFolder(dataDir);
    copyFileSync(file, draft);
    // Backups are often read-only, and the copy inherits that.
    chmodSync(draft, statSync(file).mode | OWNER_MAY);
    const taken = takePrograms(draft, path.join(dataDir, PROGRAMS_FOLDER));
    if (!taken.ok) return taken;
    for (const place of [...LEFTOVERS.map((ending) => target + ending), ...journalFilesOf(target)]) rmSync(place, { force: true });
    syncPath(draft);
    renameSync(draft, target);
    syncPath(dataDir);
    return taken;
  } catch (error) {
    return refuse(`The backup could not be restored (${messageOf(error)}). Check the permissions and the free space of ${dataDir}.`);
  } finally {
    for (const ending of ['', ...LEFTOVERS]) rmSync(`${draft}${ending}`, { force: true });
    claim.release();
  }
}

/** Turns programs back into files and drops their table. A database copied by other means has none. */
function takePrograms(draft: string, folder: string): RestoreOutcome {
  const db = new DatabaseSync(draft);
  try {
    db.exec('pragma journal_mode = delete; pragma synchronous = full');
    const programs = new Set<string>();
    const has = db.prepare('select 1 from sqlite_schema where name = ?').get(FILES_TABLE) !== undefined;
    const rows = has ? db.prepare(`select path, content from ${FILES_TABLE}`).iterate() : [];
    for (const { path: name, content } of rows) {
      const [, hash] = PROGRAM_PATH.exec(String(name)) ?? [];
      if (hash === undefined || !(content instanceof Uint8Array))
        return refuse(
          `The backup names a program “${String(name).slice(0, 100)}”, which is not a valid path. It was not made by Switchboard.`,
        );
      const target = path.join(folder, String(name));
      makeFolder(path.dirname(target));
      writeFileSync(target, content);
      programs.add(hash);
    }
    if (has) db.exec(`drop table ${FILES_TABLE}`);
    return { ok: true, calls: callsIn(db), programs: programs.size };
  } finally {
    db.close();
  }
}

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export interface RecoveryLink {
  readonly id: string;
  /** SHA-256 of its secret, in hexadecimal. */
  readonly secretHash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export type RecoveryOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const LOCKED_MS = 5_000;

/**
 * Writes a recovery link for an admin into a server's database, even while the server runs: write access to that file
 * implies more trust than that. It replaces an earlier link. What can go wrong: the database is missing, belongs to a
 * server without accounts, or is locked; nothing changes then.
 */
export function insertRecoveryLink(dataDir: string, { id, secretHash, createdAt, expiresAt }: RecoveryLink): RecoveryOutcome {
  const file = path.join(dataDir, DATABASE_NAME);
  if (!existsSync(file)) return refuse(`There is no database in ${dataDir}. Set DATA_DIR to the folder that the server uses.`);
  try {
    using db = new DatabaseSync(file, { timeout: LOCKED_MS });
    if (db.prepare("select 1 from sqlite_schema where name = 'join_links'").get() === undefined)
      return refuse(`The database of ${dataDir} is older than accounts. Start the server once with this version, and try again.`);
    db.exec('begin immediate');
    db.prepare("delete from join_links where kind = 'recovery'").run();
    db.prepare("insert into join_links (id, kind, secret_hash, role, created_at, expires_at) values (?, 'recovery', ?, 'admin', ?, ?)").run(
      id,
      secretHash,
      createdAt,
      expiresAt,
    );
    db.exec('commit');
    return { ok: true };
  } catch (error) {
    return refuse(`The link could not be stored in ${file} (${messageOf(error)}). Check its permissions.`);
  }
}
