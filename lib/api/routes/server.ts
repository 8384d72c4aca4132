import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { z } from 'zod';
import { eventsQuerySchema } from '#lib/contract/events.ts';
import { healthSchema } from '#lib/contract/health.ts';
import { problemDocumentSchema } from '#lib/contract/problem-document.ts';
import { refuse } from '#lib/contract/result.ts';
import type { HostHealth } from '#lib/host/host.ts';
import { answer, answerJson } from '../answer.ts';
import type { ApiRequest } from '../request.ts';
import { named, route } from '../route.ts';
import type { Route } from '../route.ts';

const Health = named('Health', healthSchema);
named('Problem', problemDocumentSchema);
const NO_BROWSER = 'Agents connect here by MCP.';
const ANY_FIELDS = z.looseObject({});

export const serverRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/healthz',
      action: 'health.read',
      early: (request) => answerHealth(request, false),
      untraced: true,
      id: 'getHealth',
      summary: 'Whether the server answers, and its state.',
      tag: 'server',
      response: Health,
    },
    (request) => answerHealth(request, false),
  ),
  route(
    {
      method: 'GET',
      path: '/readyz',
      action: 'health.read',
      early: (request) => answerHealth(request, true),
      untraced: true,
      id: 'getReadiness',
      summary: 'Whether tools can be called: 200 or 503.',
      tag: 'server',
      response: Health,
    },
    (request) => answerHealth(request, true),
  ),
  route(
    {
      method: 'GET',
      path: '/metrics',
      action: 'metrics.read',
      untraced: true,
      id: 'getMetrics',
      summary: 'The metrics of the server, for Prometheus.',
      tag: 'server',
      response: { mediaTypes: ['text/plain'], description: 'The text format of Prometheus.' },
    },
    async ({ context, host, server: { metrics } }) =>
      answer(context, 200, (await host.metrics()) + (await metrics.metrics()), { 'content-type': metrics.contentType }),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/events',
      action: 'events.read',
      untraced: true,
      id: 'streamEvents',
      summary: 'Follow what happens, as server-sent events. `Last-Event-ID` resumes.',
      tag: 'server',
      query: eventsQuerySchema,
      headers: { 'Last-Event-ID': 'Resume after this event.' },
      response: { mediaTypes: ['text/event-stream'], description: 'Events with ids and versions; see docs/api.md.' },
      problems: ['too_many_own_streams', 'too_many_streams'],
    },
    ({ context, server, principal, query }) => {
      const { incoming, outgoing } = context.env ?? {};
      if (incoming === undefined || outgoing === undefined || server.streams === null)
        return refuse('request_refused', 'Event streams need the server of Switchboard.');
      const opened = server.streams.open(incoming, outgoing, query, principal);
      return opened.ok ? RESPONSE_ALREADY_SENT : opened;
    },
  ),
  mcp('POST', 'mcp.connect'),
  mcp('GET', 'events.read'),
  mcp('DELETE', 'mcp.connect'),
];

/** The protocol is that of lib/mcp; its sockets are in lib/api/node/mcp-sockets.ts. */
function mcp(method: 'POST' | 'GET' | 'DELETE', action: 'mcp.connect' | 'events.read'): Route {
  return route(
    {
      method,
      path: '/mcp',
      action,
      ...(method === 'POST' ? { limit: 'calls' as const, body: ANY_FIELDS } : {}),
      audit: null,
      hidden: true,
      readsBody: true,
      ...(method === 'GET' ? { untraced: true as const } : {}),
      id: `${method.toLowerCase()}Mcp`,
      summary: NO_BROWSER,
      tag: 'server',
      response: { mediaTypes: ['application/json', 'text/event-stream'], description: NO_BROWSER },
    },
    async ({ context, server, principal }) => {
      const { incoming, outgoing } = context.env ?? {};
      if (incoming === undefined || outgoing === undefined || server.mcp === null)
        return refuse('request_refused', 'Agents need the server of Switchboard.');
      await server.mcp.answer(incoming, outgoing, principal);
      return RESPONSE_ALREADY_SENT;
    },
  );
}

/**
 * `/healthz` says that the process answers, from the moment the port is open; `/readyz` that tools can be called, which is once the
 * first load is through and until the stop begins. Somebody who has not signed in is told no more than that.
 */
function answerHealth(
  { context, server, principal }: Pick<ApiRequest, 'context' | 'server' | 'principal'>,
  isReadiness: boolean,
): Response {
  const full: Partial<HostHealth> = server.host === null ? { status: 'starting', ready: false } : server.host.health();
  const shown: Partial<HostHealth> = principal.kind === 'stranger' ? { status: full.status ?? 'starting' } : full;
  const isStopping = server.isStopping || server.isDraining;
  const ready = full.ready === true && !isStopping;
  const text = JSON.stringify({ ...shown, ready, ...(isStopping ? { status: 'stopping' } : {}) });
  return isReadiness && !ready ? answerJson(context, 503, text, { 'retry-after': '1' }) : answerJson(context, 200, text);
}
