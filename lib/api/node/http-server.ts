import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { Principal } from '#lib/access/principal.ts';
import type { EndedAccess } from '#lib/accounts/accounts.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { PROBLEMS } from '#lib/contract/problems.ts';
import type { McpEndpoint } from '#lib/contract/mcp-exchange.ts';
import type { Problem } from '#lib/contract/result.ts';
import type { Tracer } from '#lib/contract/tracing.ts';
import { wayBack } from '#lib/contract/way-back.ts';
import type { HostConfig } from '#lib/host/config.ts';
import type { Host } from '#lib/host/host.ts';
import type { Logger } from '#lib/host/logger.ts';
import { createApi } from '../app.ts';
import { setCurrentApi } from '../current-api.ts';
import { answerAs } from '../current-principal.ts';
import { createAllowedHosts } from '../middleware/allowed-hosts.ts';
import { createRequestAudit } from '../middleware/audit.ts';
import { createAuthentication } from '../middleware/authentication.ts';
import { createClientAddress } from '../middleware/client-address.ts';
import { checkPath, checkSite, createHeadCheck, pathOf } from '../middleware/hosts.ts';
import { createCallerLimits } from '../middleware/limits.ts';
import { beginRequestSpan } from '../middleware/spans.ts';
import { methodRefusal, problemOfThrown, problemText, sendProblem } from '../problem.ts';
import type { ApiServer } from '../request.ts';
import { PAGE_HEADERS, pagePolicy } from '../security-headers.ts';
import { withWholeId } from '../whole-id.ts';
import { answerAwayPage } from './away-page.ts';
import { createCallsUnderWay } from './calls-under-way.ts';
import { createEventStreams } from './event-streams.ts';
import { createMcpSockets } from './mcp-sockets.ts';
import { createServerMetrics } from './server-metrics.ts';

/**
 * The HTTP server: it checks the head of each request, then the API app or Next answers. It listens before the host exists, so
 * that health endpoints respond immediately; until then the API reports "starting" and pages wait. What can go wrong at a stop:
 * open event streams and idle connections keep a closed server alive, so both are closed here.
 */
export interface HttpServer {
  readonly server: Server;
  /** Resolves to the port; rejects with the error of `listen`. */
  listen(): Promise<number>;
  setHost(host: Host): void;
  /** Resolves when no call has run for `pauseMs`, and at the latest after `mostMs`. */
  callsAnswered(pauseMs: number, mostMs: number): Promise<void>;
  /** `/readyz` returns 503 from now on; requests are still served. */
  beginDrain(): void;
  /** Stops accepting connections and ends streams; running requests continue. Resolves when the last connection is closed. */
  stopAccepting(): Promise<void>;
  /** Closes connections after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Renders pages; waits internally until it is ready. */
export interface Pages {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Null without upgrades (the development server has one). */
  readonly upgrade: ((request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>) | null;
}

export interface HttpServerOptions {
  readonly config: HostConfig;
  readonly logger: Logger;
  readonly pages: Pages;
  /** Null without tracing. */
  readonly tracer?: Tracer | null;
  createMcp(host: Host): McpEndpoint;
}

/** A client's forwarding headers would make Next see another host than the one checked here. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto', 'x-forwarded-server'];
const ASSETS = '/_next/';
const NOT_PAGES = new Set(['api', 'mcp', 'oauth', '.well-known', 'healthz', 'readyz', 'metrics']);
/** Pages for signing in and joining; assets are public too. */
const ENTRIES: ReadonlySet<string> = new Set([PAGES.signIn, PAGES.join, '/favicon.ico', '/icon.svg']);

export function createHttpServer({ config, logger, pages, tracer = null, createMcp }: HttpServerOptions): HttpServer {
  const clientAddress = createClientAddress(config.trustedProxies);
  const authentication = createAuthentication(
    config,
    clientAddress,
    () => state.host?.accounts ?? null,
    (name, windowMs) => state.host?.instances.countAttempt(name, windowMs) ?? null,
  );
  const heads = createHeadCheck(createAllowedHosts(config));
  const limits = createCallerLimits(config, clientAddress);
  const audit = createRequestAudit(() => state.host?.accounts ?? null, clientAddress);
  const calls = createCallsUnderWay();
  let stopped: Promise<void> | null = null;
  const state: { -readonly [Field in keyof ApiServer]: ApiServer[Field] } = {
    host: null,
    isStopping: false,
    isDraining: false,
    streams: null,
    mcp: null,
    metrics: createServerMetrics({ eventClients: () => state.streams?.count() ?? 0, refused: limits.refused }),
    countCall: calls.count,
  };
  const api = createApi({ server: state, heads, authentication, limits, audit, clientAddress, logger, tracer });
  setCurrentApi(api);
  // sendProblem drains a rejected body. Next creates responses in this process too, so the global classes stay Node's.
  const answerApi = getRequestListener(api.fetch, { overrideGlobalObjects: false, autoCleanupIncoming: false });

  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 65_000 }, (request, response) => {
    // Clients that keep connections go on at another instance.
    if (state.isDraining) response.shouldKeepAlive = false;
    const checked = heads.check(request);
    if (!checked.ok) return sendProblem(request, response, checked.problem);
    const [, first = ''] = pathOf(request).split('/', 2);
    if (!NOT_PAGES.has(first)) return void answerPage(request, response).catch((error: unknown) => sendFailure(request, response, error));
    answerApi(request, response).catch((error: unknown) => sendProblem(request, response, problemOfThrown(error, request, logger)));
  });

  const sendFailure = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    const problem = problemOfThrown(error, request, logger);
    if (problem.code === 'storage_unavailable') answerAwayPage(request, response);
    else sendProblem(request, response, problem);
  };

  const answerPage = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = request.url ?? '';
    const path = pathOf(request);
    const site = checkSite(request, true);
    if (!site.ok) return sendProblem(request, response, site.problem);
    // Next renders its own error page.
    const decoded = checkPath(path);
    if (!decoded.ok) return sendProblem(request, response, decoded.problem);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return sendProblem(request, response, methodRefusal(request.method, ['GET', 'HEAD']));
    const isEntry = ENTRIES.has(path) || path.startsWith('/_next/static/');
    const allowed = await authentication.admit(request, isEntry ? 'pages.enter' : 'pages.read', path);
    if (!allowed.ok) {
      if (allowed.problem.code !== 'sign_in_needed' || path.startsWith(ASSETS)) return sendProblem(request, response, allowed.problem);
      return seeOther(response, PAGES.signInTo(wayBack(withoutPart(target))));
    }
    const withId = withWholeId(target);
    if (withId !== target) return seeOther(response, withId);
    if (isDocument(request, path) && isDatabaseAway(state.host)) return answerAwayPage(request, response);
    if (path === '/docs/errors') return (await import('./errors-page.ts')).answerErrorsPage(request, response);
    setHeaders(response, PAGE_HEADERS);
    if (!path.startsWith(ASSETS)) {
      const policy = pagePolicy(config.dev);
      request.headers['content-security-policy'] = policy;
      response.setHeader('content-security-policy', policy);
    }
    for (const name of FORWARDED) delete request.headers[name];
    const enter = (): Promise<void> => answerAs(allowed.value, () => pages.handle(request, response));
    return tracer === null || path.startsWith(ASSETS) ? enter() : beginRequestSpan(tracer, request, response, null).run(enter);
  };

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined);
    const caller = heads.checkCaller(request);
    if (!caller.ok) return refuseSocket(socket, caller.problem);
    if (pages.upgrade === null || !request.url?.startsWith(ASSETS)) {
      return refuseSocket(socket, {
        code: 'request_refused',
        detail: 'Upgrades are not supported. Events are at /api/v1/events.',
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
      detail: 'The HTTP request is malformed, or its headers are too large.',
    });
  });

  const stopAccepting = (): Promise<void> => {
    state.isStopping = true;
    stopped ??= new Promise((resolve) => {
      server.close(() => resolve());
      state.mcp?.close();
      state.streams?.close();
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
      state.host = made;
      const { accounts } = made;
      const tokens = accounts?.tokens;
      const kept = createEventStreams({
        events: made.events,
        snapshotVersion: () => made.health().snapshot_version,
        ...(tokens === undefined ? {} : { isCurrent: async (principal) => principal.kind !== 'token' || tokens.isCurrent(principal) }),
      });
      const sockets = createMcpSockets({
        endpoint: createMcp(made),
        streams: kept,
        authentication,
        takeCalls: limits.takeCalls,
        record: audit.record,
      });
      accounts?.onEnded((ended) => {
        const is = (principal: Principal): boolean => isEnded(principal, ended);
        kept.endOf(is);
        sockets.endOf(is);
      });
      state.streams = kept;
      state.mcp = sockets;
    },
    beginDrain() {
      state.isDraining = true;
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

/** Not a script, a style, or the data of a page that is open. */
function isDocument(request: IncomingMessage, path: string): boolean {
  return !path.startsWith(ASSETS) && request.headers['rsc'] === undefined && path !== '/docs/errors';
}

function isDatabaseAway(host: Host | null): boolean {
  const health = host?.health();
  return health?.status === 'degraded' && !health.ready;
}

function isEnded(principal: Principal, ended: EndedAccess): boolean {
  if (ended.kind === 'any') return principal.kind === 'token' || principal.kind === 'member';
  if (ended.kind === 'token') return principal.kind === 'token' && principal.id === ended.tokenId;
  return principal.kind === 'member' && principal.sessionId === ended.sessionId;
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Next requests parts of a page with this parameter. */
function withoutPart(target: string): string {
  return target.replace(/([?&])_rsc=[^&]*&?/, '$1').replace(/[?&]$/, '');
}

/** Responses differ per person, so no cache may store them. */
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
