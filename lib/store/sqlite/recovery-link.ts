import { existsSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASE_NAME } from './backup-file.ts';

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
    return refuse(
      `The link could not be stored in ${file} (${error instanceof Error ? error.message : String(error)}). Check its permissions.`,
    );
  }
}

function refuse(reason: string): RecoveryOutcome {
  return { ok: false, reason };
}
