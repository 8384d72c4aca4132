import { isUtf8 } from 'node:buffer';
import { actorNameOf, keyOf, memberIdOf } from '#lib/access/actor-of.ts';
import type { Principal } from '#lib/access/principal.ts';
import type { CallSource } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { Actor } from '#lib/host/host.ts';

/** Actor and client as sent by the client: labels for the history, never permissions. */
export interface Requester {
  readonly actor: Actor;
  readonly source: CallSource;
}

export type ReadHeader = (name: string) => string | null | undefined;

const ACTOR_BYTES = 256;
const CONTROL = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u;

/** With accounts the signed-in member; names sent by the client are ignored. */
export function requesterFor(principal: Principal, header: ReadHeader): Result<Requester> {
  const name = actorNameOf(principal);
  const member = memberIdOf(principal);
  const requester = name === null ? readRequester(header) : ok({ actor: { name }, source: readSource(header) });
  if (!requester.ok || member === null) return requester;
  return ok({ ...requester.value, actor: { ...requester.value.actor, member } });
}

/** From `x-actor` (a name, percent-encoded outside ASCII) and `x-switchboard-client` (`web` or `cli`). */
export function readRequester(header: ReadHeader): Result<Requester> {
  const given = header('x-actor')?.trim() ?? '';
  const name = given === '' ? null : decodeName(given);
  if (given !== '' && (name === null || Buffer.byteLength(name) > ACTOR_BYTES || CONTROL.test(name)))
    return refuse(
      'request_malformed',
      `The header x-actor is invalid: it must be a name of at most ${ACTOR_BYTES} bytes, without control characters, percent-encoded as UTF-8.`,
    );
  return ok({ actor: { name }, source: readSource(header) });
}

/** Headers arrive as one character per byte; raw UTF-8 is decoded. */
function decodeName(given: string): string | null {
  const bytes = Buffer.from(given, 'latin1');
  if (!isUtf8(bytes)) return null;
  const text = bytes.toString('utf8');
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** `web` is accepted only if the browser confirms that the page is ours. */
function readSource(header: ReadHeader): CallSource {
  const client = header('x-switchboard-client');
  if (client === 'web' && header('sec-fetch-site') === 'same-origin') return 'web';
  return client === 'cli' ? 'cli' : 'api';
}

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
