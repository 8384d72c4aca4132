import { createHash, randomBytes } from 'node:crypto';
import { PAGES } from '#lib/contract/paths.ts';

/** Secret of an invitation link: 256 random bits, stored as a hash. */
export function makeJoinSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashJoinSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The secret follows `#`, which browsers do not send, so no log contains it. */
export function joinLink(origin: string, secret: string): string {
  return `${origin}${PAGES.join}#${secret}`;
}
