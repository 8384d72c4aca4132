import { createServer, ServerResponse } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { basename } from 'node:path';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { getRequestListener } from '@hono/node-server';
import { Counter, Gauge, Registry } from 'prom-client';
import type { Principal } from '#lib/access/principal.ts';
import type { EndedAccess } from '#lib/accounts/accounts.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { PROBLEMS } from '#lib/contract/problems.ts';
import type { McpEndpoint } from '#lib/contract/mcp-exchange.ts';
import type { Problem } from '#lib/contract/result.ts';
import type { Tracer } from '#lib/contract/tracing.ts';
import { returnPath } from '#lib/contract/return-path.ts';
import type { HostConfig } from '#lib/host/config.ts';
import { answerAs, setCurrentApi } from '#lib/host/current-host.ts';
import type { Host } from '#lib/host/host.ts';
import type { Logger } from '#lib/host/logger.ts';
import { answerProblem, methodRefusal, problemOfThrown, problemText, sendProblem } from '../answer.ts';
import { createApi } from '../app.ts';
import { createAllowedHosts, checkPath, checkSite, createHeadCheck, pathOf } from '../middleware/hosts.ts';
import { createRequestAudit } from '../middleware/audit.ts';
import { createAuthentication } from '../middleware/authentication.ts';
import { createClientAddress } from '../middleware/client-address.ts';
import { createCallerLimits } from '../middleware/limits.ts';
import { createRequestMetrics } from '../middleware/request-metrics.ts';
import { beginRequestSpan } from '../middleware/spans.ts';
import type { ApiServer } from '../request.ts';
import { withEncodedId } from '../request.ts';
import { createEventStreams } from './event-streams.ts';
import { createMcpConnections } from './mcp-connections.ts';
import { answerAwayPage, answerErrorsPage, PAGE_HEADERS, pagePolicy } from './plain-pages.ts';

/**
 * The HTTP server: it checks the head of each request, then the API app or Next answers. It listens before the host exists, so
 * that health endpoints respond immediately; until then the API reports "starting" and pages wait. What can go wrong at a stop:
 * open event streams and idle connections keep a closed server alive, so both are closed here.
 */
export type HttpServer = ReturnType<typeof createHttpServer>;

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
  /** One that listens already, without listeners of its own; null opens the port. */
  readonly server?: Server | null;
  createMcp(host: Host): McpEndpoint;
}

/** A client's forwarding headers would make Next see another host than the one checked here. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto', 'x-forwarded-server'];
const ASSETS = '/_next/';
const NOT_PAGES = new Set(['api', 'mcp', 'oauth', '.well-known', 'healthz', 'readyz', 'metrics']);
/** Pages for signing in and joining; assets are public too. */
const ENTRIES: ReadonlySet<string> = new Set([PAGES.signIn, PAGES.join, '/favicon.ico', '/icon.svg']);

export function createHttpServer(options: HttpServerOptions) {
  const { config, logger, pages, tracer = null, createMcp } = options;
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
  let stopped: Promise<void> | null = null;
  const state: { -readonly [Field in keyof ApiServer]: ApiServer[Field] } = {
    host: null,
    isStopping: false,
    isDraining: false,
    streams: null,
    mcp: null,
    metrics: createServerMetrics(() => state.streams?.count() ?? 0, limits.refused),
  };
  const requests = createRequestMetrics(state.metrics, config.logLevel === 'debug' ? logger : null);
  const api = createApi({ server: state, authentication, limits, audit, clientAddress, logger, requests, tracer });
  setCurrentApi(async (request, incoming) => {
    const checked = heads.check(incoming);
    return checked.ok ? api.fetch(request, { incoming, outgoing: new ServerResponse(incoming) }) : answerProblem(checked.problem);
  });
  // Rejected bodies are drained by drainBody.
  const answerApi = getRequestListener(api.fetch, { autoCleanupIncoming: false });

  const server = options.server ?? createServer({ requireHostHeader: false, keepAliveTimeout: 65_000 });
  server.on('request', (request, response) => {
    // Clients that keep connections go on at another instance.
    if (state.isDraining) response.shouldKeepAlive = false;
    const checked = heads.check(request);
    if (!checked.ok) {
      requests.watch(request, response, 'none');
      return sendProblem(request, response, checked.problem);
    }
    const path = pathOf(request);
    const [, first = ''] = path.split('/', 2);
    const isPage = !NOT_PAGES.has(first);
    if (isPage) requests.watch(request, response, path.startsWith(ASSETS) ? 'asset' : 'page');
    (isPage ? answerPage : answerApi)(request, response).catch((error: unknown) => {
      const problem = problemOfThrown(error, request, logger);
      if (isPage && problem.code === 'storage_unavailable') answerAwayPage(request, response);
      else sendProblem(request, response, problem);
    });
  });

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
      return seeOther(response, PAGES.signInTo(returnPath(withoutPart(target))));
    }
    const withId = withEncodedId(target);
    if (withId !== target) return seeOther(response, withId);
    if (isDocument(request, path) && isDatabaseAway(state.host)) return answerAwayPage(request, response);
    if (path === '/docs/errors') return answerErrorsPage(request, response);
    response.setHeaders(new Map(Object.entries(PAGE_HEADERS)));
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
      return refuseSocket(socket, { code: 'request_refused', detail: 'Upgrades are not supported. Events are at /api/v1/events.' });
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
    refuseSocket(socket, { code: 'request_malformed', detail: 'The HTTP request is malformed, or its headers are too large.' });
  });

  const stopAccepting = (): Promise<void> => {
    state.isStopping = true;
    stopped ??= new Promise((resolve) => {
      server.close(() => resolve());
      state.mcp?.close();
      state.streams?.close();
      // Their responses end in this turn.
      setImmediate(() => server.closeIdleConnections());
    });
    return stopped;
  };

  return {
    server,
    /** Resolves to the port; rejects with the error of `listen`. */
    async listen(): Promise<number> {
      if (!server.listening) {
        server.listen({ port: config.port, host: config.host.replace(/^\[|\]$/g, '') });
        await once(server, 'listening');
      }
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : config.port;
    },
    setHost(made: Host): void {
      state.host = made;
      const { accounts } = made;
      const tokens = accounts?.tokens;
      const kept = createEventStreams({
        events: made.events,
        snapshotVersion: () => made.health().snapshot_version,
        ...(tokens === undefined ? {} : { isCurrent: async (principal) => principal.kind !== 'token' || tokens.isCurrent(principal) }),
      });
      const connections = createMcpConnections({
        endpoint: createMcp(made),
        streams: kept,
        authentication,
        takeCalls: limits.takeCalls,
        audit,
      });
      accounts?.onEnded((ended) => {
        const is = (principal: Principal): boolean => isEnded(principal, ended);
        kept.endOf(is);
        connections.endOf(is);
      });
      state.streams = kept;
      state.mcp = connections;
    },
    /** `/readyz` returns 503 from now on; requests are still served. */
    beginDrain(): void {
      state.isDraining = true;
    },
    /** Stops accepting connections and ends streams; running requests continue. Resolves when the last connection is closed. */
    stopAccepting,
    /** Closes connections after `graceMs`. */
    async close(graceMs: number): Promise<void> {
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

/** One line: why the port could not be opened, which process has it if visible, and what to do. */
export async function describeListenError(error: unknown, host: string, port: number): Promise<string> {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (code === 'EADDRINUSE') {
    const owner = await ownerOf(port);
    return `PORT is ${port}, which ${owner ?? 'another program'} already uses on ${host}. Stop that program, or set PORT to another number; PORT=0 takes any free port.`;
  }
  if (code === 'EACCES') return `PORT is ${port}, which this user may not open. Use a number above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `HOST is "${host}", which this machine does not have. Use 127.0.0.1.`;
  return `The address ${host}:${port} could not be opened (${String(code ?? error)}).`;
}

/** Linux only, and only processes visible to this user. */
async function ownerOf(port: number): Promise<string | null> {
  const sockets = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(table, 'utf8').catch(() => '');
    for (const line of text.split('\n').slice(1)) {
      const columns = line.trim().split(/\s+/);
      const localPort = Number.parseInt(columns[1]?.split(':')[1] ?? '', 16);
      if (localPort === port && columns[3] === '0A') sockets.add(`socket:[${columns[9]}]`);
    }
  }
  if (sockets.size === 0) return null;
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const link = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      if (!sockets.has(link)) continue;
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      // Only the program: its arguments may be secret.
      const command = basename(words.split('\0', 1)[0] ?? '').replace(/[^\x20-\x7e]/g, '?') || 'a program';
      return `${command} (process ${pid})`;
    }
  }
  return null;
}

/**
 * Metrics of the HTTP server, in their own registry.
 * @param refused requests rejected by a limit since the start, by limit
 */
export function createServerMetrics(eventClients: () => number, refused: () => Readonly<Record<string, number>>): Registry {
  const registry = new Registry();
  void new Gauge({
    name: 'switchboard_event_clients',
    help: 'Open event streams.',
    registers: [registry],
    collect() {
      this.set(eventClients());
    },
  });
  void new Counter({
    name: 'switchboard_requests_limited_total',
    help: 'Requests rejected by a rate limit since the start, by limit.',
    labelNames: ['limit'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [limit, count] of Object.entries(refused())) this.inc({ limit }, count);
    },
  });
  return registry;
}
