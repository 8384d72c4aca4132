import * as z from 'zod';
import type { JSONRPCRequest, Result } from '@modelcontextprotocol/server';
import type { Call, CallStatus } from '#lib/contract/call.ts';
import type { Answerer } from '#lib/contract/client-asks.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Host } from '#lib/host/host.ts';
import { clientOf, invalidParams, type Method, type Outcome, type RequestContext, RPC } from './protocol.ts';
import { answererOfSession } from './caller-answers.ts';
import type { Askers } from './caller-answers.ts';
import { callResult } from './call-result.ts';
import type { Session, Sessions } from './sessions.ts';
import type { CatalogueTool } from './tool-catalogue.ts';

/**
 * Calls as tasks (2025-11-25), of tools whose MCP server allows it. A task is the call in the history, with its id: it survives
 * a restart, and each server knows it; the session that started it is notified of its states. What can go wrong:
 * - a task of another caller is asked for: only calls of the same actor, and of tools that this caller sees, exist;
 * - the tool asks its caller, who reads no stream of this call: the question waits for the stream of `tasks/result`, and is sent
 *   again if the client asks for the result again without an answer;
 * - the server stops while a question is open: the call ends, and its error gives the reason.
 */
export interface Tasks {
  /** A caller of a new task. */
  open(session: Session | null, askers: Askers, signal: AbortSignal): TaskCaller;
}

export interface TaskCaller {
  /** Null if the client can answer nothing. */
  readonly answerer: Answerer | null;
  /** Once the call has its id, until the signal aborts. */
  started(id: string): void;
}

interface Relay {
  /** The newest stream of `tasks/result`; its client may have left. */
  send: ((request: JSONRPCRequest) => void) | null;
  /** Questions without an answer: each new stream gets them again. */
  readonly questions: Set<JSONRPCRequest>;
}

export interface RunningTasks extends Tasks {
  relay(id: string): Relay | null;
}

export function createTasks(host: Pick<Host, 'calls' | 'events'>, sessions: Pick<Sessions, 'send'>): RunningTasks {
  const relays = new Map<string, Relay>();
  return {
    open(session, askers, signal) {
      const relay: Relay = { send: null, questions: new Set() };
      const send = (request: JSONRPCRequest): void => {
        relay.questions.add(request);
        relay.send?.(request);
      };
      const answerer = session === null ? null : answererOfSession(session, askers, send, signal);
      let report = (): void => undefined;
      return {
        answerer: answerer && {
          kinds: answerer.kinds,
          answer(ask) {
            const before = relay.questions.size;
            const answer = answerer.answer(ask);
            // None if the client does not support such a question.
            const question = relay.questions.size > before ? [...relay.questions].at(-1) : undefined;
            report();
            return answer.finally(() => {
              if (question !== undefined) relay.questions.delete(question);
              report();
            });
          },
        },
        started(id) {
          relays.set(id, relay);
          if (session !== null) report = createReports(host, id, relay, (params) => sessions.send(session, { method: STATUS, params }));
          const unsubscribe = host.events.subscribe(({ data }) => data.call_id === id && report(), ['call.progress']);
          const end = (): void => {
            relays.delete(id);
            unsubscribe();
            report();
          };
          signal.addEventListener('abort', end, { once: true });
        },
      };
    },
    relay: (id) => relays.get(id) ?? null,
  };
}

const STATUS = 'notifications/tasks/status';

/** Each change once, in order. */
function createReports({ calls }: Pick<Host, 'calls'>, id: string, relay: Relay, send: (task: DescribedTask) => void): () => void {
  let last = 'working';
  let reports: Promise<unknown> = Promise.resolve();
  const report = async (): Promise<void> => {
    const found = await calls.get(id);
    const task = found.ok ? described(found.value, relay.questions.size > 0) : null;
    const state = `${task?.status} ${task?.statusMessage ?? ''}`.trim();
    if (task === null || state === last) return;
    last = state;
    send(task);
  };
  return () => {
    reports = reports.then(report, report);
  };
}

const idSchema = z.looseObject({ taskId: z.string().max(200) });
const POLL_MS = 1_000;
const RELATED = 'io.modelcontextprotocol/related-task';

const STATUSES = {
  running: 'working',
  succeeded: 'completed',
  failed: 'failed',
  timed_out: 'failed',
  cancelled: 'cancelled',
} as const satisfies Readonly<Record<CallStatus, string>>;

/** Of a call that was just started. */
export function newTask(id: string): Result {
  return {
    task: described({ id, status: 'running', started_at: new Date().toISOString(), finished_at: null, progress: null, error: null }, false),
  };
}

export const getTask: Method = withTask(({ call }, { context }) => succeed(described(call, isAsking(context.tasks, call.id))));

export const resultOfTask: Method = withTask(async ({ call, tool }, { context, ctx, send }) => {
  const relay = context.tasks.relay(call.id);
  if (relay !== null) {
    relay.send = send;
    for (const question of relay.questions) send(question);
  }
  const ended = await endOf(context.host, call, ctx.mcpReq.signal);
  const { _meta, ...result } = callResult(ended, tool, false);
  return succeed({ ...result, _meta: { ..._meta, [RELATED]: { taskId: call.id } } });
});

export const cancelTask: Method = withTask(async ({ call }, { context }) => {
  const cancelled = call.status === 'running' ? await context.host.calls.cancel(call.id) : null;
  if (cancelled?.ok === true) return succeed(described(cancelled.value, false));
  const message = `The task has already ended: ${STATUSES[call.status]}.`;
  return { ok: false, failure: { code: RPC.invalidParams, message } };
});

/** The newest. */
export async function listTasks({ context, exchange, ...requestContext }: RequestContext): Promise<Result> {
  const { tools } = context.catalogues.current(exchange.caller);
  const names = new Set([...tools.values()].filter(({ isTask }) => isTask).map(({ real }) => real));
  const actor = actorOf({ context, exchange, ...requestContext });
  if (names.size === 0 || actor === null) return { tasks: [] };
  const page = await context.host.calls.list({ source: 'mcp', actor, limit: LIMITS.listMost });
  const calls = page.ok ? page.value.calls.filter(({ tool }) => names.has(tool)) : [];
  return { tasks: calls.map((call) => described(call, isAsking(context.tasks, call.id))) };
}

function withTask(answer: (found: Found, requestContext: RequestContext) => Outcome | Promise<Outcome>): Method {
  return async (params, requestContext) => {
    if (requestContext.isModern) return { ok: false, failure: { status: 404, code: RPC.methodNotFound, message: 'Tasks need a session.' } };
    const asked = idSchema.safeParse(params);
    if (!asked.success) return { ok: false, failure: invalidParams(asked.error, 'The taskId of a task is expected.') };
    const found = await findTask(asked.data.taskId, requestContext);
    if (found !== null) return answer(found, requestContext);
    return { ok: false, failure: { code: RPC.invalidParams, message: 'There is no such task, or its call is no longer in the history.' } };
  };
}

interface Found {
  readonly call: Call;
  readonly tool: CatalogueTool;
}

async function findTask(id: string, requestContext: RequestContext): Promise<Found | null> {
  const { context, exchange } = requestContext;
  const found = await context.host.calls.get(id);
  if (!found.ok || found.value.source !== 'mcp' || found.value.actor !== actorOf(requestContext)) return null;
  const { tools } = context.catalogues.current(exchange.caller);
  const tool = [...tools.values()].find(({ real, isTask }) => isTask && real === found.value.tool);
  return tool === undefined ? null : { call: found.value, tool };
}

function isAsking(tasks: RunningTasks, id: string): boolean {
  return (tasks.relay(id)?.questions.size ?? 0) > 0;
}

function actorOf(requestContext: RequestContext): string | null {
  return requestContext.exchange.caller.actor ?? clientOf(requestContext).name;
}

/** The call when it has ended, or its current state when no client waits any more. */
async function endOf(host: Host, call: Call, signal: AbortSignal): Promise<Call> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unsubscribe = host.events.subscribe(
    ({ data }) => {
      if (data.call_id === call.id) resolve();
    },
    ['call.finished'],
  );
  signal.addEventListener('abort', () => resolve(), { once: true });
  const current = async (): Promise<Call> => {
    const found = await host.calls.get(call.id);
    return found.ok ? found.value : call;
  };
  try {
    const now = await current();
    if (now.status !== 'running' || signal.aborted) return now;
    await promise;
    return await current();
  } finally {
    unsubscribe();
  }
}

type DescribedCall = Pick<Call, 'id' | 'status' | 'started_at' | 'finished_at' | 'progress' | 'error'>;
type DescribedTask = ReturnType<typeof described>;

function described({ id, status, started_at: startedAt, finished_at: finishedAt, progress, error }: DescribedCall, isAsking: boolean) {
  const message = error?.message ?? progress?.message ?? null;
  return {
    taskId: id,
    status: isAsking && status === 'running' ? 'input_required' : STATUSES[status],
    ...(message === null ? {} : { statusMessage: message }),
    createdAt: startedAt,
    lastUpdatedAt: finishedAt ?? new Date().toISOString(),
    // As long as the history keeps the call.
    ttl: null,
    pollInterval: POLL_MS,
  };
}

function succeed(result: Result): Outcome {
  return { ok: true, result };
}
