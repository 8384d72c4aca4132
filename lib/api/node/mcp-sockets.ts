import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '#lib/contract/limits.ts';
import { authorize } from '#lib/access/authorize.ts';
import { actorNameOf, keyOf } from '#lib/access/actor-of.ts';
import type { Principal } from '#lib/access/principal.ts';
import type { McpCaller, McpEndpoint, McpHeaders, McpPost, McpStream, McpText } from '#lib/contract/mcp-exchange.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import { ShortLivedSet } from '#lib/memory/short-lived.ts';
import type { Authentication } from '../middleware/authentication.ts';
import type { EventStreams } from './event-streams.ts';
import { STREAM_HEADERS } from './event-streams.ts';
import { parseJsonBody } from '../middleware/json-body.ts';
import { dropRest, sendProblem } from '../problem.ts';
import { readBody } from '../middleware/validation.ts';
import { API_HEADERS } from '../security-headers.ts';

/**
 * The sockets of `/mcp` (Streamable HTTP). What can go wrong:
 * - most calls say nothing before their answer, and then a stream would only cost: an answer is plain JSON until
 *   something is said before it, or until it takes so long that whoever stands between could think it dead;
 * - a reader is slow: of a request, what is said before its answer is dropped, the answer never; a kept stream is cut;
 * - a client goes away: the request is told, so that its call can be cancelled where the protocol has it so;
 * - kept streams pile up: they count with the event streams, and end with the server;
 * - what is under way outlives the right to it: it is cut when the session or the token that it came with counts no more.
 */
export interface McpSockets {
  answer(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void>;
  /** Ends what is open of those of whom this is true. */
  endOf(is: (principal: Principal) => boolean): void;
  close(): void;
}

export interface McpSocketsOptions {
  readonly endpoint: McpEndpoint;
  readonly streams: EventStreams;
  readonly authentication: Authentication;
  /** For a body with so many messages more than the one that was counted when the request came. */
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

  const headersOf = (request: IncomingMessage, principal: Principal): McpHeaders => ({
    caller: callerOf(principal),
    tell: (...what) => options.record(request, principal, ...what),
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    authorize: (action, resource) => authentication.admit(request, action, resource),
  });

  const post = async (request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void> => {
    const accepted = checkAccept(request, ['application/json', 'text/event-stream']);
    if (!accepted.ok) return sendProblem(request, response, accepted.problem);
    const read = await readBody(request);
    if (read === null) return;
    const body = read.ok ? parseJsonBody(read.value) : read;
    // Several messages in one body: the first was counted when the request came.
    const more = body.ok && Array.isArray(body.value) ? options.takeCalls(request, principal, body.value.length - 1) : null;
    if (more !== null && !more.ok) return sendProblem(request, response, more.problem);
    const exchange = createExchange(headersOf(request, principal), response, () => keep(response, principal));
    const one = { principal, beat: () => exchange.beat(), end: () => void response.destroy() };
    response.once('close', waiting.add(one));
    await endpoint.post(exchange, body);
    // What was too large is read to its end, so that the client sees the answer and not a reset connection.
    if (!read.ok) dropRest(request);
  };

  /** A stream that outlives its request: one of the event streams, which are counted together. */
  const keep = (response: ServerResponse, principal: Principal): Result<McpStream> => {
    const taken = streams.take(principal, () => void response.end());
    if (!taken.ok) return taken;
    if (!response.headersSent) response.writeHead(200, STREAM_HEADERS);
    response.flushHeaders();
    const one = { principal, beat: () => void response.write(BEAT), end: () => void response.end() };
    const leave = waiting.add(one);
    response.once('close', () => {
      leave();
      taken.value();
    });
    response.on('error', () => undefined);
    return ok({
      send(text) {
        if (response.destroyed || response.writableEnded) return;
        response.write(eventText(text));
        if (response.writableLength > LIMITS.eventStreamBehindBytes) response.destroy();
      },
      end: () => void response.end(),
      onEnd: (listener) => void response.once('close', listener),
    });
  };

  return {
    async answer(request, response, principal) {
      if (request.method === 'POST') return post(request, response, principal);
      if (request.method === 'DELETE') {
        const ended = endpoint.delete(headersOf(request, principal));
        if (!ended.ok) return sendProblem(request, response, ended.problem);
        response.writeHead(204, API_HEADERS);
        response.end();
        return;
      }
      if (request.method !== 'GET')
        return sendProblem(request, response, {
          code: 'method_not_allowed',
          detail: `${request.method ?? 'This method'} is not supported here; DELETE, GET, POST is.`,
          extra: { allow: ['DELETE', 'GET', 'POST'] },
        });
      const accepted = checkAccept(request, ['text/event-stream'], false);
      const opened = accepted.ok ? endpoint.get({ ...headersOf(request, principal), open: () => keep(response, principal) }) : accepted;
      if (!opened.ok) sendProblem(request, response, opened.problem);
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

/** One for all where there are no accounts. */
const ANYBODY: McpCaller = { key: null, actor: null, tools: null, may: () => true };

function callerOf(principal: Principal): McpCaller {
  if (principal.kind === 'local') return ANYBODY;
  return {
    key: keyOf(principal),
    actor: actorNameOf(principal),
    tools: principal.kind === 'token' ? principal.tools : null,
    may: (action, resource) => authorize(principal, action, resource).allowed,
  };
}

const BEAT = ':\n\n';
const COPIED_BYTES = 65_536;

function createExchange(headers: McpHeaders, response: ServerResponse, open: () => Result<McpStream>): McpPost & Pick<Waiting, 'beat'> {
  let isStream = false;
  let isDone = false;
  let isOld = false;
  const begin = (): void => {
    if (isStream) return;
    isStream = true;
    response.writeHead(200, STREAM_HEADERS);
  };
  const isOver = (): boolean => isDone || response.destroyed;

  return {
    ...headers,
    notify(text) {
      if (isOver() || response.writableLength > LIMITS.eventStreamBehindBytes) return;
      begin();
      response.write(eventText(text));
    },
    answer(status, text, headers = {}) {
      if (isOver()) return;
      isDone = true;
      if (isStream) {
        response.write('event: message\ndata: ');
        for (const part of text) response.write(part);
        response.end('\n\n');
        return;
      }
      sendJson(response, status, text, headers);
    },
    drop() {
      if (isOver()) return;
      begin();
      isDone = true;
      response.end();
    },
    accept() {
      if (isOver()) return;
      isDone = true;
      response.writeHead(202, API_HEADERS);
      response.end();
    },
    open() {
      if (isOver()) return refuse('shutting_down', 'The client has gone.');
      const opened = open();
      if (opened.ok) isDone = true;
      return opened;
    },
    onGone(listener) {
      response.once('close', () => {
        if (!isDone) listener();
      });
    },
    beat() {
      if (isOver()) return;
      if (isOld) begin();
      if (isStream) response.write(BEAT);
      isOld = true;
    },
  };
}

/** In one piece where that is cheap; a long text that many answers share is not copied. */
function sendJson(response: ServerResponse, status: number, text: McpText, headers: Readonly<Record<string, string>>): void {
  if (text.every((part) => typeof part === 'string')) {
    const whole = text.join('');
    response.writeHead(status, {
      ...API_HEADERS,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(whole),
      ...headers,
    });
    response.end(whole);
    return;
  }
  const parts = text.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  response.writeHead(status, { ...API_HEADERS, 'content-type': 'application/json', 'content-length': length, ...headers });
  if (length <= COPIED_BYTES) {
    response.end(Buffer.concat(parts, length));
    return;
  }
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
  response.uncork();
}

function eventText(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}

/** `*` counts only where anything may be answered: a browser that opens the address shall not hang in a stream. */
function checkAccept(request: IncomingMessage, needed: readonly string[], mayBeAny = true): Result<null> {
  const { accept } = request.headers;
  if (accept === undefined && mayBeAny) return ok(null);
  const types = new Set((accept ?? '').split(',').map((part) => part.split(';', 1)[0]?.trim().toLowerCase() ?? ''));
  const isAccepted = (type: string): boolean =>
    types.has(type) || (mayBeAny && (types.has('*/*') || types.has(`${type.split('/', 1)[0]}/*`)));
  if (needed.every(isAccepted)) return ok(null);
  return refuse(
    'not_acceptable',
    `This is the address by which agents use the tools (MCP). Send Accept: ${needed.join(', ')}; docs/mcp.md shows how to connect.`,
  );
}
