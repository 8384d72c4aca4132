import { isUtf8 } from 'node:buffer';
import { actorNameOf, memberIdOf } from '#lib/access/actor-of.ts';
import type { Principal } from '#lib/access/principal.ts';
import type { CallSource } from '#lib/contract/call.ts';
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
