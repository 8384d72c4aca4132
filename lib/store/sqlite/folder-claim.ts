import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../make-folder.ts';
import { isLocked } from '../storage-error.ts';

/**
 * Locks a file for one host. The lock is a lock of the operating system on a small database file, so it ends with the
 * process in any case, and a stale file has no effect. What can go wrong: another host holds it (`isTaken`); the file
 * cannot be used, because it belongs to another user, is no file, or the disk refuses.
 */
export interface FolderClaim {
  release(): void;
}

export type ClaimOutcome =
  | { readonly ok: true; readonly claim: FolderClaim }
  | { readonly ok: false; readonly isTaken: boolean; readonly reason: string };

/** Locks a data folder: a second host would fail the first one's running calls and repeat event numbers. */
export function claimFolder(folder: string): ClaimOutcome {
  return claimFile(path.join(folder, 'host.lock'));
}

export function claimFile(file: string): ClaimOutcome {
  let db: DatabaseSync | null = null;
  try {
    makeFolder(path.dirname(file));
    db = new DatabaseSync(file, { timeout: 0 });
    const held = db;
    held.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { ok: true, claim: { release: () => held.close() } };
  } catch (error) {
    db?.close();
    if (isLocked(error)) return { ok: false, isTaken: true, reason: `${path.dirname(file)} is in use by another running Switchboard.` };
    const why = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      isTaken: false,
      reason: `${file} cannot be used (${why}). It must be a file, in a folder, that the user who runs this may write: give that user the permission, or remove the file.`,
    };
  }
}
