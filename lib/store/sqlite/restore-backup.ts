import { chmodSync, constants, copyFileSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { callsIn, DATABASE_NAME, FILES_TABLE, PROGRAMS_FOLDER } from './backup-file.ts';
import { explainUnusable } from './database-file.ts';
import { claimFolder } from './folder-claim.ts';
import { makeFolder } from '../make-folder.ts';
import { syncPath } from './sync-path.ts';
import { journalFilesOf } from './import-journal.ts';

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
export type RestoreOutcome =
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
