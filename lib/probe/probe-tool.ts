import fc from 'fast-check';
import type { Call } from '#lib/contract/call.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { Finding, ProbeReport } from '#lib/contract/probe.ts';
import { createProbeArguments } from './probe-arguments.ts';
import type { Arguments } from './probe-arguments.ts';

/** Whoever answers calls; null when it refused, which `signal` then tells. */
export interface ProbeCallee {
  call(tool: string, given: Arguments, timeoutMs: number): Promise<Call | null>;
}

export interface ProbeOptions {
  readonly runs: number;
  readonly seed: number;
  readonly timeoutMs: number;
  readonly slowMs: number;
  readonly signal: AbortSignal;
}

/** Invalid arguments never reach the tool, so a few tell. */
const INVALID_SHARE = 0.2;
/** A hang is a whole timeout each time. */
const SHRINK_MOST_MS = 10_000;

/** Calls the tool with arguments made up from its schema until something is found or all runs are through, and makes what was found small. */
export async function probeTool(callee: ProbeCallee, tool: Tool, options: ProbeOptions): Promise<Omit<ProbeReport, 'complete'>> {
  const { runs, seed, signal } = options;
  const made = createProbeArguments(tool.parameters);
  let calls = 0;
  let shrinkUntil = Number.POSITIVE_INFINITY;

  async function ask(given: Arguments, isValid: boolean): Promise<Finding | null> {
    calls += 1;
    const call = await callee.call(tool.name, given, options.timeoutMs);
    fc.pre(call !== null);
    // After a crash the process may have to wait until it is started again; that says nothing about these arguments.
    fc.pre(call.error?.kind !== 'extension_unavailable');
    const judged = isValid ? judgeValid(call, options.slowMs) : judgeInvalid(call);
    return judged === null ? null : { ...judged, arguments: given, call_id: call.id };
  }

  async function search(arbitrary: fc.Arbitrary<Arguments>, isValid: boolean, numRuns: number): Promise<Finding[]> {
    shrinkUntil = Number.POSITIVE_INFINITY;
    let last: Finding | null = null;
    const property = fc.asyncProperty(arbitrary, async (given) => {
      if (performance.now() > shrinkUntil) return true;
      fc.pre(!signal.aborted && made.isValid(given) === isValid);
      const finding = await ask(given, isValid);
      if (finding === null || (last !== null && finding.kind !== last.kind)) return true;
      if (last === null) shrinkUntil = performance.now() + SHRINK_MOST_MS;
      last = finding;
      return false;
    });
    const checked = await fc.check(property, { numRuns, seed, maxSkipsPerRun: 20 });
    // Thrown by whoever answers the calls, and no finding.
    if (last === null && checked.errorInstance instanceof Error) throw checked.errorInstance;
    return last === null ? [] : [last];
  }

  const valid = await search(made.valid, true, runs);
  const invalid = await search(made.invalid, false, Math.max(1, Math.round(runs * INVALID_SHARE)));
  return { tool: tool.name, calls, seed, findings: [...valid, ...invalid] };
}

const STACK = /\n\s+at .+:\d+:\d+\)?|\n {2}File ".+", line \d+/;

function judgeValid(call: Call, slowMs: number): Pick<Finding, 'kind' | 'message'> | null {
  const { error } = call;
  if (error === null) {
    const took = call.duration_ms ?? 0;
    return took > slowMs ? { kind: 'slow', message: `It took ${Math.round(took)} ms; ${slowMs} ms are allowed.` } : null;
  }
  if (error.kind === 'extension_crashed') return { kind: 'crash', message: error.message };
  if (error.kind === 'timeout') return { kind: 'hang', message: error.message };
  if (error.kind === 'schema_error') return { kind: 'result_breaks_schema', message: error.message };
  if (error.kind === 'result_not_serializable' || error.kind === 'result_too_large')
    return { kind: 'result_unusable', message: error.message };
  return STACK.test(error.message) ? { kind: 'stack_in_message', message: error.message } : null;
}

function judgeInvalid(call: Call): Pick<Finding, 'kind' | 'message'> | null {
  if (call.error?.kind === 'invalid_parameters') return null;
  return { kind: 'invalid_accepted', message: `The arguments do not fit the schema, and the call ended as ${call.status}.` };
}
