import { AsyncLocalStorage } from 'node:async_hooks';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Member, Principal } from '#lib/access/principal.ts';
import type { Host } from './host.ts';

/**
 * What `app/` uses of the server in this process. Next bundles copies of what `app/` imports, so a module variable would exist
 * once per bundle: the host, the app of the API and the caller of a page are in slots of the global object.
 */
const HOST_SLOT: unique symbol = Symbol.for('switchboard.host');
const API_SLOT: unique symbol = Symbol.for('switchboard.api');
const PRINCIPAL_SLOT: unique symbol = Symbol.for('switchboard.principal');

type AnswerApi = (request: Request, incoming: IncomingMessage) => Promise<Response>;

const slots: typeof globalThis & {
  [HOST_SLOT]?: Host;
  [API_SLOT]?: AnswerApi;
  [PRINCIPAL_SLOT]?: AsyncLocalStorage<Principal>;
} = globalThis;

export function setCurrentHost(host: Host): void {
  slots[HOST_SLOT] = host;
}

/** For the page of an authenticated request: a request that reached Next without the server's checks gets no data. */
export function currentHost(): Host {
  const host = slots[HOST_SLOT];
  if (host === undefined || currentPrincipal() === null)
    throw new Error('No server has checked this request, so it gets no data. Try again; if it fails again, use `npm start`.');
  return host;
}

export function setCurrentApi(answer: AnswerApi): void {
  slots[API_SLOT] = answer;
}

/** Whether a server is open in this process, or being opened. */
export function isServing(): boolean {
  return slots[API_SLOT] !== undefined;
}

/** Answers by the app of this process; 503 without one. */
export async function answerByApi(request: Request): Promise<Response> {
  return slots[API_SLOT]?.(request, incomingOf(request)) ?? new Response(null, { status: 503 });
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

/** @param principal caller of the page that `answer` renders, authenticated before Next runs; clients cannot change it */
export function answerAs<Value>(principal: Principal, answer: () => Value): Value {
  return (slots[PRINCIPAL_SLOT] ??= new AsyncLocalStorage<Principal>()).run(principal, answer);
}

/** Null outside of an authenticated request. */
export function currentPrincipal(): Principal | null {
  return slots[PRINCIPAL_SLOT]?.getStore() ?? null;
}

/** Null for tokens, and without a signed-in member. */
export function currentMember(): Member | null {
  const principal = currentPrincipal();
  return principal?.kind === 'member' ? principal : null;
}
