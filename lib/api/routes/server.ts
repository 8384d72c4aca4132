import { memberIdOf } from '#lib/access/actor-of.ts';
import { visibleTools } from '#lib/access/principal.ts';
import type { Action } from '#lib/contract/actions.ts';
import { eventsQuerySchema } from '#lib/contract/events.ts';
import { healthSchema } from '#lib/contract/health.ts';
import { problemDocumentSchema } from '#lib/contract/problems.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { HostHealth } from '#lib/host/host.ts';
import { answer, answerJson, NOT_READY } from '../answer.ts';
import { openApiDocument } from '../openapi.ts';
import type { ApiRequest } from '../request.ts';
import { ANY_FIELDS, type Method, named, type Route, type RouteOptions, routesOf } from '../route.ts';
import program from '../../../package.json' with { type: 'json' };

named('Problem', problemDocumentSchema);
const NO_BROWSER = 'Agents connect here by MCP.';

const route = routesOf({ tag: 'server' });

/** @param all routes, for the OpenAPI document */
export const serverRoutes = (all: () => readonly Route[]): readonly Route[] => [
  health('/healthz', 'getHealth', 'Whether the server answers, and its state.', false),
  health('/readyz', 'getReadiness', 'Whether tools can be called: 200 or 503.', true),
  route('GET /metrics', 'metrics.read', 'getMetrics', {
    summary: 'The metrics of the server, for Prometheus.',
    untraced: true,
    response: { mediaTypes: ['text/plain'], description: 'The text format of Prometheus.' },
    handle: async ({ host, server: { metrics } }) =>
      answer(200, (await host.metrics()) + (await metrics.metrics()), { 'content-type': metrics.contentType }),
  }),
  route('GET /api/v1/events', 'events.read', 'streamEvents', {
    summary: 'Events of the server, as server-sent events. `Last-Event-ID` resumes.',
    untraced: true,
    query: eventsQuerySchema,
    headers: { 'Last-Event-ID': 'Resume after this event.' },
    response: { mediaTypes: ['text/event-stream'], description: 'Events with ids and versions; see docs/api.md.' },
    problems: ['too_many_own_streams', 'too_many_streams'],
    handle: ({ context: { env }, server, principal, query }) => {
      const opened = server.streams?.open(env.incoming, query, principal, () => env.outgoing.destroy());
      return opened?.ok === true ? opened.value : (opened ?? NOT_READY);
    },
  }),
  ...(['/mcp', '/mcp/:toolset'] as const).flatMap((path) => [
    mcp('POST', path, 'mcp.connect', { limit: 'calls', body: ANY_FIELDS }),
    mcp('GET', path, 'events.read', { untraced: true }),
    mcp('DELETE', path, 'mcp.connect'),
  ]),
  route('GET /api/v1/openapi.json', 'openapi.read', 'getOpenApi', {
    summary: 'This document, with each available tool as an operation.',
    response: { mediaTypes: ['application/json'], description: 'An OpenAPI 3.1 document.' },
    handle: (request) => answerOpenApi(request, all()),
  }),
];

function health(path: '/healthz' | '/readyz', id: string, summary: string, isReadiness: boolean): Route {
  const answerNow = (request: Pick<ApiRequest, 'context' | 'server' | 'principal'>): Response => answerHealth(request, isReadiness);
  return route(`GET ${path}`, 'health.read', id, {
    summary,
    early: answerNow,
    untraced: true,
    response: named('Health', healthSchema),
    handle: answerNow,
  });
}

/** lib/mcp has the protocol; lib/api/node/mcp-connections.ts its connections. */
function mcp(method: Method, path: '/mcp' | '/mcp/:toolset', action: Action, options: Partial<RouteOptions> = {}): Route {
  const isOfToolset = path !== '/mcp';
  return route(`${method} ${path}`, action, `${method.toLowerCase()}Mcp${isOfToolset ? 'Toolset' : ''}`, {
    summary: NO_BROWSER,
    audit: null,
    hidden: true,
    readsBody: true,
    response: { mediaTypes: ['application/json', 'text/event-stream'], description: NO_BROWSER },
    ...(isOfToolset
      ? {
          parameter: 'The name of the toolset.',
          unknown: 'toolset_not_found' as const,
          exists: ({ host, parameter, principal }: Pick<ApiRequest, 'host' | 'parameter' | 'principal'>) =>
            host.toolsets.find(parameter, principal.kind === 'local' ? null : memberIdOf(principal)),
        }
      : {}),
    ...options,
    handle: ({ context, server, principal, parameter }) =>
      server.mcp?.answer(context, principal, isOfToolset ? parameter : null) ?? NOT_READY,
  });
}

/**
 * `/healthz` responds once the port is open; `/readyz` reports whether tools can be called: from the end of the first load
 * until the stop begins. Callers without a session learn nothing more.
 */
function answerHealth(
  { context, server, principal }: Pick<ApiRequest, 'context' | 'server' | 'principal'>,
  isReadiness: boolean,
): Response {
  const full: Partial<HostHealth> = server.host === null ? { status: 'starting', ready: false } : server.host.health();
  const shown: Partial<HostHealth> = principal.kind === 'stranger' ? { status: full.status ?? 'starting' } : full;
  const isStopping = server.isStopping || server.isDraining;
  const isStrict = new URL(context.req.url).searchParams.has('strict');
  const lacks = isStrict && (full.served_only_elsewhere ?? []).length > 0;
  const ready = full.ready === true && !isStopping && !lacks;
  const text = JSON.stringify({ ...shown, ready, ...(isStopping ? { status: 'stopping' } : {}) });
  return isReadiness && !ready ? answerJson(503, text, { 'retry-after': '1' }) : answerJson(200, text);
}

/** Cached as long as the tools are the same; for a token with selected tools, as long as the token is known. */
const documents = new WeakMap<object, { readonly tools: readonly Tool[]; readonly text: string }>();
const EVERYBODY = {};

function answerOpenApi({ host, principal }: ApiRequest, routes: readonly Route[]): Response {
  const whose = principal.kind === 'token' ? (principal.tools ?? EVERYBODY) : EVERYBODY;
  const tools = visibleTools(principal, host.tools.list().tools);
  const known = documents.get(whose);
  // A snapshot reuses the object of an unchanged tool.
  if (known !== undefined && known.tools.length === tools.length && known.tools.every((tool, at) => tool === tools[at]))
    return answerJson(200, known.text);
  const text = JSON.stringify(openApiDocument({ version: program.version, tools, routes }));
  documents.set(whose, { tools, text });
  return answerJson(200, text);
}
