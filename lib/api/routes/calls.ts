import {
  callExportQuerySchema,
  callFilterSchema,
  callPageSchema,
  callRequestSchema,
  callSchema,
  callStatsQuerySchema,
  callStatsSchema,
  replayRequestSchema,
} from '#lib/contract/call.ts';
import type { CallSelection } from '#lib/contract/call.ts';
import { CALL_COLUMNS, callRow } from '#lib/contract/calls-csv.ts';
import { csvLine } from '#lib/contract/csv.ts';
import { lastHourSchema } from '#lib/contract/last-hour.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { API } from '#lib/contract/paths.ts';
import { ok } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Host } from '#lib/host/host.ts';
import { answerJson } from '../answer.ts';
import { readIdempotencyKey, REPLAYED } from '../middleware/idempotency-key.ts';
import { wantsAsync } from '../middleware/wants-async.ts';
import type { ApiRequest } from '../request.ts';
import { named, route } from '../route.ts';
import { answerLines } from './export-lines.ts';

const Call = named('Call', callSchema);
const CALL = 'The id of the call.';
const call = { tag: 'calls', parameter: CALL, response: Call } as const;

export const callRoutes = [
  route(
    {
      method: 'POST',
      path: '/api/v1/tools/:name/call',
      action: 'tools.call',
      limit: 'calls',
      id: 'callTool',
      summary: 'Call a tool. The response is the finished call, however it ended; with `Prefer: respond-async` the running one, at once.',
      tag: 'calls',
      parameter: 'The name of the tool.',
      body: named('CallRequest', callRequestSchema),
      bodyOptional: true,
      response: Call,
      runsTool: true,
      problems: ['tool_not_found', 'revision_not_found', 'too_many_calls'],
      exists({ host, parameter, principal, header }) {
        const key = readIdempotencyKey(principal, header);
        // What has run under a key is answered also when its tool is gone.
        return key.ok && key.value === null ? host.tools.get(parameter) : key;
      },
    },
    (request) => request.server.countCall(callTool(request)),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/calls',
      action: 'calls.read',
      id: 'listCalls',
      summary: 'The history of calls, newest first.',
      tag: 'calls',
      query: callFilterSchema,
      response: named('CallPage', callPageSchema),
    },
    ({ host, query }) => host.calls.list(query),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/calls/stats',
      action: 'calls.read',
      id: 'countCalls',
      summary: 'How many calls, how many failed and how long they took, over time.',
      tag: 'calls',
      query: callStatsQuerySchema,
      response: named('CallStats', callStatsSchema),
    },
    ({ host, query }) => host.calls.stats(query),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/calls/last-hour',
      action: 'calls.read',
      id: 'countLastHour',
      summary:
        'The calls of the last hour against the hour before, with the tools that fail most, those that are slowest, and each extension.',
      tag: 'calls',
      response: named('LastHour', lastHourSchema),
    },
    ({ host }) => host.calls.lastHour(),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/calls/export',
      action: 'calls.export',
      id: 'exportCalls',
      summary: 'All calls of a filter, complete and newest first, as a stream.',
      tag: 'calls',
      query: callExportQuerySchema,
      response: {
        mediaTypes: ['application/x-ndjson', 'text/csv'],
        description: 'One call a line; with `format=csv` a table as `text/csv`.',
      },
    },
    ({ host, query }) => exportCalls(host, query),
  ),
  route(
    {
      ...call,
      method: 'GET',
      path: '/api/v1/calls/:id',
      action: 'calls.read',
      id: 'getCall',
      summary: 'One call; while it runs with its logs and progress so far.',
      problems: ['call_not_found'],
    },
    ({ host, parameter }) => host.calls.get(parameter),
  ),
  route(
    {
      ...call,
      method: 'POST',
      path: '/api/v1/calls/:id/cancel',
      action: 'calls.cancel',
      id: 'cancelCall',
      summary: 'Cancel a call; one that has ended is returned as it is.',
      problems: ['call_not_found'],
    },
    ({ host, parameter }) => host.calls.cancel(parameter),
  ),
  route(
    {
      ...call,
      method: 'POST',
      path: '/api/v1/calls/:id/replay',
      action: 'calls.replay',
      limit: 'calls',
      id: 'replayCall',
      summary: 'Call again, with the same arguments or with those in the body; with `Prefer: respond-async` the running call, at once.',
      body: named('ReplayRequest', replayRequestSchema),
      bodyOptional: true,
      runsTool: true,
      problems: ['call_not_found', 'tool_not_found', 'redacted_arguments', 'too_many_calls'],
    },
    async (request) => {
      const { host, parameter, body, requester, principal, header } = request;
      const key = readIdempotencyKey(principal, header);
      if (!key.ok) return key;
      const replay = { arguments: body.arguments ?? null, timeoutMs: body.timeout_ms, revision: body.revision, ...requester };
      return answerStarted(
        request,
        key.value === null ? await host.calls.replay(parameter, replay) : await host.calls.replayOnce(key.value, parameter, replay),
      );
    },
  ),
];

type CallBody = ReturnType<typeof callRequestSchema.parse>;

async function callTool(request: ApiRequest<unknown, CallBody>): Promise<Result<never> | Response> {
  const { host, parameter, body, requester, principal, header } = request;
  const key = readIdempotencyKey(principal, header);
  if (!key.ok) return key;
  const { arguments: args, timeout_ms: timeoutMs, revision } = body;
  const asked = { tool: parameter, arguments: args, timeoutMs, revision, ...requester };
  return answerStarted(request, key.value === null ? await host.calls.start(asked) : await host.calls.startOnce(key.value, asked));
}

interface Started {
  readonly id: string;
  /** The text of the finished record. */
  readonly finished: Promise<string>;
  readonly isRepeated?: boolean;
}

/** Waits for the end, or answers at once where the client prefers that. A client that goes away does not end its call. */
async function answerStarted({ context, host, header }: ApiRequest, started: Result<Started>): Promise<Result<never> | Response> {
  if (!started.ok) return started;
  const { id, finished, isRepeated } = started.value;
  if (isRepeated === true) return answerJson(context, 200, await finished, REPLAYED);
  if (!wantsAsync(header('prefer'))) return answerJson(context, 200, await finished);
  finished.catch((error: unknown) => host.logger.error('The end of a call could not be kept', { call_id: id, error }));
  const running = host.calls.get(id);
  if (!running.ok) return running;
  return answerJson(context, 202, JSON.stringify(running.value), { location: API.call(id), 'preference-applied': 'respond-async' });
}

type CallsFile = CallSelection & { readonly format: 'ndjson' | 'csv'; readonly byte_order_mark?: boolean };

/** The history as a file: a page of calls at a time. */
export function exportCalls(host: Host, { format, byte_order_mark: isMarked = false, ...selection }: CallsFile): Response {
  return answerLines({ name: 'calls', format, lines: readCalls(host, selection, format, isMarked ? '\uFEFF' : ''), logger: host.logger });
}

/** A call that is long is a chunk of its own; short ones are gathered. */
const CHUNK_CHARACTERS = 65_536;

async function* readCalls(host: Host, selection: CallSelection, format: 'ndjson' | 'csv', mark: string): AsyncGenerator<string, undefined> {
  let chunk = format === 'csv' ? mark + csvLine(CALL_COLUMNS) : '';
  let cursor: string | null = null;
  do {
    const page = await host.calls.list({ ...selection, limit: LIMITS.listMost, ...(cursor === null ? {} : { cursor }) });
    if (!page.ok) throw new Error(page.problem.detail);
    for (const listed of page.value.calls) {
      const isCut = listed.truncated === true || listed.logs_truncated;
      const complete = isCut ? host.calls.get(listed.id) : ok(listed);
      if (!complete.ok) continue; // deleted since its page was read
      chunk += format === 'csv' ? csvLine(callRow(complete.value)) : `${JSON.stringify(complete.value)}\n`;
      if (chunk.length < CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = '';
    }
    cursor = page.value.next_cursor;
    if (chunk !== '') yield chunk;
    chunk = '';
    await new Promise<void>((resolve) => setImmediate(resolve));
  } while (cursor !== null);
  return undefined;
}
