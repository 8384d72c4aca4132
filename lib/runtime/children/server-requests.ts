import { setTimeout as sleep } from 'node:timers/promises';
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, SdkError, SdkErrorCode, UriTemplate } from '@modelcontextprotocol/client';
import { LIMITS } from '#lib/contract/limits.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import type { Client } from '@modelcontextprotocol/client';
import type { AskKind, ClientAsk } from '#lib/contract/client-asks.ts';
import { SERVER_REQUESTS } from '#lib/contract/server-features.ts';
import type { ServerError, ServerRequestMethod } from '#lib/contract/server-features.ts';
import { isRecord } from '../frames.ts';
import { originalAnswer } from './lenient-transport.ts';
import { metaOf } from './server-calls.ts';
import type { CallAbout } from './server-calls.ts';
import { explainServerError, isCallBroken, isConnectionLost } from './server-errors.ts';
import { truncateMessage } from './thrown.ts';
import { toJsonText, toNotedJsonText } from './to-json.ts';
import type { HostLink } from './host-link.ts';
import type { ServerConnection } from './server-connection.ts';
import type { ServerSubscriptions } from './server-subscriptions.ts';

/** Passes requests about resources, prompts and completion to the server, and its answers or errors to the host. */
export interface ServerRequests {
  run(id: number, method: ServerRequestMethod, paramsText: string, from?: Pick<CallAbout, 'asks' | 'member'>): Promise<void>;
  abort(id: number): void;
  /** The server has asked something, and has the answer. */
  asked(method: ClientAsk['method']): void;
  /** Ids of the running reads, prompts and changes of roots, during which a server may ask their caller. */
  asking(): readonly number[];
}

export interface ServerRequestsOptions {
  readonly link: HostLink;
  /** The connection with the sign-in of a member. Rejects with the reason if there is none. */
  connectionOf(member: string | undefined): Promise<ServerConnection>;
  readonly subscriptions: ServerSubscriptions;
  readonly url: string | null;
  readonly maxResultBytes: number;
  /** The server's own name of a prompt; undefined for an unknown one. */
  remotePrompt(name: string): string | undefined;
  onLost(how: string, member: string | undefined): void;
}

type Params = Readonly<Record<string, unknown>>;

interface Running {
  readonly method: ServerRequestMethod;
  readonly controller: AbortController;
}

const MAY_ASK: ReadonlySet<ServerRequestMethod> = new Set(['resources/read', 'prompts/get', 'notifications/roots/list_changed']);
/** A server that wants the new roots asks at once. */
const ROOTS_MS = 1_000;

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;
const REFUSED = -32_000;
const DATA_BYTES = 65_536;

export function createServerRequests(options: ServerRequestsOptions): ServerRequests {
  const { link, connectionOf, subscriptions, url, maxResultBytes, onLost } = options;
  const running = new Map<number, Running>();
  let rootsAsked: () => void = () => undefined;

  const fail = (id: number, error: ServerError): void => link.send({ type: 'answer', id, ok: false }, JSON.stringify(error));

  const ask = async (
    connection: ServerConnection,
    method: ServerRequestMethod,
    params: Params,
    asks: readonly AskKind[],
    signal: AbortSignal,
  ): Promise<Params> => {
    // The host enforces the timeout, and aborts.
    const limits = { signal, timeout: LIMITS.callTimeoutMostMs };
    switch (method) {
      case 'resources/read': {
        const { variables, uri, ...rest } = SERVER_REQUESTS[method].parse(params);
        const request = { ...rest, uri: variables === undefined ? uri : new UriTemplate(uri).expand(variables) };
        const read = (client: Client): Promise<object> =>
          client.readResource(withAsks(client, request, asks), { ...limits, cacheMode: 'bypass' });
        return originalAnswer(await connection.use(read, signal));
      }
      case 'prompts/get': {
        const request = SERVER_REQUESTS[method].parse(params);
        return originalAnswer(await connection.use((client) => client.getPrompt(withAsks(client, request, asks), limits), signal));
      }
      case 'completion/complete': {
        const request = SERVER_REQUESTS[method].parse(params);
        return originalAnswer(await connection.use((client) => client.complete(request, limits), signal));
      }
      case 'resources/subscribe':
        await subscriptions.add(SERVER_REQUESTS[method].parse(params).uri);
        return {};
      case 'resources/unsubscribe':
        await subscriptions.delete(SERVER_REQUESTS[method].parse(params).uri);
        return {};
      case 'notifications/roots/list_changed': {
        // The stateless protocol asks with each call.
        if (connection.client.getProtocolEra() === 'modern') return {};
        const { promise: asked, resolve } = Promise.withResolvers<void>();
        rootsAsked = resolve;
        await connection.use((client) => client.sendRootsListChanged(), signal);
        await Promise.race([asked, sleep(ROOTS_MS, undefined, { ref: false, signal })]);
        return {};
      }
    }
  };

  return {
    async run(id, method, paramsText, { asks = [], member } = {}) {
      const params: unknown = parseExactJson(paramsText);
      const sent = isRecord(params) ? withRemoteNames(method, params, options.remotePrompt) : null;
      if (sent === null) return fail(id, { code: INVALID_PARAMS, message: 'The server no longer offers this prompt.' });
      const controller = new AbortController();
      running.set(id, { method, controller });
      try {
        const json = toJsonText(await ask(await connectionOf(member), method, sent, asks, controller.signal), maxResultBytes, 'digits');
        if (!running.has(id)) return;
        if (json.ok) link.send({ type: 'answer', id, ok: true }, json.text);
        else fail(id, { code: INTERNAL_ERROR, message: json.message });
      } catch (error) {
        // This process ends with the connection, and the host then answers for it.
        if (!running.has(id) || (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)) return;
        fail(id, errorOf(error, url));
        if (isConnectionLost(error)) onLost(explainServerError(error, url), member);
      } finally {
        running.delete(id);
      }
    },
    abort(id) {
      const known = running.get(id);
      running.delete(id);
      known?.controller.abort(new DOMException('This request was abandoned', 'AbortError'));
    },
    asked(method) {
      if (method === 'roots/list') rootsAsked();
    },
    asking: () => [...running].flatMap(([id, { method }]) => (MAY_ASK.has(method) ? [id] : [])),
  };
}

function withAsks<Request extends { _meta?: Record<string, unknown> }>(
  client: Client,
  request: Request,
  asks: readonly AskKind[],
): Request {
  const { _meta } = metaOf(client, { asks });
  return _meta === undefined ? request : { ...request, _meta: { ...request._meta, ..._meta } };
}

/** Null if it names an unknown prompt. */
function withRemoteNames(method: ServerRequestMethod, params: Params, remotePrompt: ServerRequestsOptions['remotePrompt']): Params | null {
  const { name, ref } = params;
  if (method === 'prompts/get') {
    const remote = remotePrompt(String(name));
    return remote === undefined ? null : { ...params, name: remote };
  }
  if (method !== 'completion/complete' || !isRecord(ref) || ref['type'] !== 'ref/prompt') return params;
  const remote = remotePrompt(String(ref['name']));
  return remote === undefined ? null : { ...params, ref: { ...ref, name: remote } };
}

function errorOf(error: unknown, url: string | null): ServerError {
  if (!(error instanceof ProtocolError) || isCallBroken(error))
    return { code: REFUSED, message: explainServerError(error, url), ...(isConnectionLost(error) ? { away: true } : {}) };
  const kept = error.data === undefined ? null : toNotedJsonText(error.data, DATA_BYTES, 'digits');
  // The official client gives an unknown resource the code of the stateless protocol.
  const code = error instanceof ResourceNotFoundError ? ProtocolErrorCode.ResourceNotFound : error.code;
  return { code, message: truncateMessage(error.message), ...(kept?.ok === true ? { data: parseExactJson(kept.text) } : {}) };
}
