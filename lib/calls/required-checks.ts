import { randomUUIDv7 } from 'node:crypto';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import type { FailedCheck } from '#lib/contract/failure.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import { isDestructive } from '#lib/contract/tool-hints.ts';
import type { CallOutcome, RawFailure, RunningExtension, ToolDescription } from '#lib/runtime/runtime.ts';
import type { Store } from '#lib/store/store.ts';
import { checkExpectation, type CheckResult } from './check-expectation.ts';
import type { Redactor } from './redact.ts';

/**
 * Checks that a new revision must pass before it serves. They are held in memory, so that a load without checks reads no disk,
 * and run on the new process while the old one serves. What can go wrong:
 * - checks hang or are many: a few run at a time within a total timeout; unfinished ones fail;
 * - a newer save supersedes the load: the calls are cancelled and their results dropped;
 * - the new revision lacks the tool or declares it destructive: it is not called, and the check fails.
 * These calls are not in the history: no person made them, and the revision has no number yet. The failure contains the results
 * of failed checks.
 */
export interface RequiredChecks {
  guards(tools: readonly string[]): boolean;
  judge(running: RunningExtension, tools: readonly string[], signal: AbortSignal): Promise<RawFailure | null>;
  /** Number of checks of these tools. */
  count(tools: readonly string[]): number;
  /** Reads the saved calls of a tool again after a write. */
  reread(tool: string): Promise<void>;
}

export interface RequiredChecksOptions {
  readonly saved: Pick<Store['savedCalls'], 'list'>;
  /** The required checks at the start. */
  readonly required: readonly SavedCall[];
  readonly checkResult: CheckResult;
  readonly callTimeoutMs: number;
  readonly redactor: Redactor;
  /** For all checks of a load. */
  readonly timeMs?: number;
}

type Ended = Pick<Parameters<typeof checkExpectation>[0], 'status' | 'result' | 'error'>;

const NAMED = 3;
const PRINTED_LINES = 100;

export function createRequiredChecks(options: RequiredChecksOptions): RequiredChecks {
  const timeMs = options.timeMs ?? LIMITS.requiredChecksMs;
  const byTool = new Map<string, readonly SavedCall[]>();
  for (const check of options.required) byTool.set(check.tool, [...(byTool.get(check.tool) ?? []), check]);

  const of = (tools: readonly string[]): readonly SavedCall[] => tools.flatMap((tool) => byTool.get(tool) ?? []);

  async function make(check: SavedCall, tool: ToolDescription | undefined, running: RunningExtension, signal: AbortSignal) {
    const failed = (reason: string, came: Ended | null): FailedCheck => ({
      saved_call_id: check.id,
      tool: check.tool,
      name: check.name,
      reason,
      expected: short(JSON.stringify(check.expectation)),
      came: came === null ? null : short(shown(came)),
    });
    if (tool === undefined) return failed('This revision has no tool with this name.', null);
    if (isDestructive(tool)) return failed('The tool now declares that it is destructive, so it was not called.', null);
    if (signal.aborted) return failed(outOfTime(timeMs, 'was not made'), null);
    const outcome = await running.callTool(check.tool, JSON.stringify(check.arguments), {
      callId: randomUUIDv7(),
      timeoutMs: check.timeout_ms ?? tool.timeoutMs ?? options.callTimeoutMs,
      signal,
      onLog: () => undefined,
      onProgress: () => undefined,
    });
    const ended = endOf(outcome, options.redactor);
    if (signal.aborted) return failed(outOfTime(timeMs, 'did not end'), ended);
    const reason = await checkExpectation(ended, check.expectation ?? {}, options.checkResult);
    return reason === null ? null : failed(reason, ended);
  }

  return {
    guards: (tools) => byTool.size > 0 && tools.some((tool) => byTool.has(tool)),
    count: (tools) => of(tools).length,

    async reread(tool) {
      const required = (await options.saved.list(tool)).filter((saved) => saved.required);
      if (required.length === 0) byTool.delete(tool);
      else byTool.set(tool, required);
    },

    async judge(running, tools, signal) {
      const checks = of(tools);
      const described = new Map(running.description.tools.map((tool, at) => [tool.name, { tool, at }]));
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeMs)]);
      const waiting = [...checks.entries()];
      const failed: { readonly at: number; readonly check: FailedCheck }[] = [];
      const worker = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const [at, check] = next;
          const found = await make(check, described.get(check.tool)?.tool, running, limit);
          if (found !== null) failed.push({ at, check: found });
        }
      };
      await Promise.all(Array.from({ length: Math.min(LIMITS.requiredChecksAtOnce, checks.length) }, worker));
      if (failed.length === 0) return null;
      const inOrder = failed.toSorted((one, other) => one.at - other.at).map(({ check }) => check);
      const place = described.get(inOrder[0]?.tool ?? '')?.at;
      return {
        code: 'check_failed',
        message: messageOf(inOrder, checks.length),
        failedChecks: inOrder.slice(0, LIMITS.failedChecksKept),
        output: outputOf(running),
        ...(place === undefined ? {} : { subject: ['TOOLS', place, 'execute'] }),
      };
    },
  };
}

/** As in the history: judged and shown without secrets. */
function endOf(outcome: CallOutcome, redactor: Redactor): Ended {
  if (outcome.status === 'succeeded') {
    const result = parseExactJson(redactor.jsonText(outcome.resultText, []));
    return { status: 'succeeded', result, error: null };
  }
  return { status: outcome.status, result: null, error: redactor.error(outcome.error, []) };
}

function shown({ status, result, error }: Ended): string {
  return JSON.stringify(error === null ? { status, result } : { status, error });
}

function short(text: string): string {
  const head = Buffer.from(text).subarray(0, LIMITS.failedCheckBytes);
  return head.length === Buffer.byteLength(text) ? text : `${head.toString('utf8').replace(/\uFFFD$/, '')}…`;
}

function outputOf(running: RunningExtension): string {
  const lines = running.logs().lines.filter(({ stream }) => stream !== 'host');
  return lines
    .slice(-PRINTED_LINES)
    .map(({ message }) => message)
    .join('\n')
    .slice(-LIMITS.errorMessageBytes);
}

function outOfTime(timeMs: number, what: string): string {
  return `It ${what} within the ${timeMs / 1_000} s limit of all required checks of a revision.`;
}

function messageOf(failed: readonly FailedCheck[], all: number): string {
  const [first] = failed;
  if (first !== undefined && failed.length === 1)
    return `The required check “${first.name}” of ${first.tool} did not pass: ${first.reason}`;
  const more = failed.length - NAMED;
  const shown = failed.slice(0, NAMED);
  const names = `${shown.map(({ name, tool }) => `“${name}” of ${tool}`).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const reasons = shown.map(({ name, reason }) => `\n- “${name}”: ${reason}`);
  return `${failed.length} of ${all} required checks did not pass: ${names}.${reasons.join('')}`;
}
