import { createHash } from 'node:crypto';

/** For split groups: the fingerprint with the exact message. */
export function exactFingerprint(fingerprint: string, message: string): string {
  return `${fingerprint}-${createHash('sha256').update(message).digest('hex').slice(0, 16)}`;
}
