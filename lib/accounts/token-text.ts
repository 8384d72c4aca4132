import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The text of a token: `swb_`, 40 random letters and digits (238 bits), and 6 more that are their CRC-32. By its beginning and
 * its checksum a scanner of secrets tells it from any other text without asking this server, and a mistyped one is refused
 * without a look into the database. It is kept as its SHA-256 alone: 238 random bits need no slow hash.
 */
const PREFIX = 'swb_';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = PREFIX.length + 6;
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Bytes from here on are thrown away, so that every letter is as likely as the others. */
const UNBIASED = 256 - (256 % LETTERS.length);
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

export function makeTokenText(random: (count: number) => Uint8Array = randomBytes): string {
  let letters = '';
  while (letters.length < RANDOM_LENGTH) {
    for (const byte of random(RANDOM_LENGTH)) {
      if (byte < UNBIASED && letters.length < RANDOM_LENGTH) letters += LETTERS.charAt(byte % LETTERS.length);
    }
  }
  return PREFIX + letters + checksumOf(letters);
}

/** Whether it could have been made here. */
export function isTokenText(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const letters = text.slice(PREFIX.length, PREFIX.length + RANDOM_LENGTH);
  return checksumOf(letters) === text.slice(PREFIX.length + RANDOM_LENGTH);
}

/** What is kept of it. */
export function hashToken(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What people are shown of it afterwards: too little to guess the rest. */
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
