import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Token format: a prefix such as `swb_`, 40 random letters and digits (238 bits), and their CRC-32 in 6 more. Prefix and checksum let secret
 * scanners recognise it, and a mistyped token is rejected without a database lookup. Only its SHA-256 is stored: 238 random
 * bits need no slow hash.
 */
/** `swb`: made by hand; of OAuth `swc` for codes, `swo` for access tokens and `swr` for refresh tokens. */
export type TokenPrefix = 'swb' | 'swc' | 'swo' | 'swr';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = 10;
const START_LENGTH = 4;
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Larger bytes are discarded, so all letters are equally likely. */
const UNBIASED = 256 - (256 % LETTERS.length);
const SHAPE = new RegExp(`^sw[bcor]_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

export function makeTokenText(random: (count: number) => Uint8Array = randomBytes, prefix: TokenPrefix = 'swb'): string {
  let letters = '';
  while (letters.length < RANDOM_LENGTH) {
    for (const byte of random(RANDOM_LENGTH)) {
      if (byte < UNBIASED && letters.length < RANDOM_LENGTH) letters += LETTERS.charAt(byte % LETTERS.length);
    }
  }
  return `${prefix}_${letters}${checksumOf(letters)}`;
}

/** Whether format and checksum are valid. */
export function isTokenText(text: string, prefix: TokenPrefix = 'swb'): boolean {
  if (!SHAPE.test(text) || !text.startsWith(prefix)) return false;
  const letters = text.slice(START_LENGTH, START_LENGTH + RANDOM_LENGTH);
  return checksumOf(letters) === text.slice(START_LENGTH + RANDOM_LENGTH);
}

/** The stored hash. */
export function hashToken(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The displayed prefix. */
export function shownToken(text: string): string {
  return `${text.slice(0, SHOWN_LENGTH)}…`;
}

function checksumOf(letters: string): string {
  let rest = crc32(letters);
  let text = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    text = LETTERS.charAt(rest % LETTERS.length) + text;
    rest = Math.floor(rest / LETTERS.length);
  }
  return text;
}
