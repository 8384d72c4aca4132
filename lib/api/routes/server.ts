import { memberIdOf } from '#lib/access/actor-of.ts';
import type { Action } from '#lib/contract/actions.ts';
import { eventsQuerySchema } from '#lib/contract/events.ts';
import { healthSchema } from '#lib/contract/health.ts';
import { problemDocumentSchema } from '#lib/contract/problems.ts';
import type { HostHealth } from '#lib/host/host.ts';
import { answer, answerJson } from '../answer.ts';
import { NOT_READY } from '../problem.ts';
import type { ApiRequest } from '../request.ts';
import { ANY_FIELDS, type Method, named, type Route, type RouteOptions, routesOf } from '../route.ts';

const Health = named('Health', healthSchema);
named('Problem', problemDocumentSchema);
const NO_BROWSER = 'Agents connect here by MCP.';

const route = routesOf({ tag: 'server' });

export const serverRoutes: readonly Route[] = [
  health('/healthz', 'getHealth', 'Whether the server answers, and its state.', false),
  health('/readyz', 'getReadiness', 'Whether tools can be called: 200 or 503.', true),
  route(
    'GET /metrics',
    'metrics.read',
    'getMetrics',
    'The metrics of the server, for Prometheus.',
    { untraced: true, response: { mediaTypes: ['text/plain'], description: 'The text format of Prometheus.' } },
    async ({ host, server: { metrics } }) =>
      answer(200, (await host.metrics()) + (await metrics.metrics()), { 'content-type': metrics.contentType }),
  ),
  route(
    'GET /api/v1/events',
    'events.read',
    'streamEvents',
    'Events of the server, as server-sent events. `Last-Event-ID` resumes.',
    {
      untraced: true,
      query: eventsQuerySchema,
      headers: { 'Last-Event-ID': 'Resume after this event.' },
      response: { mediaTypes: ['text/event-stream'], description: 'Events with ids and versions; see docs/api.md.' },
      problems: ['too_many_own_streams', 'too_many_streams'],
    },
    ({ context: { env }, server, principal, query }) => {
      const opened = server.streams?.open(env.incoming, query, principal, () => env.outgoing.destroy());
      return opened?.ok === true ? opened.value : (opened ?? NOT_READY);
    },
  ),
  ...(['/mcp', '/mcp/:toolset'] as const).flatMap((path) => [
    mcp('POST', path, 'mcp.connect', { limit: 'calls', body: ANY_FIELDS }),
    mcp('GET', path, 'events.read', { untraced: true }),
    mcp('DELETE', path, 'mcp.connect'),
  ]),
];

function health(path: '/healthz' | '/readyz', id: string, summary: string, isReadiness: boolean): Route {
  const answerNow = (request: Pick<ApiRequest, 'context' | 'server' | 'principal'>): Response => answerHealth(request, isReadiness);
  return route(`GET ${path}`, 'health.read', id, summary, { early: answerNow, untraced: true, response: Health }, answerNow);
}

/** lib/mcp has the protocol; lib/api/node/mcp-connections.ts its connections. */
function mcp(method: Method, path: '/mcp' | '/mcp/:toolset', action: Action, options: Partial<RouteOptions> = {}): Route {
  const isOfToolset = path !== '/mcp';
  return route(
    `${method} ${path}`,
    action,
    `${method.toLowerCase()}Mcp${isOfToolset ? 'Toolset' : ''}`,
    NO_BROWSER,
    {
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
    },
    ({ context, server, principal, parameter }) => server.mcp?.answer(context, principal, isOfToolset ? parameter : null) ?? NOT_READY,
  );
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
