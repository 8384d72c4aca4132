import { keyOf } from '#lib/access/actor-of.ts';
import type { Principal } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { ReadHeader } from './requester.ts';

/** Characters of a key. */
export const IDEMPOTENCY_KEY = /^[!-~]+$/;

/** Header of a response with the record of an earlier call. */
export const REPLAYED = { 'idempotency-replayed': 'true' } as const;

/**
 * The key of an idempotent request, null without one. Keys are scoped to their sender: nobody gets the result of another's
 * request.
 */
export function readIdempotencyKey(principal: Principal, header: ReadHeader): Result<string | null> {
  const key = header('idempotency-key') ?? null;
  if (key === null) return ok(null);
  const owner = keyOf(principal);
  if (key.length <= LIMITS.idempotencyKeyLength && IDEMPOTENCY_KEY.test(key)) return ok(owner === null ? key : `${owner} ${key}`);
  return refuse(
    'request_malformed',
    `The header Idempotency-Key is invalid: it must be 1 to ${LIMITS.idempotencyKeyLength} visible ASCII characters without spaces, such as a UUID, given once.`,
  );
}

/** An unclosed quote reaches to the end. */
const QUOTED = /"(?:[^"\\]|\\.)*(?:"|$)/g;

/**
 * Whether a `Prefer` header requests the running call instead of its end. By RFC 7240: preferences separated by commas, with a
 * value and parameters after semicolons; of duplicates the first counts.
 */
export function wantsAsync(prefer: string | null | undefined): boolean {
  const preferences = (prefer ?? '').replace(QUOTED, (text) => (text === '""' ? text : '"…"')).split(',');
  const sides = preferences.map((one) =>
    one
      .replace(/;.*/, '')
      .split('=')
      .map((side) => side.trim()),
  );
  const [, value = ''] = sides.find(([name]) => name?.toLowerCase() === 'respond-async') ?? [null, 'no'];
  return value === '' || value === '""';
}
