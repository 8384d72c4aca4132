import { createHash, randomBytes } from 'node:crypto';
import { PAGES } from '#lib/contract/paths.ts';

/** Of a link to join: 256 random bits, of which the database keeps only what they hash to. */
export function makeJoinSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashJoinSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The secret stands behind `#`: browsers do not send it, so no log on the way has it. */
export function joinLink(origin: string, secret: string): string {
  return `${origin}${PAGES.join}#${secret}`;
}
