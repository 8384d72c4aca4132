import { keyOf } from '#lib/access/actor-of.ts';
import type { Principal } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { ReadHeader } from './requester.ts';

/** What a key may be made of. */
export const IDEMPOTENCY_KEY = /^[!-~]+$/;

/** What an answer says that is the record of a call that had run before. */
export const REPLAYED = { 'idempotency-replayed': 'true' } as const;

/**
 * The key of a request that is to run once, null without one. A key is its sender's: nobody is answered what another's request
 * with the same key came to.
 */
export function readIdempotencyKey(principal: Principal, header: ReadHeader): Result<string | null> {
  const key = header('idempotency-key') ?? null;
  if (key === null) return ok(null);
  const owner = keyOf(principal);
  if (key.length <= LIMITS.idempotencyKeyLength && IDEMPOTENCY_KEY.test(key)) return ok(owner === null ? key : `${owner} ${key}`);
  return refuse(
    'request_malformed',
    `The header Idempotency-Key does not fit: 1 to ${LIMITS.idempotencyKeyLength} visible ASCII characters without spaces, such as a UUID, given once.`,
  );
}
