import * as z from 'zod';
import type { Notification, Result, ServerContext } from '@modelcontextprotocol/server';
import { callRequestSchema } from '#lib/contract/call.ts';
import type { CallError, CallWatcher, LogLevel } from '#lib/contract/call.ts';
import type { Answerer } from '#lib/contract/client-asks.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { McpExchange } from '#lib/contract/mcp-exchange.ts';
import { FULL_SCOPE } from '#lib/contract/mcp-exchange.ts';
import type { Host } from '#lib/host/host.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import type { ScopedTool } from '#lib/contract/toolset.ts';
import { askKindsIn, clientOf, proxiedMeta } from './request-context.ts';
import type { RequestContext, Outcome } from './request-context.ts';
import { answererOfSession, noteElicitation, resumeCall } from './caller-answers.ts';
import { callResult } from './call-result.ts';
import { checkHeaderParameters } from './header-parameters.ts';
import { invalidParams, HEADERS, LOG_LEVELS, META, RPC } from './protocol.ts';
import type { Params, RpcFailure, McpLogLevel } from './protocol.ts';
import type { Session } from './sessions.ts';
import { CALL_TOOL, DESCRIBE_TOOL, failed, readCall, SEARCH_TOOL, unknownTool } from './search-tools.ts';
import type { ToolSearch } from './search-tools.ts';
import { newTask } from './tasks.ts';
import { findTool } from './tool-catalogue.ts';

/**
 * `tools/call`, the hot path: one lookup in the catalogue, one call of the host. What can go wrong:
 * - the client cancels or disconnects between its request and the first record of the call: the signal is checked again once
 *   the call can be cancelled;
 * - progress arrives faster than the client reads: the response stream drops progress, never the result.
 */
const paramsSchema = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  /** To run it as a task (2025-11-25). */
  task: z.looseObject({}).optional(),
});

const LEVELS: Readonly<Record<LogLevel, McpLogLevel>> = { debug: 'debug', info: 'info', warn: 'warning', error: 'error' };
/** With a reason, `abort` creates no error with a stack. */
const ENDED = 'The call has ended';
/** An object, which the SDK serializes. */
const NO_TEXT = '';

export async function callTool(params: Params, requestContext: RequestContext): Promise<Outcome> {
  const { context, exchange, session, isModern, ctx, send } = requestContext;
  const { host, authoring, catalogues } = context;
  const { signal, _meta } = ctx.mcpReq;
  const asked = paramsSchema.safeParse(params);
  if (!asked.success) return { ok: false, failure: invalidParams(asked.error, 'tools/call takes a name and, as an object, arguments.') };
  const catalogue = catalogues.current(exchange.caller);
  const { scope } = exchange.caller;
  if (catalogue.search !== null && asked.data.name !== CALL_TOOL) return answerSearch(catalogue.search, asked.data);
  const inner = catalogue.search === null ? null : readCall(asked.data.arguments);
  if (catalogue.search !== null && inner === null)
    return { ok: true, result: failed('call_tool takes `name`, a tool, and `arguments`, an object.') };
  const { name, arguments: args = {} } = inner ?? asked.data;
  const client = clientOf(requestContext);
  if (scope === FULL_SCOPE && authoring?.has(name))
    return { ok: true, result: await authoring.call(name, args, { headers: exchange, clientName: client.name }) };
  const tool = findTool(catalogue, name);
  if (tool === undefined) {
    if (inner !== null) return { ok: true, result: failed(unknownTool(name)) };
    const message = `Unknown tool: ${name.slice(0, 100)}. tools/list lists the existing ones.`;
    return { ok: false, failure: { code: RPC.invalidParams, message } };
  }
  const given = tool.scoped === null ? null : refusedArgument(tool.scoped, args);
  if (given !== null) return { ok: true, result: failed(given) };
  if (isModern && inner === null) {
    const disagreement = checkHeaderParameters(tool.headerParameters, args, exchange);
    if (disagreement !== null) return { ok: false, failure: disagreement };
  }

  const timeout = readTimeout(_meta?.[META.timeoutMs] ?? exchange.header(HEADERS.timeoutMs));
  if (!timeout.ok) return { ok: false, failure: { code: RPC.invalidParams, message: timeout.message } };
  const { key } = exchange.caller;
  const { real } = tool;
  const resumed = resumeCall(requestContext, real);
  if (resumed !== null) return resumed;

  const isTask = asked.data.task !== undefined && !isModern;
  if (isTask && !tool.isTask) return { ok: false, failure: { code: RPC.methodNotFound, message: `${name} does not run as a task.` } };
  const over = new AbortController();
  const kinds = isModern ? askKindsIn(ctx) : [];
  const open = kinds.length === 0 ? null : context.openCalls.open(kinds, real, key, over.signal);
  const askers = { servers: tool.server === null ? [] : [tool.server], member: exchange.caller.member };
  const task = isTask ? context.tasks.open(session, askers, over.signal) : null;
  const answerer =
    task?.answerer ?? open?.answerer ?? (session === null || isTask ? null : answererOfSession(session, askers, send, over.signal));
  let result: Result = {};
  const refused: { failure: RpcFailure | null } = { failure: null };
  const { traceparent, tracestate } = _meta ?? {};
  const started = await host.calls.start({
    tool: real,
    arguments: tool.scoped === null ? args : { ...args, ...tool.scoped.fixed },
    timeoutMs: timeout.ms,
    source: 'mcp',
    actor: { name: exchange.caller.actor ?? client.name, member: exchange.caller.member },
    watcher: createWatcher(ctx, client.logLevel, exchange, answerer),
    formatEnd({ resultText, ...end }) {
      refused.failure = tool.server === null || session === null ? null : elicitationNeeded(session, end.error);
      result = callResult({ ...end, result: resultText === null ? null : parseExactJson(resultText) }, tool, isModern);
      return NO_TEXT;
    },
    meta: tool.server === null ? undefined : proxiedMeta(ctx)._meta,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    tracestate: typeof tracestate === 'string' ? tracestate : undefined,
  });
  if (!started.ok) {
    const { code, detail, retryAfter } = started.problem;
    return {
      ok: false,
      failure: {
        code: code === 'tool_not_found' ? RPC.invalidParams : RPC.refused,
        message: detail,
        data: { code, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }) },
      },
    };
  }
  const { id, finished } = started.value;
  if (isTask) {
    task?.started(id);
    void finished.finally(() => over.abort(ENDED)).catch(() => undefined);
    return { ok: true, result: newTask(id) };
  }
  // It may have been cancelled while its record was written.
  if (signal.aborted) stop(host, id);
  else signal.addEventListener('abort', () => stop(host, id), { once: true });
  const ended = async (): Promise<Outcome> => {
    await finished;
    over.abort(ENDED);
    return refused.failure === null ? { ok: true, result } : { ok: false, failure: refused.failure };
  };
  return open === null ? ended() : open.round(ended(), () => stop(host, id));
}

const elicitationsSchema = z.object({ elicitations: z.array(z.looseObject({ mode: z.literal('url'), elicitationId: z.string() })).min(1) });

/** A server requires its client to open a URL before the call: an error of the 2025 protocols, for clients that support it. */
function elicitationNeeded(session: Session, error: CallError | null): RpcFailure | null {
  const data = session.kinds.includes('url') ? elicitationsSchema.safeParse(error?.data).data : undefined;
  if (data === undefined || error === null) return null;
  for (const { elicitationId } of data.elicitations) noteElicitation(session, elicitationId);
  return { code: RPC.urlElicitationRequired, message: error.message, data };
}

function answerSearch(search: ToolSearch, { name, arguments: args }: { readonly name: string; readonly arguments?: unknown }): Outcome {
  if (name === SEARCH_TOOL || name === DESCRIBE_TOOL) return { ok: true, result: search.answer(name, args ?? {}) };
  const message = `Unknown tool: ${name.slice(0, 100)}. In search mode there are ${SEARCH_TOOL}, ${DESCRIBE_TOOL} and ${CALL_TOOL}.`;
  return { ok: false, failure: { code: RPC.invalidParams, message } };
}

/** An argument that the toolset hides or fixes; null without one. */
function refusedArgument({ removed, shown }: ScopedTool, args: Readonly<Record<string, unknown>>): string | null {
  const name = Object.keys(args).find((one) => removed.has(one));
  return name === undefined ? null : `${shown.name} has no argument “${name.slice(0, 100)}” here. Leave it out.`;
}

/** Per call by `_meta`, per client by header. */
function readTimeout(
  value: unknown,
): { readonly ok: true; readonly ms: number | undefined } | { readonly ok: false; readonly message: string } {
  if (value === undefined) return { ok: true, ms: undefined };
  const parsed = callRequestSchema.shape.timeout_ms.safeParse(
    typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value,
  );
  if (parsed.success) return { ok: true, ms: parsed.data };
  const most = LIMITS.callTimeoutMostMs;
  return {
    ok: false,
    message: `${META.timeoutMs} in _meta, or the header ${HEADERS.timeoutMs}, must be a whole number of milliseconds from 1 to ${most}.`,
  };
}

function stop(host: Host, callId: string): void {
  host.calls.cancel(callId).catch((error: unknown) => host.logger.error('A call could not be cancelled', { call_id: callId, error }));
}

function createWatcher(
  { mcpReq }: ServerContext,
  least: McpLogLevel | null,
  exchange: McpExchange,
  answerer: Answerer | null,
): CallWatcher | undefined {
  const token = mcpReq._meta?.progressToken;
  if (least === null && token === undefined && answerer === null) return undefined;
  const threshold = least === null ? Number.POSITIVE_INFINITY : LOG_LEVELS.indexOf(least);
  let last = Number.NEGATIVE_INFINITY;
  // A disconnected client gets no further notifications.
  const notify = (notification: Notification): void => {
    if (!exchange.isBehind()) mcpReq.notify(notification).catch(() => undefined);
  };
  return {
    ...(answerer === null ? {} : { answerer }),
    onLog({ level, message, data, said }) {
      const params = said ?? { level: LEVELS[level], logger: 'tool', data: data === null ? message : { message, data } };
      if (LOG_LEVELS.indexOf(params.level) < threshold) return;
      notify({ method: 'notifications/message', params });
    },
    onProgress({ done, total, message }) {
      // The protocol requires increasing progress.
      if (token === undefined || done <= last) return;
      last = done;
      const params = {
        progressToken: token,
        progress: done,
        ...(total === null ? {} : { total }),
        ...(message === null ? {} : { message }),
      };
      notify({ method: 'notifications/progress', params });
    },
  };
}
