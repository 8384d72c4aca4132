import { hkdfSync, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const FILE = 'auth-secret';
const LEAST = 32;

/**
 * Generated signing secret of a loopback server without AUTH_SECRET, stored beside the database with mode 0600. A missing or
 * truncated one is regenerated, which ends all sessions.
 */
export function readOrMakeSecret(dataDir: string): string {
  const file = path.join(dataDir, FILE);
  const kept = read(file);
  if (kept !== null && kept.length >= LEAST) return kept;
  const made = randomBytes(32).toString('hex');
  const beside = `${file}.${process.pid}.tmp`;
  writeFileSync(beside, `${made}\n`, { mode: 0o600 });
  renameSync(beside, file);
  return made;
}

/** Equal for equal secrets, and reveals nothing else. */
export function secretId(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', 'switchboard: identifier of AUTH_SECRET', 8)).toString('hex');
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
    if (code === 'ENOENT') return null;
    throw error;
  }
}
