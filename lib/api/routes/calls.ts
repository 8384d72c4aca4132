import {
  type Call,
  callExportQuerySchema,
  callFilterSchema,
  callPageSchema,
  callRequestSchema,
  callSchema,
  type CallSelection,
  callStatsQuerySchema,
  callStatsSchema,
  replayRequestSchema,
} from '#lib/contract/call.ts';
import { answerRequestSchema } from '#lib/contract/client-asks.ts';
import { CALL_COLUMNS, callRow } from '#lib/contract/csv.ts';
import { lastHourSchema } from '#lib/contract/last-hour.ts';
import { API } from '#lib/contract/paths.ts';
import { ok } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Host } from '#lib/host/host.ts';
import { answerJson } from '../answer.ts';
import { REPLAYED, wantsAsync } from '../middleware/request-headers.ts';
import type { ApiRequest } from '../request.ts';
import { named, routesOf } from '../route.ts';
import { answerLines } from './export-lines.ts';

const route = routesOf({ tag: 'calls', parameter: 'The id of the call.', unknown: 'call_not_found' });

export const callRoutes = [
  route('POST /api/v1/tools/:name/call', 'tools.call', 'callTool', {
    summary: 'Call a tool. Returns the finished call, with any status; with `Prefer: respond-async` the running call immediately.',
    parameter: 'The name of the tool.',
    unknown: 'tool_not_found',
    body: named('CallRequest', callRequestSchema),
    response: named('Call', callSchema),
    runsTool: true,
    problems: ['revision_not_found', 'too_many_calls'],
    // A repeated key is answered even if its tool is gone.
    exists: ({ host, parameter, key }) => (key === null ? host.tools.get(parameter) : ok(null)),
    handle: async (request) => {
      const { host, parameter, body, requester, key } = request;
      const asked = { tool: parameter, arguments: body.arguments, timeoutMs: body.timeout_ms, revision: body.revision, ...requester };
      return answerStarted(request, await (key === null ? host.calls.start(asked) : host.calls.startOnce(key, asked)));
    },
  }),
  route('GET /api/v1/calls', 'calls.read', 'listCalls', {
    summary: 'The history of calls, newest first.',
    query: callFilterSchema,
    response: named('CallPage', callPageSchema),
    handle: ({ host, query }) => host.calls.list(query),
  }),
  route('GET /api/v1/calls/stats', 'calls.read', 'countCalls', {
    summary: 'Numbers of calls and failures, and durations, over time.',
    query: callStatsQuerySchema,
    response: named('CallStats', callStatsSchema),
    handle: ({ host, query }) => host.calls.stats(query),
  }),
  route('GET /api/v1/calls/last-hour', 'calls.read', 'countLastHour', {
    summary: 'The calls of the last hour and the hour before, with the tools with most failures, the slowest tools, and each extension.',
    response: named('LastHour', lastHourSchema),
    handle: ({ host }) => host.calls.lastHour(),
  }),
  route('GET /api/v1/calls/export', 'calls.export', 'exportCalls', {
    summary: 'All calls of a filter, complete and newest first, as a stream.',
    query: callExportQuerySchema,
    response: {
      mediaTypes: ['application/x-ndjson', 'text/csv'],
      description: 'One call a line; with `format=csv` a table as `text/csv`.',
    },
    handle: ({ host, query }) => exportCalls(host, query),
  }),
  route('GET /api/v1/calls/:id', 'calls.read', 'getCall', {
    summary: 'One call; while it runs with its logs and progress so far.',
    response: callSchema,
    handle: ({ host, parameter }) => host.calls.get(parameter),
  }),
  route('POST /api/v1/calls/:id/cancel', 'calls.cancel', 'cancelCall', {
    summary: 'Cancel a call; a finished call is returned unchanged.',
    response: callSchema,
    problems: ['instance_unavailable'],
    handle: ({ host, parameter }) => host.calls.cancel(parameter),
  }),
  route('POST /api/v1/calls/:id/answer', 'calls.answer', 'answerCall', {
    summary: 'Answer a question that an MCP server asks while the call runs.',
    body: named('AnswerRequest', answerRequestSchema),
    response: callSchema,
    problems: ['state_conflict', 'instance_unavailable'],
    handle: ({ host, parameter, body, requester }) => host.calls.answer(parameter, body, requester.actor),
  }),
  route('POST /api/v1/calls/:id/replay', 'calls.replay', 'replayCall', {
    summary:
      'Repeat a call, with the same arguments or with those in the body; with `Prefer: respond-async` returns the running call immediately.',
    body: named('ReplayRequest', replayRequestSchema),
    response: callSchema,
    runsTool: true,
    problems: ['tool_not_found', 'redacted_arguments', 'too_many_calls'],
    handle: async (request) => {
      const { host, parameter, body, requester, key } = request;
      const replay = { arguments: body.arguments ?? null, timeoutMs: body.timeout_ms, revision: body.revision, ...requester };
      return answerStarted(
        request,
        await (key === null ? host.calls.replay(parameter, replay) : host.calls.replayOnce(key, parameter, replay)),
      );
    },
  }),
];

interface Started {
  readonly id: string;
  /** The text of the finished record. */
  readonly finished: Promise<string>;
  readonly isRepeated?: boolean;
}

/**
 * Waits for the end, or responds immediately if the client prefers that. A disconnected client does not end its call.
 * @param show formats the running call
 */
export async function answerStarted(
  { host, header }: ApiRequest,
  started: Result<Started>,
  show: (call: Call) => unknown = (call) => call,
): Promise<Result<never> | Response> {
  if (!started.ok) return started;
  const { id, finished, isRepeated = false } = started.value;
  if (isRepeated) return answerJson(200, await finished, REPLAYED);
  if (!wantsAsync(header('prefer'))) return answerJson(200, await finished);
  finished.catch((error: unknown) => host.logger.error('The end of a call could not be stored', { call_id: id, error }));
  const running = await host.calls.get(id);
  if (!running.ok) return running;
  const headers = { location: API.call(id), 'preference-applied': 'respond-async' };
  return answerJson(202, JSON.stringify(show(running.value)), headers);
}

type CallsFile = CallSelection & { readonly format: 'ndjson' | 'csv'; readonly byte_order_mark?: boolean };

/** The history as a file, one page of calls at a time. */
export function exportCalls(host: Host, { format, byte_order_mark: isMarked = false, ...selection }: CallsFile): Response {
  return answerLines({
    name: 'calls',
    format,
    columns: CALL_COLUMNS,
    row: callRow,
    mark: isMarked ? '\uFEFF' : '',
    logger: host.logger,
    async read(place) {
      const page = await host.calls.list({ ...selection, ...place });
      if (!page.ok) return page;
      const complete: Call[] = [];
      for (const listed of page.value.calls) {
        const found = listed.truncated === true || listed.logs_truncated ? await host.calls.get(listed.id) : ok(listed);
        if (found.ok) complete.push(found.value); // else deleted since its page was read
      }
      return ok({ items: complete, next: page.value.next_cursor });
    },
  });
}
