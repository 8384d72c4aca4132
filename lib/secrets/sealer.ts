import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

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
