import type { ServerResponse } from 'node:http';
import { LIMITS } from '#lib/contract/limits.ts';
import { authorize } from '#lib/access/authorize.ts';
import { actorNameOf, keyOf, LOCAL_MEMBER, memberIdOf } from '#lib/access/actor-of.ts';
import type { Principal } from '#lib/access/principal.ts';
import { type Action, ACTIONS } from '#lib/contract/actions.ts';
import { MCP_PATH } from '#lib/contract/paths.ts';
import { jsonText, FULL_SCOPE } from '#lib/contract/mcp-exchange.ts';
import type { McpAnswer, McpCaller, McpEndpoint, McpExchange, McpHeaders, McpScope } from '#lib/contract/mcp-exchange.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import { ShortLivedSet } from '#lib/memory/short-lived.ts';
import type { Authentication } from '../middleware/authentication.ts';
import { type EventStreams, STREAM_HEADERS } from './event-streams.ts';
import { answer, answerJson, drainBody, methodRefusal } from '../answer.ts';
import type { RequestAudit } from '../middleware/audit.ts';
import { parseJsonBody } from '../middleware/json-body.ts';
import type { CallerLimits } from '../middleware/limits.ts';
import { readBody, searchOf } from '../middleware/validation.ts';
import { type ApiRequest, headerOf, type RequestHead } from '../request.ts';
import type { Answer } from '../route.ts';

/**
 * Connections of `/mcp`: the endpoint's answers as responses. What can go wrong:
 * - an answer takes so long that a proxy could close the connection: it becomes a stream with comments;
 * - a reader is slow: earlier notifications are dropped, the answer never; a long-lived stream is cut;
 * - a client disconnects: the request is notified, so that the protocol may cancel its call;
 * - open streams pile up: they count toward the limits of event streams, and end with the server;
 * - a request outlives its permission: it is cut when its session or token becomes invalid.
 */
export type McpConnections = ReturnType<typeof createMcpConnections>;

export interface McpConnectionsOptions {
  readonly endpoint: McpEndpoint;
  readonly streams: EventStreams;
  readonly authentication: Authentication;
  readonly takeCalls: CallerLimits['takeCalls'];
  readonly audit: RequestAudit;
  readonly heartbeatMs?: number;
}

export function createMcpConnections(options: McpConnectionsOptions) {
  const { endpoint, streams, authentication, heartbeatMs = LIMITS.eventHeartbeatMs } = options;
  const waiting = new ShortLivedSet<{ readonly principal: Principal; readonly connection: Connection }>();
  const heart = setInterval(() => {
    for (const { connection } of waiting) connection.beat();
  }, heartbeatMs);
  heart.unref();

  const headersOf = (request: RequestHead, principal: Principal, scope: McpScope): McpHeaders => ({
    caller: callerOf(principal, scope),
    audit: (...what) => options.audit(request, principal, ...what),
    header: (name) => headerOf(request, name),
    authorize: async (action, resource) =>
      isWithin(scope, action)
        ? authentication.admit(request, action, resource)
        : refuse('not_allowed', `${ACTIONS[action]} is not part of a toolset. Connect to ${MCP_PATH} for it.`),
  });

  return {
    /** @param toolset of the address; null without one */
    async answer(context: ApiRequest['context'], principal: Principal, toolset: string | null): Promise<Answer> {
      const { incoming, outgoing } = context.env;
      const scope = readScope(incoming, toolset);
      if (!scope.ok) return scope;
      const headers = headersOf(incoming, principal, scope.value);
      const connect = (): Connection => {
        const connection = createConnection(headers, outgoing, (end) => streams.take(principal, end));
        outgoing.once('close', waiting.add({ principal, connection }));
        return connection;
      };
      if (incoming.method === 'POST') {
        const accepted = checkAccept(incoming, ['application/json', 'text/event-stream']);
        if (!accepted.ok) return accepted;
        const bytes = await readBody(incoming);
        const body = bytes.ok ? parseJsonBody(bytes.value) : bytes;
        // The first message of a batch was counted with the request.
        const more = body.ok && Array.isArray(body.value) ? options.takeCalls(incoming, principal, body.value.length - 1) : null;
        if (more?.ok === false) return more;
        const { exchange, send, response } = connect();
        const sent = send(endpoint.post(exchange, body));
        context.set('sent', bytes.ok ? sent : sent.then(() => drainBody(incoming)));
        return response;
      }
      if (incoming.method === 'DELETE') {
        const ended = await endpoint.delete(headers);
        return ended.ok ? answer(204, null) : ended;
      }
      if (incoming.method !== 'GET') return { ok: false, problem: methodRefusal(incoming.method, ['DELETE', 'GET', 'POST']) };
      const accepted = checkAccept(incoming, ['text/event-stream'], false);
      if (!accepted.ok) return accepted;
      const { exchange, send, response } = connect();
      const opened = await endpoint.get(exchange);
      if (!opened.ok) return opened;
      void send(Promise.resolve(opened.value));
      return response;
    },
    endOf(is: (principal: Principal) => boolean): void {
      for (const { principal, connection } of waiting) if (is(principal)) connection.end();
    },
    close(): void {
      clearInterval(heart);
      endpoint.close();
    },
  };
}

/** A single key without accounts. */
const ANYBODY: McpCaller = { key: null, actor: null, member: LOCAL_MEMBER, tools: null, scope: FULL_SCOPE, may: () => true };

function callerOf(principal: Principal, scope: McpScope): McpCaller {
  if (principal.kind === 'local') return scope === FULL_SCOPE ? ANYBODY : { ...ANYBODY, scope, may: (action) => isWithin(scope, action) };
  return {
    scope,
    key: keyOf(principal),
    actor: actorNameOf(principal),
    member: memberIdOf(principal) ?? undefined,
    tools: principal.kind === 'token' ? principal.tools : null,
    may: (action, resource) => isWithin(scope, action) && authorize(principal, action, resource).allowed,
  };
}

/** A toolset offers tools and nothing else. */
const OF_TOOLSETS: ReadonlySet<Action> = new Set(['mcp.connect', 'events.read', 'tools.read', 'tools.call']);

function isWithin({ toolset }: McpScope, action: Action): boolean {
  return toolset === null || OF_TOOLSETS.has(action);
}

function readScope(request: RequestHead, toolset: string | null): Result<McpScope> {
  const mode = new URLSearchParams(searchOf(request)).get('mode');
  if (mode === null) return ok(toolset === null ? FULL_SCOPE : { toolset, isSearch: false });
  return mode === 'search' ? ok({ toolset, isSearch: true }) : refuse('query_invalid', '`mode` must be "search", or be left out.');
}

const ENCODER = new TextEncoder();
const BEAT = ENCODER.encode(':\n\n');

interface Connection {
  readonly exchange: McpExchange;
  readonly response: Promise<Response>;
  /** Resolves when the answer is sent; for a long-lived stream immediately. */
  send(answering: Promise<McpAnswer>): Promise<void>;
  beat(): void;
  /** Ends a long-lived stream, and aborts other answers. */
  end(): void;
}

function createConnection(headers: McpHeaders, outgoing: ServerResponse, take: (end: () => void) => Result<() => void>): Connection {
  const listeners: (() => void)[] = [];
  const { promise: response, resolve, reject } = Promise.withResolvers<Response>();
  let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
  let isKept = false;
  let isClosed = false;
  let isSending = false;
  let isOld = false;
  const close = (): void => {
    isClosed = true;
    for (const listener of listeners.splice(0)) listener();
  };
  const isBehind = (): boolean => outgoing.destroyed || (stream?.desiredSize ?? 0) < 0;
  const begin = (): void => {
    if (stream !== null) return;
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          stream = controller;
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: LIMITS.eventStreamBehindBytes }),
    );
    resolve(answer(200, body, STREAM_HEADERS));
  };
  const write = (part: Uint8Array): void => {
    if (isKept && isBehind()) outgoing.destroy();
    if (!outgoing.destroyed) stream?.enqueue(part);
  };
  const endStream = (): void => {
    if (!outgoing.destroyed) stream?.close();
  };
  const sendStream = async (body: ReadableStream<Uint8Array> | null): Promise<void> => {
    begin();
    // A closed connection does not cancel it: the endpoint decides what that ends.
    for await (const part of body ?? []) write(part);
    endStream();
  };
  outgoing.once('close', close);

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
    response,
    async send(answering) {
      try {
        const given = await answering;
        isSending = true;
        if (given instanceof Response && given.headers.get('content-type') === 'text/event-stream') {
          const sent = sendStream(given.body);
          return isKept ? undefined : await sent;
        }
        const {
          status,
          json,
          headers: more,
        } = given instanceof Response ? { status: given.status, json: await given.text(), headers: {} } : given;
        if (stream === null) {
          if (typeof json === 'string') return resolve(json === '' ? answer(status, null) : answerJson(status, json, more));
          const length = String(json.reduce((sum, part) => sum + part.length, 0));
          return resolve(
            answer(status, ReadableStream.from(json), { 'content-type': 'application/json', 'content-length': length, ...more }),
          );
        }
        write(ENCODER.encode(`event: message\ndata: ${jsonText({ json })}\n\n`));
        endStream();
      } catch (error) {
        if (stream !== null) outgoing.destroy();
        reject(error);
      }
    },
    beat() {
      if (isSending || outgoing.destroyed) return;
      if (isOld) {
        begin();
        write(BEAT);
      }
      isOld = true;
    },
    end: () => (isKept ? close() : void outgoing.destroy()),
  };
}

/** `*` counts only if any type is allowed: a browser that opens the URL must not hang in a stream. */
function checkAccept(request: RequestHead, needed: readonly string[], mayBeAny = true): Result<null> {
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
