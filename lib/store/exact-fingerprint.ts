import { createHash } from 'node:crypto';

/** For faults that were split: the same fingerprint and, word by word, the same message. */
export function exactFingerprint(fingerprint: string, message: string): string {
  return `${fingerprint}-${createHash('sha256').update(message).digest('hex').slice(0, 16)}`;
}
