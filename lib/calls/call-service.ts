import { randomUUIDv7 } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import * as z from 'zod';
import {
  type Call,
  type CallFilter,
  type CallPage,
  callSchema,
  type CallSource,
  type CallStats,
  type CallStatsQuery,
  type CallWatcher,
  type RecordedEnd,
} from '#lib/contract/call.ts';
import { type AnswerRequest, answerRequestSchema } from '#lib/contract/client-asks.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { EventData, EventType } from '#lib/contract/events.ts';
import type { LastHour } from '#lib/contract/last-hour.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { Span, Tracer } from '#lib/contract/tracing.ts';
import { ShortLivedMap } from '#lib/memory/short-lived.ts';
import type { Instances } from '#lib/instances/instances.ts';
import type { Registry } from '#lib/registry/snapshot.ts';
import type { CallOutcome, RunningExtension } from '#lib/runtime/runtime.ts';
import type { CallEnd, RunningCallRow, Store } from '#lib/store/store.ts';
import { type Beginning, bothEnds, brokenBy, type EndedCall, type RefusedCall, storeEnd, unavailable } from './call-end.ts';
import { type CallNotes, type CallQuestions, createCallNotes, createCallQuestions, hooksOf } from './call-hooks.ts';
import { createCallQueue } from './call-queue.ts';
import { createStepEvents } from './step-events.ts';
import { createStatsCache } from './stats-cache.ts';
import type { Redactor, SecretTexts } from './redact.ts';
import { refuseByStorage, refuseUnavailable, retryStorage } from './storage-refusal.ts';

/**
 * A call from request to record: resolve → record "running" → wait for a turn → run in the child → record the end → respond.
 * What can go wrong:
 * - storage fails: before the call it does not run; after it, the end is written once storage is back, and the response waits
 *   for that;
 * - a reload between record and turn: the call runs on the revision that serves when its turn comes, which the record names;
 * - it is cancelled while waiting;
 * - the host stops: calls left after the drain end as `cancelled`.
 */
export interface CallService {
  start(request: CallRequestIn): Promise<Result<StartedCall>>;
  list(filter: CallFilter): Promise<Result<CallPage>>;
  stats(query: CallStatsQuery): Promise<CallStats>;
  lastHour(): Promise<LastHour>;
  get(id: string): Promise<Result<Call>>;
  cancel(id: string): Promise<Result<Call>>;
  /** Answers an open question of a running call; only who made the call may. */
  answer(id: string, request: AnswerRequest, actor: string | null): Promise<Result<Call>>;
  inFlight(): number;
  /** Calls in flight that wait for their turn. */
  waiting(): number;
  /** Calls that ran but whose end is not stored yet; the response waits for storage. */
  unwrittenEnds(): number;
  close(drainMs: number): Promise<void>;
}

export interface CallRequestIn {
  /** An unused UUIDv7; generated if absent. */
  readonly id?: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly timeoutMs?: number | undefined;
  readonly revision?: number | undefined;
  readonly source: CallSource;
  readonly actor: string | null;
  /** Id of the calling member, whose sign-in at an MCP server is used. */
  readonly member?: string | undefined;
  readonly replayOf?: string | undefined;
  readonly watcher?: CallWatcher | undefined;
  /** Formats the end after it is recorded. */
  readonly formatEnd?: ((end: RecordedEnd) => string) | undefined;
  /** Context of the caller, if not part of the request. */
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  /** `_meta` of the caller's request, for an MCP server. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

export interface StartedCall {
  readonly id: string;
  /** The record as JSON, or the result of `formatEnd`. */
  readonly finished: Promise<string>;
}

export interface CallServiceOptions {
  readonly registry: Registry<RunningExtension>;
  readonly store: Store;
  /** This server and the others, which may run a call requested here. */
  readonly instances: Pick<Instances, 'id' | 'ask' | 'answer' | 'isCutOff'>;
  readonly callTimeoutMs: number;
  readonly redactor: Redactor;
  /** Storage rejects the end of a call. Emitted once per call. */
  endRefused?(id: string, tool: string, error: unknown): void;
  publish(type: EventType, data: EventData): void;
  /** Null without tracing. */
  readonly tracer: Tracer | null;
  /** Notified of each rejected call, which is not on record. */
  refused(reason: RefusedCall): void;
  /** Notified of each end, once it is on record. */
  ended(call: EndedCall): void;
  /** Ids of other servers that serve an extension. */
  servedBy(extension: string): Promise<readonly string[]>;
  /** Starts a revision other than the serving one, for calls that request it. */
  runningOn(extension: string, revision: number): Promise<Result<RunningExtension>>;
}

interface ActiveCall {
  readonly row: RunningCallRow;
  readonly controller: AbortController;
  readonly notes: CallNotes;
  readonly span: Span | null;
  /** Null: the caller answers itself, or cannot. */
  readonly questions: CallQuestions | null;
  finished: Promise<string>;
}

/** Timeout of a request to another server. */
const LIVE_MS = 1_000;
const CANCEL_MS = 10_000;
const ANSWER_MS = 5_000;
const refusalSchema = z.object({ ok: z.literal(false), problem: z.object({ code: z.literal('state_conflict'), detail: z.string() }) });

/** Aborted calls at the stop of the host. */
const STOPPED = 'The server stopped before the call ended. Changes it made remain. Call it again when the server runs, if that is safe.';

export function createCallService(options: CallServiceOptions): CallService {
  const { registry, store, publish, redactor, tracer, instances } = options;
  const queue = createCallQueue();
  const stats = createStatsCache((query: CallStatsQuery) => store.calls.stats(query));
  const lastHour = createStatsCache(() => store.calls.lastHour());
  const steps = createStepEvents(publish);
  const active = new ShortLivedMap<string, ActiveCall>();
  const unwritten = new Set<string>();
  /** Admitted calls that are not in `active` yet: a stop waits for them too. */
  let beginning = 0;
  let onBegun: (() => void) | null = null;
  let isClosing = false;
  let isCut = false;

  async function start(request: CallRequestIn): Promise<Result<StartedCall>> {
    if (isClosing) return refuse('shutting_down', 'The server is stopping. Call again when it is running.', { retryAfter: 5 });
    beginning += 1;
    try {
      return await begin(request);
    } finally {
      beginning -= 1;
      if (beginning === 0) onBegun?.();
    }
  }

  async function begin(request: CallRequestIn): Promise<Result<StartedCall>> {
    const snapshot = registry.current();
    const found = snapshot.tools.get(request.tool);
    if (found === undefined) return refuse('tool_not_found', `There is no tool “${request.tool}”. GET /api/v1/tools lists all tools.`);
    const { tool } = found;
    const schemas = [tool.parameters];
    if (request.revision !== undefined && request.revision !== found.entry.extension.serving_revision) {
      const other = await options.runningOn(tool.extension, request.revision);
      // A disabled extension runs on no revision; the record says so.
      if (!other.ok && other.problem.code !== 'state_conflict') return other;
      const its = other.ok ? other.value.description.tools.find((item) => item.name === tool.name) : tool;
      if (its === undefined)
        return refuse('tool_not_found', `Revision ${request.revision} of ${tool.extension} has no tool “${tool.name}”.`);
      schemas.push(its.parameters);
    }
    const argsText = JSON.stringify(request.arguments);
    const redaction = redactor.arguments(request.arguments, argsText, schemas);
    const row: RunningCallRow = {
      id: request.id ?? randomUUIDv7(),
      tool: tool.name,
      extension: tool.extension,
      revision: request.revision ?? tool.revision,
      snapshotVersion: snapshot.version,
      source: request.source,
      actor: request.actor,
      argumentsText: redaction.text,
      redacted: redaction.paths,
      startedAt: new Date().toISOString(),
      replayOf: request.replayOf ?? null,
      instance: options.instances.id(),
    };
    const span = tracer === null ? null : beginCallSpan(tracer, row, request);
    // Only a person can be asked, and an aborted signal costs every call a few microseconds.
    const over = request.source === 'web' && request.watcher === undefined ? new AbortController() : null;
    const questions = over === null ? null : createCallQuestions(() => steps.tellSoon('call.progress', row), over.signal);
    const call: ActiveCall = {
      row,
      controller: new AbortController(),
      notes: createCallNotes(),
      span,
      questions,
      finished: Promise.resolve(''),
    };
    const began: Beginning = { startedAt: row.startedAt, beganAt: performance.now() };
    // A statement could wait so long that other servers end the call meanwhile.
    if (instances.isCutOff()) {
      span?.end('storage');
      options.refused('storage');
      return refuseUnavailable();
    }
    if (!queue.admit(tool.extension)) {
      span?.end('too_many_calls');
      options.refused('too_many_calls');
      return refuse('too_many_calls', `1,000 calls of ${tool.extension} are already waiting. Call again in a few seconds.`, {
        retryAfter: 2,
      });
    }
    try {
      await store.calls.insertRunning(row);
    } catch (error) {
      queue.quit(tool.extension);
      span?.end('storage');
      options.refused('storage');
      return refuseByStorage(error);
    }
    active.set(row.id, call);
    if (isCut) call.controller.abort(STOPPED);
    publish('call.started', {
      snapshot_version: row.snapshotVersion,
      call_id: row.id,
      tool: row.tool,
      extension: row.extension,
      status: 'running',
    });
    call.finished = run(call, tool, argsText, redaction.secrets, request, began).finally(() => {
      queue.quit(tool.extension);
      span?.end('not_recorded');
      over?.abort();
    });
    return ok({ id: row.id, finished: call.finished });
  }

  async function run(
    call: ActiveCall,
    tool: Tool,
    argsText: string,
    secrets: SecretTexts,
    request: CallRequestIn,
    began: Beginning,
  ): Promise<string> {
    const { row, controller, notes } = call;
    let revision = row.revision;
    let outcome: CallOutcome = { status: 'cancelled', error: { kind: 'cancelled', message: 'The call was cancelled before it started.' } };
    if (await queue.enter(tool.extension, controller.signal)) {
      try {
        const entry = registry.current().tools.get(tool.name)?.entry;
        const serving = entry?.extension.id === tool.extension ? entry.running : null;
        const isServing = request.revision === undefined || request.revision === entry?.extension.serving_revision;
        // Resolved again: the revision may have been replaced or stopped meanwhile.
        const other = isServing || request.revision === undefined ? null : await options.runningOn(tool.extension, request.revision);
        const running = other === null ? serving : other.ok ? other.value : null;
        if (running === null)
          outcome = { status: 'failed', error: unavailable(tool, registry, other, await options.servedBy(tool.extension)) };
        else {
          if (other === null) revision = entry?.extension.serving_revision ?? revision;
          const execution = tracer?.begin(`execute ${tool.name}`, { parent: call.span }) ?? null;
          const timeoutMs = request.timeoutMs ?? tool.timeout_ms ?? options.callTimeoutMs;
          // Authors raise the timeout of their own tool, but not of a server's tools; a timeout given by the caller is
          // explicit.
          const isExtended = entry?.extension.kind === 'mcp' && request.timeoutMs === undefined;
          const extendedMs = isExtended ? LIMITS.callTimeoutMostMs : undefined;
          const hooks = hooksOf(
            {
              callId: row.id,
              traceparent: execution?.traceparent,
              meta: request.meta,
              timeoutMs,
              extendedMs,
              signal: controller.signal,
              member: request.member,
            },
            {
              notes,
              redactor,
              secrets,
              watcher: request.watcher,
              answerer: call.questions?.answerer,
              onStep: (type) => steps.tellSoon(type, row),
            },
          );
          outcome = await running.callTool(tool.name, argsText, hooks);
          execution?.end(errorKindOf(outcome));
        }
      } catch (error) {
        outcome = brokenBy(error);
      } finally {
        queue.leave(tool.extension);
      }
    }
    const ends = bothEnds(outcome, notes, revision, began, redactor, secrets);
    const write = (stored: CallEnd): Promise<void> =>
      retryStorage(
        () => store.calls.finish(row.id, stored),
        () => isClosing,
        (error) => {
          unwritten.add(row.id);
          options.endRefused?.(row.id, row.tool, error);
        },
      );
    let end: CallEnd;
    try {
      end = await storeEnd(ends, began, write);
    } catch (error) {
      // The others declared this server gone during a network partition, and ended its calls.
      const kept = await store.calls.get(row.id);
      if (kept === null || kept.status === 'running') throw error;
      return request.formatEnd === undefined
        ? JSON.stringify(kept)
        : request.formatEnd({ id: row.id, resultText: null, error: kept.error });
    } finally {
      unwritten.delete(row.id);
      active.delete(row.id);
    }
    const { status, durationMs } = end;
    const errorKind = end.error?.kind ?? null;
    if (call.span !== null) endCallSpan(call.span, end);
    const { id, extension, source } = row;
    const traceId = call.span?.traceId ?? null;
    options.ended({ id, tool: row.tool, extension, revision: end.revision, source, status, errorKind, durationMs, traceId });
    steps.tellRest(row);
    publish('call.finished', {
      snapshot_version: row.snapshotVersion,
      call_id: row.id,
      tool: row.tool,
      extension: row.extension,
      revision: end.revision,
      status: end.status,
    });
    return request.formatEnd === undefined
      ? callJson(row, end)
      : request.formatEnd({ id: row.id, resultText: end.resultText, error: end.error });
  }

  function live(call: Call): Call {
    const running = active.get(call.id);
    if (running === undefined) return call;
    const { logs, isTruncated, progress } = running.notes.read();
    const questions = running.questions?.open() ?? [];
    return {
      ...call,
      logs: [...logs],
      logs_truncated: isTruncated,
      progress,
      ...(questions.length === 0 ? {} : { questions: [...questions] }),
    };
  }

  async function get(id: string): Promise<Result<Call>> {
    const call = await store.calls.get(id);
    return call === null
      ? refuse('call_not_found', `There is no call “${id.slice(0, 80)}”. GET /api/v1/calls lists the newest.`)
      : ok(await liveAnywhere(call));
  }

  /** Its logs and questions are on the server that runs it. */
  async function liveAnywhere(call: Call): Promise<Call> {
    const { instance } = call;
    if (call.status !== 'running' || active.has(call.id) || instance === null || instance === instances.id()) return live(call);
    const answer = await instances.ask(instance, 'call', { id: call.id }, LIVE_MS);
    const seen = answer.ok ? callSchema.safeParse(answer.value) : null;
    return seen?.success === true && seen.data.id === call.id ? seen.data : call;
  }

  async function cancelHere(id: string): Promise<void> {
    const call = active.get(id);
    call?.controller.abort();
    await call?.finished;
  }

  async function answerHere(id: string, request: AnswerRequest, actor: string | null): Promise<Result<Call>> {
    const call = active.get(id);
    const found = await get(id);
    if (!found.ok) return found;
    if (call === undefined || call.questions === null) return refuse('state_conflict', 'This call has no open questions.');
    if (call.row.actor !== actor)
      return refuse('state_conflict', `Only ${call.row.actor ?? 'who made this call'} can answer its questions.`);
    const answered = call.questions.answer(request);
    return answered.ok ? get(id) : answered;
  }

  /** The server that runs it; null: this one, or none. */
  async function elsewhere(id: string): Promise<string | null> {
    if (active.has(id)) return null;
    const call = await store.calls.get(id);
    return call?.status === 'running' && call.instance !== instances.id() ? call.instance : null;
  }

  const idOf = z.object({ id: z.string() });
  const answerOf = z.object({ id: z.string(), request: answerRequestSchema, actor: z.string().nullable() });
  instances.answer('call', async (payload) => {
    const { id } = idOf.parse(payload);
    const call = active.has(id) ? await store.calls.get(id) : null;
    return call === null ? null : live(call);
  });
  instances.answer('call.cancel', async (payload) => {
    await cancelHere(idOf.parse(payload).id);
    return true;
  });
  instances.answer('call.answer', async (payload) => {
    const { id, request, actor } = answerOf.parse(payload);
    return await answerHere(id, request, actor);
  });

  return {
    start,
    get,
    async list(filter) {
      const page = await store.calls.list(filter);
      if (page === null) return refuse('query_invalid', '`cursor` is not a cursor of a list of calls. Omit it to start with the newest.');
      return ok({ calls: page.calls.map((call) => (call.status === 'running' ? live(call) : call)), next_cursor: page.next_cursor });
    },
    stats: (query) => stats.of(query),
    lastHour: () => lastHour.of({}),
    async cancel(id) {
      const other = await elsewhere(id);
      if (other === null) await cancelHere(id);
      else {
        const cancelled = await instances.ask(other, 'call.cancel', { id }, CANCEL_MS);
        if (!cancelled.ok) return cancelled;
      }
      return get(id);
    },
    async answer(id, request, actor) {
      const other = await elsewhere(id);
      if (other === null) return answerHere(id, request, actor);
      const answered = await instances.ask(other, 'call.answer', { id, request, actor }, ANSWER_MS);
      if (!answered.ok) return answered;
      const refusal = refusalSchema.safeParse(answered.value);
      return refusal.success ? refuse(refusal.data.problem.code, refusal.data.problem.detail) : get(id);
    },
    inFlight: () => active.size,
    unwrittenEnds: () => unwritten.size,
    waiting: () => queue.waiting(),
    async close(drainMs) {
      isClosing = true;
      const begun = Promise.withResolvers<void>();
      onBegun = begun.resolve;
      const left = async (): Promise<void> => {
        if (beginning > 0) await begun.promise;
        await Promise.allSettled([...active.values()].map((call) => call.finished));
      };
      const limit = Promise.withResolvers<void>();
      const timer = setTimeout(limit.resolve, drainMs);
      await Promise.race([left(), limit.promise]);
      clearTimeout(timer);
      isCut = true;
      for (const call of active.values()) call.controller.abort(STOPPED);
      await left();
      steps.close();
    },
  };
}

/**
 * JSON text of a Call, concatenated from existing texts: arguments and result are neither parsed nor serialized again. Members
 * and their order are those of `callSchema`; a test parses this text with it.
 */
export function callJson(row: RunningCallRow, end: CallEnd | null): string {
  const head = `{"id":"${row.id}","tool":${JSON.stringify(row.tool)},"extension":${JSON.stringify(row.extension)},"revision":${end === null ? row.revision : end.revision},"snapshot_version":${row.snapshotVersion},"source":"${row.source}","actor":${JSON.stringify(row.actor)},"arguments":${row.argumentsText},"redacted":${JSON.stringify(row.redacted)}`;
  const replay = `"replay_of":${JSON.stringify(row.replayOf)},"instance":${JSON.stringify(row.instance)}}`;
  if (end === null) {
    return `${head},"status":"running","result":null,"error":null,"logs":[],"logs_truncated":false,"progress":null,"started_at":"${row.startedAt}","finished_at":null,"duration_ms":null,${replay}`;
  }
  return `${head},"status":"${end.status}","result":${end.resultText ?? 'null'},"error":${JSON.stringify(end.error)},"logs":${JSON.stringify(end.logs)},"logs_truncated":${end.logsTruncated},"progress":${JSON.stringify(end.progress)},"started_at":"${row.startedAt}","finished_at":"${end.finishedAt}","duration_ms":${end.durationMs},${replay}`;
}

/** Span attributes of a call: names, ids and codes, never arguments or results. */
function beginCallSpan(
  tracer: Tracer,
  row: RunningCallRow,
  { traceparent, tracestate }: Pick<CallRequestIn, 'traceparent' | 'tracestate'>,
): Span {
  return tracer.begin(`call ${row.tool}`, {
    parent: traceparent === undefined ? null : { traceparent, tracestate },
    attributes: {
      'switchboard.call.id': row.id,
      'switchboard.call.source': row.source,
      'switchboard.tool': row.tool,
      'switchboard.extension': row.extension,
      'switchboard.snapshot_version': row.snapshotVersion,
    },
  });
}

function endCallSpan(span: Span, { status, revision, error }: Pick<CallEnd, 'status' | 'revision' | 'error'>): void {
  span.set({
    'switchboard.call.status': status,
    ...(revision === null ? {} : { 'switchboard.revision': revision }),
    ...(error === null ? {} : { 'error.type': error.kind }),
  });
  span.end(error?.kind ?? null);
}

function errorKindOf(outcome: CallOutcome): string | null {
  return outcome.status === 'succeeded' ? null : outcome.error.kind;
}
