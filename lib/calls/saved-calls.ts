import { randomUUIDv7 } from 'node:crypto';
import { callSchema, type CallSource } from '#lib/contract/call.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { leaveOutAt } from '#lib/contract/replace-secrets.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type {
  Expectation,
  SaveCall,
  SavedCall,
  SavedCallChange,
  SavedCallList,
  SavedCallOutcome,
  SavedRun,
} from '#lib/contract/saved-call.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { isDestructive } from '#lib/contract/tool-hints.ts';
import type { Store } from '#lib/store/store.ts';
import type { CallRequestIn, CallService } from './call-service.ts';
import type { IdempotentCalls, RepeatableCall } from './idempotent-calls.ts';
import { checkExpectation } from './check-expectation.ts';
import type { CheckResult } from './check-expectation.ts';
import type { Redactor, SecretTexts } from './redact.ts';
import type { RequiredChecks } from './required-checks.ts';

/**
 * Saved calls and their expectations. What can go wrong:
 * - arguments contain secrets: they are left out before the first copy, the record has their locations, and a run needs them
 *   again;
 * - a result contains secrets: it is judged as in the history, without them, so that no reason repeats one;
 * - a result schema hangs: it is checked in its own process, and the check fails;
 * - the saved call changes during a run: the result goes to the caller and is not stored;
 * - a required check needs a person: it is rejected with the reason.
 */
export interface SavedCalls {
  list(tool: string): Promise<SavedCallList>;
  /** All tools, by tool and name. */
  listAll(): Promise<SavedCallList>;
  get(id: string): Promise<Result<SavedCall>>;
  save(request: SaveCall, actor: string | null): Promise<Result<SavedCall>>;
  change(id: string, change: SavedCallChange, actor: string | null): Promise<Result<SavedCall>>;
  /** Returns the removed one. */
  remove(id: string, actor: string | null): Promise<Result<SavedCall>>;
  /** Resolves when the call runs; `finished` when it has ended and is judged. */
  start(
    id: string,
    args: Readonly<Record<string, unknown>> | null,
    source: CallSource,
    actor: string | null,
    /** Idempotent by key: a repeated request is not judged again. */
    key?: string | null,
  ): Promise<Result<StartedSavedCall>>;
}

/** A running saved call. The caller must await `finished` or handle its rejection. */
export interface StartedSavedCall {
  readonly savedCall: SavedCall;
  readonly callId: string;
  /** It ran before, under the same key. */
  readonly isRepeated: boolean;
  readonly finished: Promise<SavedCallOutcome>;
}

export interface SavedCallsOptions {
  readonly redactor: Redactor;
  readonly calls: Pick<CallService, 'start' | 'get'>;
  readonly idempotent: Pick<IdempotentCalls, 'startAs'>;
  readonly saved: Store['savedCalls'];
  /** Why a schema is invalid; null if valid. */
  readonly inspectSchema: (schema: Readonly<Record<string, unknown>>) => Promise<string | null>;
  readonly checkResult: CheckResult;
  readonly required: Pick<RequiredChecks, 'count' | 'reread'>;
  /** Tools of an extension, which share a limit of required checks. */
  toolsOf(extension: string): readonly string[];
  /** The required checks of the tool's extension changed. */
  requirementChanged(tool: string, actor: string | null): void;
  toolOf(name: string): Tool | null;
  /** A saved call of this tool was created, changed, removed or run. */
  notify(tool: string, run: SavedRun | null): void;
  readonly now?: () => Date;
}

export function createSavedCalls(options: SavedCallsOptions): SavedCalls {
  const { calls, saved, notify } = options;
  const now = (): string => (options.now?.() ?? new Date()).toISOString();

  async function get(id: string): Promise<Result<SavedCall>> {
    const found = await saved.get(id);
    return found === null ? unknownSavedCall(id) : ok(found);
  }

  async function startNew(request: Result<CallRequestIn>): Promise<Result<RepeatableCall>> {
    const started = request.ok ? await calls.start(request.value) : request;
    return started.ok ? ok({ ...started.value, isRepeated: false }) : started;
  }

  /** Result of a run, once it has ended. */
  async function judged(one: SavedCall, finished: Promise<string>): Promise<SavedCallOutcome> {
    const { expectation } = one;
    const answer = callSchema.parse(parseExactJson(await finished));
    const kept = await calls.get(answer.id);
    const reason = expectation === null ? null : await checkExpectation(kept.ok ? kept.value : answer, expectation, options.checkResult);
    const run: SavedRun = {
      call_id: answer.id,
      ran_at: answer.started_at,
      revision: answer.revision,
      status: answer.status,
      passed: expectation === null ? null : reason === null,
      failed_because: reason,
    };
    await saved.noteRun(one.id, one.updated_at, run);
    notify(one.tool, run);
    return { saved_call: { ...one, last_run: run }, call: answer };
  }

  /** Without secrets and within the limits; or the problem. */
  async function prepare(
    tool: Tool,
    args: Readonly<Record<string, unknown>>,
    expectation: Expectation | null,
  ): Promise<Result<Pick<SavedCall, 'arguments' | 'left_out' | 'expectation'>>> {
    const argsText = JSON.stringify(args);
    if (Buffer.byteLength(argsText) + Buffer.byteLength(JSON.stringify(expectation)) > LIMITS.savedCallBytes) {
      return refuse('body_fields_invalid', `Arguments and expectation together exceed ${LIMITS.savedCallBytes / 1_024} KiB as JSON.`);
    }
    const problem = expectation === null ? null : await problemOf(expectation);
    if (problem !== null) return refuse('body_fields_invalid', problem);
    const { paths, secrets } = options.redactor.arguments(args, argsText, [tool.parameters]);
    const kept = leaveOutAt(args, paths);
    return ok({
      arguments: kept,
      left_out: [...paths],
      expectation: expectation === null ? null : withoutSecrets(expectation, options.redactor, secrets),
    });
  }

  async function problemOf(expectation: Expectation): Promise<string | null> {
    const { status = 'succeeded', error_kind: kind, result_includes: part, result_schema: schema } = expectation;
    if (status !== 'succeeded' && (part !== undefined || schema !== undefined))
      return `Only a succeeded call has a result. Leave out result_includes and result_schema, or expect succeeded instead of ${status}.`;
    if (status === 'succeeded' && kind !== undefined)
      return 'A succeeded call has no error. Leave out error_kind, or expect another status.';
    const fault = schema === undefined ? null : await options.inspectSchema(schema);
    return fault === null ? null : `result_schema ${fault}`;
  }

  /** Why it cannot be a required check; null if it can. */
  function refuseRequired(tool: Tool, saved: SavedCall, isNew: boolean): Result<never> | null {
    if (saved.expectation === null)
      return refuse('body_fields_invalid', 'Only a check can be required: add an expectation, or send "required": false.');
    if (saved.left_out.length > 0)
      return refuse(
        'body_fields_invalid',
        `The server runs required checks without the secrets at ${saved.left_out.join(', ')}, which are not stored. Save it without them, or send "required": false.`,
      );
    if (isDestructive(tool))
      return refuse(
        'body_fields_invalid',
        `${tool.name} declares that it is destructive, so it is not called at every load. Send "required": false.`,
      );
    if (isNew && options.required.count(options.toolsOf(tool.extension)) >= LIMITS.requiredChecks)
      return refuse(
        'state_conflict',
        `${tool.extension} has ${LIMITS.requiredChecks} required checks, the maximum. Make one optional first.`,
      );
    return null;
  }

  async function reportChange(tool: string, wasRequired: boolean, isRequired: boolean, actor: string | null): Promise<void> {
    await options.required.reread(tool);
    notify(tool, null);
    if (wasRequired || isRequired) options.requirementChanged(tool, actor);
  }

  async function changeOne(id: string, change: SavedCallChange, actor: string | null): Promise<Result<SavedCall>> {
    const before = await get(id);
    if (!before.ok) return before;
    const old = before.value;
    const tool = options.toolOf(old.tool);
    const updatedAt = laterThan(old.updated_at, now());
    let next: SavedCall = { ...old, name: change.name ?? old.name, required: change.required ?? old.required, updated_at: updatedAt };
    if (change.timeout_ms !== undefined) next = { ...next, timeout_ms: change.timeout_ms };
    if (change.arguments !== undefined || change.expectation !== undefined) {
      if (tool === null) return unknownTool(old.tool);
      const expectation = change.expectation === undefined ? old.expectation : change.expectation;
      const prepared = await prepare(tool, change.arguments ?? old.arguments, expectation);
      if (!prepared.ok) return prepared;
      const leftOut = change.arguments === undefined ? old.left_out : prepared.value.left_out;
      next = { ...next, ...prepared.value, left_out: leftOut, last_run: null };
    }
    if (next.required && isAnother(old, next)) {
      const refusal = tool === null ? unknownTool(old.tool) : refuseRequired(tool, next, !old.required);
      if (refusal !== null) return refusal;
    }
    const kept = await saved.replace(next, old.updated_at);
    // Somebody else changed it meanwhile: this change applies to theirs.
    if (kept === 'changed') return changeOne(id, change, actor);
    if (kept === 'name_taken') return nameTaken(next);
    if (kept === 'gone') return unknownSavedCall(id);
    await reportChange(next.tool, old.required, next.required, actor);
    return ok(next);
  }

  return {
    get,
    list: async (tool) => ({ saved_calls: await saved.list(tool) }),
    listAll: async () => ({ saved_calls: await saved.listAll(LIMITS.savedCallsListed) }),

    async save(request, actor) {
      const tool = options.toolOf(request.tool);
      if (tool === null) return unknownTool(request.tool);
      const prepared = await prepare(tool, request.arguments, request.expectation);
      if (!prepared.ok) return prepared;
      const at = now();
      const made: SavedCall = {
        id: randomUUIDv7(),
        tool: tool.name,
        name: request.name,
        ...prepared.value,
        timeout_ms: request.timeout_ms,
        required: request.required,
        last_run: null,
        created_by: actor,
        created_at: at,
        updated_at: at,
      };
      const refusal = made.required ? refuseRequired(tool, made, true) : null;
      if (refusal !== null) return refusal;
      const kept = await saved.insert(made);
      if (kept === 'name_taken') return nameTaken(made);
      if (kept === 'full')
        return refuse('state_conflict', `${tool.name} has ${LIMITS.savedCallsPerTool} saved calls, the maximum. Delete one first.`);
      await reportChange(made.tool, false, made.required, actor);
      return ok(made);
    },

    change: changeOne,

    async remove(id, actor) {
      const found = await get(id);
      if (!found.ok) return found;
      await saved.remove(id);
      await reportChange(found.value.tool, found.value.required, false, actor);
      return found;
    },

    async start(id, args, source, actor, key = null) {
      const found = await get(id);
      if (!found.ok) return found;
      const make = (): Result<CallRequestIn> => requestOf(found.value, args, source, actor);
      const started = key === null ? await startNew(make()) : await options.idempotent.startAs(key, ['saved call', id, args], make);
      if (!started.ok) return started;
      const { id: callId, isRepeated, finished } = started.value;
      const outcome = isRepeated ? repeated(found.value, finished) : judged(found.value, finished);
      return ok({ savedCall: found.value, callId, isRepeated, finished: outcome });
    },
  };
}

/** An earlier call, as on record. */
async function repeated(one: SavedCall, finished: Promise<string>): Promise<SavedCallOutcome> {
  return { saved_call: one, call: callSchema.parse(parseExactJson(await finished)) };
}

function requestOf(
  { tool, left_out: leftOut, arguments: kept, timeout_ms: timeoutMs }: SavedCall,
  args: Readonly<Record<string, unknown>> | null,
  source: CallSource,
  actor: string | null,
): Result<CallRequestIn> {
  if (args !== null || leftOut.length === 0) return ok({ tool, arguments: args ?? kept, timeoutMs: timeoutMs ?? undefined, source, actor });
  return refuse(
    'redacted_arguments',
    `The arguments at ${leftOut.join(', ')} are secrets and are not stored. Send all arguments in the body: {"arguments": {…}}.`,
  );
}

/** Whether a required check changed; its name and times do not count. */
function isAnother(old: SavedCall, next: SavedCall): boolean {
  return !old.required || old.expectation !== next.expectation || old.arguments !== next.arguments;
}

/** Results are judged without secrets, so expectations are stored without them too. */
function withoutSecrets(expectation: Expectation, redactor: Redactor, secrets: SecretTexts): Expectation {
  if (expectation.result_includes === undefined) return expectation;
  return { ...expectation, result_includes: redactor.value(expectation.result_includes, secrets) };
}

function unknownSavedCall(id: string): Result<never> {
  return refuse(
    'saved_call_not_found',
    `There is no saved call “${id.slice(0, 80)}”. GET /api/v1/saved-calls?tool=… lists those of a tool.`,
  );
}

function unknownTool(name: string): Result<never> {
  return refuse(
    'tool_not_found',
    `There is no tool “${name.slice(0, 80)}”, so secrets in its arguments cannot be identified. GET /api/v1/tools lists all tools.`,
  );
}

function nameTaken(saved: SavedCall): Result<never> {
  const message = `${saved.tool} already has a saved call named “${saved.name}”. Choose another name, or change that one.`;
  return refuse('state_conflict', message, { extra: { issues: [{ path: '/name', message }] } });
}

/** ISO times: `now`, or a millisecond after `before` if the clock does not show one yet, so that each change has a time of its own. */
function laterThan(before: string, now: string): string {
  return now > before ? now : new Date(Date.parse(before) + 1).toISOString();
}
