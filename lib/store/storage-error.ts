import { isDiskFull } from './sqlite/free-space.ts';
import type { StorageError } from './store.ts';

/** SQLite's primary result codes, the low byte of the extended ones. */
const SQLITE = { busy: 5, locked: 6, readonly: 8, ioerr: 10, corrupt: 11, full: 13, cantopen: 14, notadb: 26 } as const;

/** The primary result code of an error thrown by node:sqlite; null for other errors. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null;
}

export function isCorruption(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE.corrupt || code === SQLITE.notadb;
}

/** Another connection holds the lock. */
export function isLocked(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE.busy || code === SQLITE.locked;
}

/** `digest` is all that Next gives to the error page of a page that it renders. */
export function storageError(code: StorageError['code'], message: string, cause?: unknown): StorageError {
  return Object.assign(new Error(message, { cause }), { code, digest: code });
}

export function isStorageError(error: unknown): error is StorageError {
  return error instanceof Error && 'code' in error && (error.code === 'storage_unavailable' || error.code === 'storage_full');
}

/** SQLite's error for a caller: an error with a code, or null when storage is not the cause. */
export function toStorageError(error: unknown, folder: string): StorageError | null {
  if (isStorageError(error)) return error;
  if (error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE') return storeClosed();
  switch (sqliteCode(error)) {
    case SQLITE.full:
      return diskFull(folder, error);
    case SQLITE.ioerr:
      return isDiskFull(folder) ? diskFull(folder, error) : unavailable(`The disk that holds ${folder} reports an error`, error);
    case SQLITE.busy:
    case SQLITE.locked:
      return unavailable(
        'The database is locked by another process. Close the program that holds it; writing resumes automatically',
        error,
      );
    case SQLITE.readonly:
      return unavailable(
        `The database in ${folder} cannot be written. Give the user that runs the server permission to write there`,
        error,
      );
    case SQLITE.cantopen:
      return unavailable(`The database in ${folder} cannot be opened. Check that the folder is there and readable`, error);
    case SQLITE.corrupt:
    case SQLITE.notadb:
      return unavailable(`The database in ${folder} is damaged. Stop the server and restore the file from a backup`, error);
    default:
      return null;
  }
}

/** The writer's lease ended, and another server may have written since. */
export function leaseLost(name: string): Error {
  return Object.assign(new Error(`Another instance holds the lease ${name}.`), { code: 'lease_lost' });
}

/** The store is closed. */
export function storeClosed(): StorageError {
  return storageError('storage_unavailable', 'The database is closed because the server is stopping.');
}

/** The disk is full. */
export function diskFull(folder: string, cause?: unknown): StorageError {
  return storageError('storage_full', `The disk that holds ${folder} is full. Free some space; writing resumes automatically.`, cause);
}

function unavailable(sentence: string, cause: unknown): StorageError {
  const detail = cause instanceof Error ? ` (${cause.message})` : '';
  return storageError('storage_unavailable', `${sentence}${detail}.`, cause);
}
