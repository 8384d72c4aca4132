import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from './make-folder.ts';
import { isLocked } from './storage-error.ts';

/**
 * Holds a data folder for one host: a second one would close the first one's running calls as cut off and number events twice.
 * The claim is a lock of the operating system on a small database file, so it ends with the process, however that dies, and a
 * stale file from before means nothing. What goes wrong: another process holds it (`isTaken`), or the file cannot be used: it
 * belongs to another user, is no file, or the disk refuses.
 */
export interface FolderClaim {
  release(): void;
}

export type ClaimOutcome =
  | { readonly ok: true; readonly claim: FolderClaim }
  | { readonly ok: false; readonly isTaken: boolean; readonly reason: string };

export function claimFolder(folder: string): ClaimOutcome {
  const file = path.join(folder, 'host.lock');
  let db: DatabaseSync | null = null;
  try {
    makeFolder(folder);
    db = new DatabaseSync(file, { timeout: 0 });
    const held = db;
    held.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { ok: true, claim: { release: () => held.close() } };
  } catch (error) {
    db?.close();
    if (isLocked(error)) return { ok: false, isTaken: true, reason: `${folder} is in use by another running Switchboard.` };
    const why = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      isTaken: false,
      reason: `${file} cannot be used (${why}). It must be a file, in a folder, that the user who runs this may write: give that user the permission, or remove the file.`,
    };
  }
}
