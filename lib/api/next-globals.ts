import { AsyncLocalStorage } from 'node:async_hooks';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Member, Principal } from '#lib/access/principal.ts';

/**
 * Next bundles copies of what `app/` imports, so a module variable would exist once per bundle. The app of the API is therefore
 * in a slot of the global object, set by the server.
 */
const API_SLOT: unique symbol = Symbol.for('switchboard.api');

type AnswerApi = (request: Request, incoming: IncomingMessage) => Promise<Response>;

const apiScope: typeof globalThis & { [API_SLOT]?: AnswerApi } = globalThis;

export function setCurrentApi(answer: AnswerApi): void {
  apiScope[API_SLOT] = answer;
}

/** Answers by the app of this process; 503 without one. */
export async function answerByApi(request: Request): Promise<Response> {
  return apiScope[API_SLOT]?.(request, incomingOf(request)) ?? new Response(null, { status: 503 });
}

/** As Node's server would have received it. */
function incomingOf({ method, url, headers, body }: Request): IncomingMessage {
  const { pathname, search } = new URL(url);
  const incoming = Object.assign(new IncomingMessage(new Socket()), { method, url: pathname + search, rawHeaders: [...headers].flat() });
  Object.assign(incoming.headers, Object.fromEntries(headers));
  const parts = Readable.from(body ?? []);
  incoming._read = () => void parts.resume();
  parts.on('data', (part: Uint8Array) => void (incoming.push(part) || parts.pause()));
  parts.on('end', () => void incoming.push(null));
  parts.on('error', (error) => incoming.destroy(error));
  incoming.on('close', () => parts.destroy());
  return incoming;
}

/** The caller of the page that Next renders, authenticated by the server before Next runs; clients cannot change it. */
const PRINCIPAL_SLOT: unique symbol = Symbol.for('switchboard.principal');

const scope: typeof globalThis & { [PRINCIPAL_SLOT]?: AsyncLocalStorage<Principal> } = globalThis;

export function answerAs<Value>(principal: Principal, answer: () => Value): Value {
  return storage().run(principal, answer);
}

/** Null outside of an authenticated request. */
export function currentPrincipal(): Principal | null {
  return storage().getStore() ?? null;
}

/** Null for tokens, and without a signed-in member. */
export function currentMember(): Member | null {
  const principal = currentPrincipal();
  return principal?.kind === 'member' ? principal : null;
}

function storage(): AsyncLocalStorage<Principal> {
  return (scope[PRINCIPAL_SLOT] ??= new AsyncLocalStorage<Principal>());
}
