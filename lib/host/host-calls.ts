import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { CallRequestIn, CallService } from '#lib/calls/call-service.ts';
import type { EndedCall } from '#lib/calls/call-end.ts';
import type { IdempotentCalls } from '#lib/calls/idempotent-calls.ts';
import { createUnchangedList, type Registry, type SnapshotTool } from '#lib/registry/snapshot.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import type { Tool, ToolList } from '#lib/contract/tool.ts';
import type { SnapshotRepository } from '#lib/store/store.ts';
import type { Logger } from './logger.ts';
import type { HostCalls, HostSnapshots, HostTools, ReplayCallRequest } from './host.ts';

/** Calls for pages, routes and agents. */
export function createHostCalls(calls: CallService, idempotent: IdempotentCalls): HostCalls {
  async function replayOf(id: string, { arguments: args, actor, ...request }: ReplayCallRequest): Promise<Result<CallRequestIn>> {
    const original = await calls.get(id);
    if (!original.ok) return original;
    const { tool, redacted, arguments: old } = original.value;
    if (args === null && redacted.length > 0) {
      return refuse(
        'redacted_arguments',
        `The arguments at ${redacted.join(', ')} were redacted and cannot be replayed. Send new arguments in the body: {"arguments": {…}}.`,
      );
    }
    return ok({ ...request, tool, arguments: args ?? asArguments(old), actor: actor.name, member: actor.member, replayOf: id });
  }

  return {
    start: (request) => calls.start({ ...request, actor: request.actor.name, member: request.actor.member }),
    startOnce: (key, request) => idempotent.start(key, { ...request, actor: request.actor.name, member: request.actor.member }),
    list: (filter) => calls.list(filter),
    stats: async (query) => ok(await calls.stats(query)),
    lastHour: async () => ok(await calls.lastHour()),
    get: (id) => calls.get(id),
    cancel: (id) => calls.cancel(id),
    answer: (id, request, actor) => calls.answer(id, request, actor.name),
    async replay(id, request) {
      const made = await replayOf(id, request);
      return made.ok ? calls.start(made.value) : made;
    },
    replayOnce: (key, id, request) => idempotent.startAs(key, replayIdentity(id, request), () => replayOf(id, request)),
  };
}

/** Identifies a replay with an idempotency key. An unset revision is omitted, as before revisions could be chosen. */
function replayIdentity(id: string, { arguments: args, timeoutMs, revision }: ReplayCallRequest): readonly unknown[] {
  return ['replay', id, args, timeoutMs ?? null, ...(revision === undefined ? [] : [revision])];
}

function asArguments(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};
}

/** For following calls in the log; without arguments and results. */
export function logEndedCall(logger: Logger, call: EndedCall): void {
  logger.debug('A call ended', {
    call_id: call.id,
    extension: call.extension,
    tool: call.tool,
    revision: call.revision,
    source: call.source,
    status: call.status,
    ...(call.errorKind === null ? {} : { error_kind: call.errorKind }),
    ...(call.traceId === null ? {} : { trace_id: call.traceId }),
    duration_ms: call.durationMs,
  });
}

/** The state of the last commit; a tool of a stopped MCP server is unavailable. */
export function currentTool({ tool, entry }: SnapshotTool<RunningExtension>): Tool {
  if (entry.extension.runtime !== 'mcp' || !tool.available || entry.running === null) return tool;
  const { state, retryAt } = entry.running.process();
  if (state !== 'backoff' || retryAt === null) return tool;
  const reason = `The MCP server of ${entry.extension.id} stopped and is started again at ${new Date(retryAt).toISOString()}.`;
  return { ...tool, available: false, unavailable_reason: reason };
}

/** The tools of the current snapshot. */
export function createHostTools(registry: Registry<RunningExtension>): HostTools {
  const unchanged = createUnchangedList<Tool>();
  let before: ToolList | null = null;
  return {
    list() {
      const { version, tools: current } = registry.current();
      const tools = unchanged([...current.values()].map(currentTool));
      if (before?.version !== version || before.tools !== tools) before = { version, tools };
      return before;
    },
    get: (name) => {
      const found = registry.current().tools.get(name);
      return found === undefined
        ? refuse('tool_not_found', `Tool “${name.slice(0, 80)}” not found. GET /api/v1/tools lists all tools.`)
        : ok(currentTool(found));
    },
  };
}

/** @param newest version of the served snapshot */
export function createHostSnapshots(snapshots: SnapshotRepository, newest: () => number): HostSnapshots {
  return {
    async list(filter) {
      const found = await snapshots.list(filter);
      return found === null
        ? refuse('query_invalid', '`cursor` does not come from a list of snapshots. Omit it to start at the newest.')
        : ok(found);
    },
    async get(version) {
      const found = await snapshots.get(version);
      return found === null
        ? refuse('snapshot_not_found', `Snapshot version ${version} not found; it may have been removed. The newest is ${newest()}.`)
        : ok(found);
    },
  };
}
