import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Encrypts values for the database with AES-256-GCM. What can go wrong:
 * - the key is another one (moved data folder, lost file): `open` returns null, and the caller says which value is lost;
 * - a row is copied to another name: `purpose` is authenticated, so it does not open there;
 * - the key is rotated: older keys still open, the first one seals, and `isCurrent` finds values to seal again.
 *
 * A sealed text is `v1.<key id>.<base64url of nonce, tag and ciphertext>`.
 */
export interface Sealer {
  /** @param purpose identifies the row, such as `secret:API_KEY`; the same one opens it */
  seal(text: string, purpose: string): string;
  /** Null: sealed with an unknown key, for another purpose, or damaged. */
  open(sealed: string, purpose: string): string | null;
  /** Whether it was sealed with the newest key. */
  isCurrent(sealed: string): boolean;
  /** Identifiers of its keys, which are in what they sealed; newest first. */
  readonly keyIds: readonly string[];
}

const FORMAT = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/** @param texts the keys, newest first: at least one, of at least 32 random characters each */
export function createSealer(texts: readonly [string, ...string[]]): Sealer {
  const [first, ...others] = texts;
  const newest = keyOf(first);
  const keys = new Map([...others.map(keyOf), newest].map((key) => [key.id, key]));
  return {
    seal(text, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, newest.bytes, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return [FORMAT, newest.id, Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')].join('.');
    },
    open(sealed, purpose) {
      const [format, id = '', body = ''] = sealed.split('.');
      const key = keys.get(id);
      const bytes = Buffer.from(body, 'base64url');
      if (format !== FORMAT || key === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
      const decipher = createDecipheriv(CIPHER, key.bytes, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(purpose));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
    isCurrent: (sealed) => sealed.startsWith(`${FORMAT}.${newest.id}.`),
    keyIds: [...new Set([newest.id, ...keys.keys()])],
  };
}

function keyOf(text: string): Key {
  const bytes = Buffer.from(hkdfSync('sha256', text, '', 'switchboard secrets', 32));
  return { bytes, id: createHash('sha256').update(bytes).digest('hex').slice(0, 8) };
}

/** Beside the database, mode 0600; one key per line, newest first. */
const FILE = 'secrets-key';
export const KEY_LEAST = 32;

type OpenSealer = { readonly ok: true; readonly sealer: Sealer } | { readonly ok: false; readonly reason: string };

/**
 * The sealer of this installation: the keys of SECRETS_KEY, else those of a generated file. With SECRETS_KEY the file's keys
 * still open values sealed before.
 */
export function openSealer(dataDir: string, configured: readonly string[]): OpenSealer {
  const file = path.join(dataDir, FILE);
  try {
    const kept = readKeys(file);
    const tooShort = kept.some((key) => key.length < KEY_LEAST);
    if (tooShort || (kept.length === 0 && existsSync(file)))
      return {
        ok: false,
        reason: `The key file ${file} is damaged: each line must be a key of at least ${KEY_LEAST} characters. Restore it from a backup; without it the stored secrets cannot be read. To start over, delete the file and set each secret again.`,
      };
    const [first, ...others] = [...configured, ...kept];
    return { ok: true, sealer: first === undefined ? createSealer([makeKey(file)]) : createSealer([first, ...others]) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `The key of the secrets (${file}) cannot be read or written: ${why}` };
  }
}

/** Written beside and renamed, so that a crash leaves no part of a key. The data folder has one owner. */
function makeKey(file: string): string {
  const made = randomBytes(32).toString('hex');
  const beside = `${file}.${process.pid}.tmp`;
  writeFileSync(beside, `${made}\n`, { mode: 0o600 });
  renameSync(beside, file);
  return made;
}

function readKeys(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
}
