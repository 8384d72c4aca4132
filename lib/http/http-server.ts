import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Principal } from '#lib/access/principal.ts';
import type { EndedAccess } from '#lib/accounts/accounts.ts';
import { PROBLEMS } from '#lib/contract/problems.ts';
import type { McpEndpoint } from '#lib/contract/mcp-exchange.ts';
import type { Problem } from '#lib/contract/result.ts';
import type { Tracer } from '#lib/contract/tracing.ts';
import type { HostConfig } from '#lib/host/config.ts';
import type { Host } from '#lib/host/host.ts';
import type { Logger } from '#lib/host/logger.ts';
import { answerAs } from './current-principal.ts';
import type { AskedNow } from './current-principal.ts';
import { createRequestAudit } from './audit-requests.ts';
import { createAllowedHosts } from './allowed-hosts.ts';
import { createClientAddress } from './client-address.ts';
import { createDoorkeeper } from './create-doorkeeper.ts';
import { answerCall } from './call-lane.ts';
import { createCallerLimits } from './caller-limits.ts';
import { createCallsUnderWay } from './calls-under-way.ts';
import { createEventStreams } from './event-streams.ts';
import type { EventStreams } from './event-streams.ts';
import { createGate } from './gate.ts';
import type { Entered } from './gate.ts';
import { answerHealth } from './health-lane.ts';
import { createMcpLane } from './mcp-lane.ts';
import type { McpLane } from './mcp-lane.ts';
import { answerMetrics } from './metrics-lane.ts';
import { createOpenApiLane } from './openapi-lane.ts';
import { isInternal, problemOfThrown, problemText, sendProblem } from './problem.ts';
import { beginRequestSpan } from './request-span.ts';
import { API_HEADERS, PAGE_HEADERS, pagePolicy } from './security-headers.ts';
import { withWholeId } from './whole-id.ts';

/**
 * The one HTTP server: gate, then fast lane or Next. It opens before the host exists, so that health answers from the
 * first moment; until then the API says "starting" and pages wait. What can go wrong while stopping: an open event
 * stream or an idle connection keeps a closed server alive for ever, so streams are ended and idle sockets closed here.
 */
export interface HttpServer {
  readonly server: Server;
  /** Resolves to the port; rejects with the error of `listen`. */
  listen(): Promise<number>;
  setHost(host: Host): void;
  /** Resolves when no call has been under way for `pauseMs`, and at the latest after `mostMs`. */
  callsAnswered(pauseMs: number, mostMs: number): Promise<void>;
  /** No new connections, streams ended; requests that run go on. Resolves when the last connection is gone. */
  stopAccepting(): Promise<void>;
  /** Gives connections `graceMs` more and then cuts them. */
  close(graceMs: number): Promise<void>;
}

/** What answers pages and the API's slower routes; waits inside until it is able to. */
export interface Pages {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Null where no upgrade is expected (the development server has one). */
  readonly upgrade: ((request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>) | null;
}

export interface HttpServerOptions {
  readonly config: HostConfig;
  readonly logger: Logger;
  readonly pages: Pages;
  /** Null: nobody collects spans. */
  readonly tracer?: Tracer | null;
  createMcp(host: Host): McpEndpoint;
}

/** The forwarding headers of a proxy would let a client tell Next another address than the one checked here. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto', 'x-forwarded-server'];
const ASSETS = '/_next/';

export function createHttpServer({ config, logger, pages, tracer = null, createMcp }: HttpServerOptions): HttpServer {
  const clientAddress = createClientAddress(config.trustedProxies);
  const doorkeeper = createDoorkeeper(config, clientAddress, () => host?.accounts ?? null);
  const gate = createGate({ hosts: createAllowedHosts(config), doorkeeper });
  const openApi = createOpenApiLane();
  const limits = createCallerLimits(config, clientAddress);
  const audit = createRequestAudit(() => host?.accounts ?? null, clientAddress);
  const calls = createCallsUnderWay();
  let host: Host | null = null;
  let streams: EventStreams | null = null;
  let mcp: McpLane | null = null;
  let stopped: Promise<void> | null = null;

  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 65_000 }, (request, response) => {
    const given = request.url ?? '';
    const target = withWholeId(given);
    request.url = target;
    const admission = gate.admit(request);
    if (!admission.ok) {
      sendProblem(request, response, admission.problem);
      return;
    }
    const admitted = admission.value;
    if (admitted.to === 'sign_in') return seeOther(response, admitted.location);
    if (admitted.to === 'page' && target !== given) return seeOther(response, target);
    const span = tracer === null ? null : beginRequestSpan(tracer, request, response, admitted);
    const answered = span === null ? answer(request, response, admitted) : span.run(() => answer(request, response, admitted));
    answered.catch((error: unknown) => {
      const problem = problemOfThrown(error);
      if (isInternal(problem)) logger.error('A request failed', { method: request.method, path: request.url?.split('?', 1)[0], error });
      sendProblem(request, response, problem);
    });
  });

  const answer = async (request: IncomingMessage, response: ServerResponse, admission: Entered): Promise<void> => {
    if (admission.to === 'page') return answerPage(request, response, admission);
    const { route } = admission;
    if (route.lane === 'health' || route.lane === 'ready')
      return answerHealth(request, response, route.lane, host, stopped !== null, admission.principal.kind === 'stranger');
    if (host === null)
      return sendProblem(request, response, { code: 'not_ready', detail: 'The server is starting. Try again in a second.', retryAfter: 1 });
    if (stopped !== null)
      return sendProblem(request, response, { code: 'shutting_down', detail: 'The server is stopping.', retryAfter: 2 });
    const entered = limits.enter(route, request, admission.principal);
    if (!entered.ok) return sendProblem(request, response, entered.problem);
    if (entered.value === null) return dispatch(request, response, admission, host);
    try {
      return await dispatch(request, response, admission, host);
    } finally {
      entered.value();
    }
  };

  /** Resolves when the request is answered, or its stream is open. */
  const dispatch = async (
    request: IncomingMessage,
    response: ServerResponse,
    { route, parameter, search, principal }: Entered & { readonly to: 'api' },
    host: Host,
  ): Promise<void> => {
    if (route.lane === 'call') return calls.count(answerCall(request, response, parameter, principal, host, logger));
    if (route.lane === 'mcp') return mcp?.answer(request, response, principal);
    if (route.lane === 'openapi') return openApi.answer(request, response, host.tools.list().tools, principal);
    if (route.lane === 'metrics')
      return answerMetrics(request, response, host, { eventClients: streams?.count() ?? 0, refused: limits.refused() });
    if (route.lane === 'events') {
      const opened = streams?.open(request, response, search, principal);
      if (opened !== undefined && !opened.ok) sendProblem(request, response, opened.problem);
      return;
    }
    setHeaders(response, API_HEADERS);
    const asked: AskedNow = { principal, address: clientAddress(request), audited: null, detail: {} };
    if (host.accounts !== null) audit.watch(response, request, route, parameter === '' ? null : parameter, asked);
    return enterNext(request, response, asked);
  };

  const answerPage = async (
    request: IncomingMessage,
    response: ServerResponse,
    { path, principal }: Entered & { readonly to: 'page' },
  ): Promise<void> => {
    if (path === '/docs/errors') return (await import('./errors-page.ts')).answerErrorsPage(request, response);
    setHeaders(response, PAGE_HEADERS);
    if (!path.startsWith(ASSETS)) {
      const policy = pagePolicy(config.dev);
      request.headers['content-security-policy'] = policy;
      response.setHeader('content-security-policy', policy);
    }
    return enterNext(request, response, { principal, address: clientAddress(request), audited: null, detail: {} });
  };

  const enterNext = (request: IncomingMessage, response: ServerResponse, asked: AskedNow): Promise<void> => {
    for (const name of FORWARDED) delete request.headers[name];
    return answerAs(asked, () => pages.handle(request, response));
  };

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined);
    const caller = gate.checkCaller(request);
    if (!caller.ok) return refuseSocket(socket, caller.problem);
    if (pages.upgrade === null || !request.url?.startsWith(ASSETS)) {
      return refuseSocket(socket, {
        code: 'request_refused',
        detail: 'Connections cannot be upgraded here. Live events are at /api/v1/events.',
      });
    }
    pages.upgrade(request, socket, head).catch((error: unknown) => {
      logger.warn('An upgrade failed', { error });
      socket.destroy();
    });
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => undefined);
    refuseSocket(socket, { code: 'request_refused', detail: 'This server is not a proxy.' });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    refuseSocket(socket, {
      code: 'request_malformed',
      detail: 'This is not an HTTP request that can be read, or its headers are too large.',
    });
  });

  const stopAccepting = (): Promise<void> => {
    stopped ??= new Promise((resolve) => {
      server.close(() => resolve());
      mcp?.close();
      streams?.close();
      server.closeIdleConnections();
    });
    return stopped;
  };

  return {
    server,
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port: config.port, host: config.host.replace(/^\[|\]$/g, '') }, () => {
          server.off('error', reject);
          const address = server.address();
          resolve(typeof address === 'object' && address !== null ? address.port : config.port);
        });
      }),
    callsAnswered: calls.quiet,
    setHost(made) {
      host = made;
      const { accounts } = made;
      const tokens = accounts?.tokens;
      const kept = createEventStreams({
        events: made.events,
        snapshotVersion: () => made.health().snapshot_version,
        ...(tokens === undefined ? {} : { isCurrent: (principal) => principal.kind !== 'token' || tokens.isCurrent(principal) }),
      });
      const lane = createMcpLane({ endpoint: createMcp(made), streams: kept, doorkeeper, takeCalls: limits.takeCalls, tell: audit.tell });
      accounts?.onEnded((ended) => {
        const is = (principal: Principal): boolean => isEnded(principal, ended);
        kept.endOf(is);
        lane.endOf(is);
      });
      streams = kept;
      mcp = lane;
    },
    stopAccepting,
    async close(graceMs) {
      const gone = stopAccepting();
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await gone;
      clearTimeout(cut);
    },
  };
}

function isEnded(principal: Principal, ended: EndedAccess): boolean {
  if (ended.kind === 'token') return principal.kind === 'token' && principal.id === ended.tokenId;
  return principal.kind === 'member' && principal.sessionId === ended.sessionId;
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Another address for each person, so nobody on the way may keep it. */
function seeOther(response: ServerResponse, location: string): void {
  response.writeHead(303, { ...PAGE_HEADERS, 'cache-control': 'no-store', location, 'content-length': 0 });
  response.end();
}

function refuseSocket(socket: Duplex, problem: Problem): void {
  const { status, title } = PROBLEMS[problem.code];
  const text = problemText(problem);
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\ncontent-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}
