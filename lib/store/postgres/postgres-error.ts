import { storageError, isStorageError } from '../storage-error.ts';
import type { StorageError } from '../store.ts';

/** Errors of PostgreSQL by SQLSTATE (appendix A of its manual), and of the connection to it. */

const SERIALIZATION = new Set(['40001', '40P01']);
const FULL = new Set(['53100']);
const TOO_MANY = '53300';
/** The server ends connections, or does not accept them yet. */
const AWAY = new Set(['57P01', '57P02', '57P03', '57P05']);
const REFUSALS: Readonly<Record<string, string>> = {
  '28P01': 'The database refuses the password in DATABASE_URL. Correct it',
  '28000':
    'The database refuses the user in DATABASE_URL, or a connection without TLS. Check pg_hba.conf; for TLS add ?sslmode=verify-full',
  '3D000': 'The database named in DATABASE_URL does not exist. Create it with createdb, or correct its name',
  '42501': 'The user in DATABASE_URL may not do this. Grant it the rights of an owner of the database',
};

/** A conflict with another transaction; a retry may succeed. */
export function isSerializationFailure(error: unknown): boolean {
  return SERIALIZATION.has(stateOf(error) ?? '');
}

export function isOutOfConnections(error: unknown): boolean {
  return stateOf(error) === TOO_MANY;
}

/** The connection is lost or was never opened: the outcome of a running commit is unknown. */
export function isConnectionLost(error: unknown): boolean {
  const state = stateOf(error);
  if (state !== null) return AWAY.has(state) || state.startsWith('08');
  return error instanceof Error && (isSystemError(error) || /connection|timeout exceeded when trying to connect/i.test(error.message));
}

/** For a caller; null when the database is not the cause. */
export function toPostgresError(error: unknown, place: string): StorageError | null {
  if (isStorageError(error)) return error;
  const state = stateOf(error);
  const unavailable = (sentence: string): StorageError =>
    storageError('storage_unavailable', `${sentence} (${error instanceof Error ? error.message : String(error)}).`, error);
  if (state !== null && FULL.has(state))
    return storageError(
      'storage_full',
      `The disk of the database at ${place} is full. Free some space there; writing resumes automatically.`,
      error,
    );
  if (state !== null && REFUSALS[state] !== undefined) return unavailable(REFUSALS[state]);
  switch (state) {
    case TOO_MANY:
      return unavailable(`The database at ${place} has no free connection. Raise its max_connections, or lower DATABASE_POOL`);
    case '53200':
    case '54000':
      return unavailable(`The database at ${place} has no resources left for this`);
    case '25006':
      return unavailable(`The database at ${place} is read-only, as a standby or during recovery. Point DATABASE_URL at the primary`);
    case '57014':
      return unavailable(`The database at ${place} took longer than DATABASE_STATEMENT_SECONDS for one statement`);
    case '40001':
    case '40P01':
      return unavailable(`The database at ${place} had too many transactions in the way. Try again`);
    default:
      return isConnectionLost(error) ? unavailable(`The database at ${place} does not answer`) : null;
  }
}

function stateOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return /^[0-9A-Z]{5}$/.test(error.code) ? error.code : null;
}

function isSystemError(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && /^E[A-Z]+$|^ERR_/.test(error.code);
}
