import { z } from 'zod';
import type { CallWatcher, LogLevel } from '#lib/contract/call.ts';
import type { McpHeaders, McpReply } from '#lib/contract/mcp-exchange.ts';
import type { Host } from '#lib/host/host.ts';
import type { Authoring } from './authoring.ts';
import { callResultText } from './call-result.ts';
import type { ResultForm } from './call-result.ts';
import { checkHeaderParameters } from './header-parameters.ts';
import { failureText, invalidParams, noticeText, requestIdSchema, resultText } from './json-rpc.ts';
import type { RequestId, RpcFailure, RpcRequest } from './json-rpc.ts';
import { LOG_LEVELS, MODERN_VERSION, RPC } from './protocol.ts';
import type { McpLogLevel } from './protocol.ts';
import type { RunningRequest } from './sessions.ts';
import type { ServerInfo, ToolCatalogue } from './tool-catalogue.ts';

/**
 * `tools/call`, the hot path: one look into the catalogue, one call of the host. What can go wrong: the client cancels or
 * goes away between its request and the first record of the call, so the wish is remembered until there is something to
 * cancel; and steps that come faster than the client reads are dropped by the reply, never its result.
 */
export interface ToolCaller {
  readonly clientName: string | null;
  /** The least level of log lines that it is told; null for none. */
  readonly logLevel: McpLogLevel | null;
  readonly generation: ResultForm['generation'];
  /** Where calls of its session are kept while they run; null without a session. */
  readonly running: Map<RequestId, RunningRequest> | null;
}

export interface ToolCallContext {
  readonly host: Host;
  readonly server: ServerInfo;
  readonly authoring: Authoring | null;
  readonly catalogue: ToolCatalogue;
  readonly headers: McpHeaders;
  readonly reply: McpReply;
  readonly caller: ToolCaller;
}

const paramsSchema = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  _meta: z.looseObject({ progressToken: requestIdSchema.optional(), traceparent: z.unknown().optional() }).optional(),
});

const LEVELS: Readonly<Record<LogLevel, McpLogLevel>> = { debug: 'debug', info: 'info', warn: 'warning', error: 'error' };

export async function callTool({ id, params }: RpcRequest, context: ToolCallContext): Promise<void> {
  const { host, server, authoring, catalogue, headers, reply, caller } = context;
  const asked = paramsSchema.safeParse(params);
  const fail = (failure: RpcFailure): void => reply.answer(failure.status, failureText(id, failure));
  if (!asked.success) return fail(invalidParams(asked.error, 'tools/call takes a name and, as an object, arguments.'));
  const { name, arguments: args = {}, _meta } = asked.data;
  if (authoring?.has(name)) {
    const { clientName, generation } = caller;
    return reply.answer(200, resultText(id, await authoring.call(name, args, { headers, clientName, generation, server })));
  }
  const tool = catalogue.tools.get(name);
  if (tool === undefined)
    return fail({
      status: 200,
      code: RPC.invalidParams,
      message: `Unknown tool: ${name.slice(0, 100)}. tools/list names those there are.`,
    });
  if (caller.generation === MODERN_VERSION) {
    const disagreement = checkHeaderParameters(tool.headerParameters, args, headers);
    if (disagreement !== null) return fail(disagreement);
  }

  let callId: string | null = null;
  let isCancelled = false;
  const cancel = (): void => {
    if (isCancelled) return;
    isCancelled = true;
    if (callId !== null) stop(host, callId);
  };
  if (caller.generation === MODERN_VERSION) reply.onGone(cancel);
  caller.running?.set(id, { cancel });
  try {
    const started = await host.calls.start({
      tool: name,
      arguments: args,
      source: 'mcp',
      actor: { name: headers.caller.actor ?? caller.clientName },
      watcher: createWatcher(reply, caller.logLevel, _meta?.progressToken),
      tell: (end) => callResultText(end, { tool, generation: caller.generation, server }),
      traceparent: typeof _meta?.traceparent === 'string' ? _meta.traceparent : undefined,
    });
    if (!started.ok) {
      const { code, detail, retryAfter } = started.problem;
      return fail({
        status: 200,
        code: code === 'tool_not_found' ? RPC.invalidParams : RPC.refused,
        message: detail,
        data: { code, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }) },
      });
    }
    callId = started.value.id;
    // Cancelled while its record was written.
    if (wasCancelled()) stop(host, callId);
    const text = await started.value.finished;
    if (wasCancelled()) return reply.drop();
    reply.answer(200, resultText(id, text));
  } finally {
    caller.running?.delete(id);
  }

  function wasCancelled(): boolean {
    return isCancelled;
  }
}

function stop(host: Host, callId: string): void {
  host.calls.cancel(callId).catch((error: unknown) => host.logger.error('A call could not be cancelled', { call_id: callId, error }));
}

function createWatcher(reply: McpReply, least: McpLogLevel | null, token: RequestId | undefined): CallWatcher | undefined {
  if (least === null && token === undefined) return undefined;
  const threshold = least === null ? Number.POSITIVE_INFINITY : LOG_LEVELS.indexOf(least);
  let last = Number.NEGATIVE_INFINITY;
  return {
    onLog({ level, message, data }) {
      const said = LEVELS[level];
      if (LOG_LEVELS.indexOf(said) < threshold) return;
      reply.notify(
        noticeText('notifications/message', { level: said, logger: 'tool', data: data === undefined ? message : { message, data } }),
      );
    },
    onProgress({ done, total, message }) {
      // The protocol wants each step to be further than the one before.
      if (token === undefined || done <= last) return;
      last = done;
      reply.notify(
        noticeText('notifications/progress', {
          progressToken: token,
          progress: done,
          ...(total === null ? {} : { total }),
          ...(message === null ? {} : { message }),
        }),
      );
    },
  };
}
