import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '#lib/contract/limits.ts';
import { authorize } from '#lib/access/authorize.ts';
import { actorNameOf, keyOf, LOCAL_MEMBER, memberIdOf } from '#lib/access/actor-of.ts';
import type { Principal } from '#lib/access/principal.ts';
import { ACTIONS } from '#lib/contract/actions.ts';
import type { Action } from '#lib/contract/actions.ts';
import { MCP_PATH } from '#lib/contract/paths.ts';
import { WHOLE_SCOPE } from '#lib/contract/mcp-exchange.ts';
import type { McpAnswer, McpCaller, McpEndpoint, McpExchange, McpHeaders, McpJson, McpScope } from '#lib/contract/mcp-exchange.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import { ShortLivedSet } from '#lib/memory/short-lived.ts';
import type { Authentication } from '../middleware/authentication.ts';
import type { EventStreams } from './event-streams.ts';
import { STREAM_HEADERS } from './event-streams.ts';
import { parseJsonBody } from '../middleware/json-body.ts';
import { dropRest, methodRefusal, sendProblem } from '../problem.ts';
import { readBody } from '../middleware/validation.ts';
import { API_HEADERS } from '../security-headers.ts';

/**
 * Sockets of `/mcp`: sends the endpoint's answers on Node responses. What can go wrong:
 * - an answer takes so long that a proxy could close the connection: it becomes a stream with comments;
 * - a reader is slow: earlier notifications are dropped, the answer never; a long-lived stream is cut;
 * - a client disconnects: the request is notified, so that the protocol may cancel its call;
 * - open streams pile up: they count toward the limits of event streams, and end with the server;
 * - a request outlives its permission: it is cut when its session or token becomes invalid.
 */
export interface McpSockets {
  /** @param toolset of the address; null without one */
  answer(request: IncomingMessage, response: ServerResponse, principal: Principal, toolset: string | null): Promise<void>;
  /** Closes matching sockets. */
  endOf(is: (principal: Principal) => boolean): void;
  close(): void;
}

export interface McpSocketsOptions {
  readonly endpoint: McpEndpoint;
  readonly streams: EventStreams;
  readonly authentication: Authentication;
  /** Counts further messages of a body; the first was counted with the request. */
  takeCalls(request: IncomingMessage, principal: Principal, count: number): Result<null>;
  /** Writes an audit entry. */
  record(request: IncomingMessage, principal: Principal, ...what: Parameters<McpHeaders['tell']>): void;
  readonly heartbeatMs?: number;
}

export function createMcpSockets(options: McpSocketsOptions): McpSockets {
  const { endpoint, streams, authentication, heartbeatMs = LIMITS.eventHeartbeatMs } = options;
  const waiting = new ShortLivedSet<Waiting>();
  const heart = setInterval(() => {
    for (const one of waiting) one.beat();
  }, heartbeatMs);
  heart.unref();

  const headersOf = (request: IncomingMessage, principal: Principal, scope: McpScope): McpHeaders => ({
    caller: callerOf(principal, scope),
    tell: (...what) => options.record(request, principal, ...what),
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    authorize: async (action, resource) =>
      isWithin(scope, action)
        ? authentication.admit(request, action, resource)
        : refuse('not_allowed', `${ACTIONS[action]} is not part of a toolset. Connect to ${MCP_PATH} for it.`),
  });

  const connect = (request: IncomingMessage, response: ServerResponse, principal: Principal, scope: McpScope): Connection => {
    const one = createConnection(headersOf(request, principal, scope), response, (end) => streams.take(principal, end));
    response.once('close', waiting.add({ principal, beat: one.beat, end: one.end }));
    return one;
  };

  const post = async (request: IncomingMessage, response: ServerResponse, principal: Principal, scope: McpScope): Promise<void> => {
    const accepted = checkAccept(request, ['application/json', 'text/event-stream']);
    if (!accepted.ok) return sendProblem(request, response, accepted.problem);
    const read = await readBody(request);
    if (read === null) return;
    const body = read.ok ? parseJsonBody(read.value) : read;
    // The first message of a batch was counted with the request.
    const more = body.ok && Array.isArray(body.value) ? options.takeCalls(request, principal, body.value.length - 1) : null;
    if (more !== null && !more.ok) return sendProblem(request, response, more.problem);
    const connection = connect(request, response, principal, scope);
    await connection.send(await endpoint.post(connection.exchange, body));
    // A too large body is read to its end, so that the client gets the response and not a connection reset.
    if (!read.ok) dropRest(request);
  };

  return {
    async answer(request, response, principal, toolset) {
      const read = readScope(request, toolset);
      if (!read.ok) return sendProblem(request, response, read.problem);
      const scope = read.value;
      if (request.method === 'POST') return post(request, response, principal, scope);
      if (request.method === 'DELETE') {
        const ended = await endpoint.delete(headersOf(request, principal, scope));
        if (!ended.ok) return sendProblem(request, response, ended.problem);
        response.writeHead(204, API_HEADERS);
        response.end();
        return;
      }
      if (request.method !== 'GET') return sendProblem(request, response, methodRefusal(request.method, ['DELETE', 'GET', 'POST']));
      const accepted = checkAccept(request, ['text/event-stream'], false);
      if (!accepted.ok) return sendProblem(request, response, accepted.problem);
      const connection = connect(request, response, principal, scope);
      const opened = await endpoint.get(connection.exchange);
      if (!opened.ok) return sendProblem(request, response, opened.problem);
      await connection.send(opened.value);
    },
    endOf(is) {
      for (const one of waiting) if (is(one.principal)) one.end();
    },
    close() {
      clearInterval(heart);
      endpoint.close();
    },
  };
}

interface Waiting {
  readonly principal: Principal;
  beat(): void;
  end(): void;
}

/** A single key without accounts. */
const ANYBODY: McpCaller = { key: null, actor: null, member: LOCAL_MEMBER, tools: null, scope: WHOLE_SCOPE, may: () => true };

function callerOf(principal: Principal, scope: McpScope): McpCaller {
  if (principal.kind === 'local') return scope === WHOLE_SCOPE ? ANYBODY : { ...ANYBODY, scope, may: (action) => isWithin(scope, action) };
  return {
    scope,
    key: keyOf(principal),
    actor: actorNameOf(principal),
    ...withMember(principal),
    tools: principal.kind === 'token' ? principal.tools : null,
    may: (action, resource) => isWithin(scope, action) && authorize(principal, action, resource).allowed,
  };
}

function withMember(principal: Principal): Pick<McpCaller, 'member'> {
  const member = memberIdOf(principal);
  return member === null ? {} : { member };
}

/** A toolset offers tools and nothing else. */
const OF_TOOLSETS: ReadonlySet<Action> = new Set(['mcp.connect', 'events.read', 'tools.read', 'tools.call']);

function isWithin({ toolset }: McpScope, action: Action): boolean {
  return toolset === null || OF_TOOLSETS.has(action);
}

function readScope({ url = '' }: IncomingMessage, toolset: string | null): Result<McpScope> {
  const question = url.indexOf('?');
  const mode = question === -1 ? null : new URLSearchParams(url.slice(question)).get('mode');
  if (mode === null) return ok(toolset === null ? WHOLE_SCOPE : { toolset, isSearch: false });
  return mode === 'search' ? ok({ toolset, isSearch: true }) : refuse('query_invalid', '`mode` must be "search", or be left out.');
}

const BEAT = ':\n\n';

interface Connection {
  readonly exchange: McpExchange;
  /** Resolves when the answer is sent; for a long-lived stream immediately. */
  send(answer: McpAnswer): Promise<void>;
  beat(): void;
  /** Ends a long-lived stream, and aborts other answers. */
  end(): void;
}

function createConnection(headers: McpHeaders, response: ServerResponse, take: (end: () => void) => Result<() => void>): Connection {
  const listeners: (() => void)[] = [];
  let isKept = false;
  let isClosed = false;
  let isSending = false;
  let isOld = false;
  const close = (): void => {
    isClosed = true;
    for (const listener of listeners.splice(0)) listener();
  };
  const isBehind = (): boolean => response.destroyed || response.writableLength > LIMITS.eventStreamBehindBytes;
  const begin = (): void => {
    if (!response.headersSent) response.writeHead(200, STREAM_HEADERS).flushHeaders();
  };
  response.once('close', close);
  response.on('error', () => undefined);

  const sendStream = async (body: ReadableStream<Uint8Array> | null): Promise<void> => {
    begin();
    // Not cancelled here: the endpoint decides what a closed connection ends.
    for await (const part of body?.values({ preventCancel: true }) ?? []) {
      if (isKept && isBehind()) response.destroy();
      if (!response.destroyed) response.write(part);
    }
    response.end();
  };

  return {
    exchange: {
      ...headers,
      onClose: (listener) => (isClosed ? listener() : void listeners.push(listener)),
      isBehind,
      keepOpen() {
        const taken = take(close);
        if (!taken.ok) return taken;
        isKept = true;
        listeners.push(taken.value);
        return ok(null);
      },
    },
    async send(answer) {
      isSending = true;
      if (response.destroyed) return;
      if (answer instanceof Response) {
        if (answer.headers.get('content-type') === 'text/event-stream') {
          const sent = sendStream(answer.body);
          return isKept ? undefined : sent;
        }
        const { status } = answer;
        if (status !== 202) return sendJson(response, { status, json: [await answer.bytes()] });
        response.writeHead(status, API_HEADERS).end();
        return;
      }
      if (!response.headersSent) return sendJson(response, answer);
      response.write('event: message\ndata: ');
      for (const part of answer.json) response.write(part);
      response.end('\n\n');
    },
    beat() {
      if (isSending || response.destroyed) return;
      if (isOld) {
        begin();
        response.write(BEAT);
      }
      isOld = true;
    },
    end: () => (isKept ? close() : void response.destroy()),
  };
}

/** One write for small texts; a long text shared by many answers is not copied. */
function sendJson(response: ServerResponse, { status, json, headers }: McpJson): void {
  const isText = json.every((part) => typeof part === 'string');
  const parts = isText ? [json.join('')] : json;
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  response.writeHead(status, { ...API_HEADERS, 'content-type': 'application/json', 'content-length': length, ...headers });
  response.cork();
  for (const part of parts.slice(0, -1)) response.write(part);
  response.end(parts.at(-1));
  response.uncork();
}

/** `*` counts only if any type is allowed: a browser that opens the URL must not hang in a stream. */
function checkAccept(request: IncomingMessage, needed: readonly string[], mayBeAny = true): Result<null> {
  const { accept } = request.headers;
  if (accept === undefined && mayBeAny) return ok(null);
  const types = new Set((accept ?? '').split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase() ?? ''));
  const isAccepted = (type: string): boolean =>
    types.has(type) || (mayBeAny && (types.has('*/*') || types.has(`${type.split('/', 1)[0]}/*`)));
  if (needed.every(isAccepted)) return ok(null);
  return refuse(
    'not_acceptable',
    `This is the MCP endpoint for agents. Send Accept: ${needed.join(', ')}; docs/mcp.md shows how to connect.`,
  );
}
