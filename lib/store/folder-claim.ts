import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Holds a data folder for one host: a second one would close the first one's running calls as cut off and number events twice.
 * The claim is a lock of the operating system on a small database file, so it ends with the process, however that dies, and a
 * stale file from before means nothing.
 */
export interface FolderClaim {
  release(): void;
}

/** Null when another process holds the folder. */
export function claimFolder(folder: string): FolderClaim | null {
  mkdirSync(folder, { recursive: true });
  const db = new DatabaseSync(path.join(folder, 'host.lock'), { timeout: 0 });
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch {
    db.close();
    return null;
  }
  return { release: () => db.close() };
}
