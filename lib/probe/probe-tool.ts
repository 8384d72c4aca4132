import fc from 'fast-check';
import type { Finding, ProbeReport } from '#lib/contract/probe.ts';
import { shrinkingWhile } from './edge-arbitrary.ts';
import { createProbeArguments } from './probe-arguments.ts';
import type { Arguments } from './probe-arguments.ts';
import type { EndedCall, ProbeJob } from './probe-options.ts';
import { hasStackTrace } from '#lib/contract/failure.ts';

/** Makes the calls; each comes with the findings so far. */
export type AskCall = (given: Arguments, known: ProbeReport) => Promise<EndedCall>;

/** In milliseconds. */
export interface ProbeClock {
  now(): number;
  pause(ms: number): Promise<void>;
}
const REAL_CLOCK: ProbeClock = {
  now: () => performance.now(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Invalid arguments never reach the tool, so a few suffice. */
const INVALID_SHARE = 0.2;
/** Each hang costs a full timeout. */
const SHRINK_MOST_MS = 10_000;
/** Generates invalid arguments until the generator ends. */
const MISSES_MOST = 2_000;
const SKIPS_PER_RUN = 50;
/** Known crashes and hangs; each costs a process or a full timeout. */
const REPEATS_MOST = 3;
/** Wait for a restart of the extension; in milliseconds. */
const WAITS = [250, 1_000, 2_000];
/** Calls that may be slow because the process starts: the first one, and after a crash. */
const FIRST_STARTS = 1;
const STARTS_AFTER_CRASH = 3;
/** After this time the process of an unresponsive call has been killed; an earlier call would end with it. */
const AFTER_HANG_MS = 2_000;
const SEEDS = 2_147_483_648;

/**
 * Calls the tool with arguments generated from its schema, for one kind of finding after the other, and shrinks each finding.
 * What can go wrong: no valid arguments, no responses, or an extension that does not restart after a crash; then the report is
 * incomplete and says why.
 */
export async function probeTool(askCall: AskCall, { tool, options }: ProbeJob, clock: ProbeClock = REAL_CLOCK): Promise<ProbeReport> {
  const { runs, seed, timeoutMs, slowMs } = options;
  const made = createProbeArguments(tool.parameters, tool.examples);
  const findings = new Map<Finding['kind'], Finding>();
  let calls = 0;
  let answered = 0;
  let repeats = 0;
  let starts = FIRST_STARTS;
  let stopped: string | null = made.fault;
  let paused = 0;

  async function pause(ms: number): Promise<void> {
    await clock.pause(ms);
    paused += ms;
  }

  function report(): ProbeReport {
    const few = answered >= runs || stopped !== null ? [] : [tooFew(answered, runs)];
    return {
      tool: tool.name,
      calls,
      answered,
      seed,
      findings: [...findings.values()],
      complete: answered >= runs && stopped === null,
      notes: [...(stopped === null ? few : [stopped]), ...made.notes],
      timeout_ms: timeoutMs,
      slow_ms: slowMs,
    };
  }

  /** Null if it says nothing about these arguments. */
  async function ask(given: Arguments, isValid: boolean): Promise<readonly (Judgement & { id: string })[] | null> {
    let waits = 0;
    for (;;) {
      calls += 1;
      const call = await askCall(given, report());
      if (call.error !== null && (call.isBystander === true || call.error.kind === 'extension_unavailable')) {
        const wait = WAITS[waits];
        waits += 1;
        if (wait === undefined) {
          stopped = `It ended after ${answered} of ${runs} calls: ${call.error.message}`;
          return null;
        }
        await pause(wait);
        continue;
      }
      if (call.status === 'cancelled') return null;
      const judged = judgeProbeCall(call, isValid, slowMs);
      if (judged.some(({ kind }) => kind === 'hang')) await pause(AFTER_HANG_MS);
      if (starts > 0 && judged.some(({ kind }) => kind === 'slow' || kind === 'hang')) {
        starts -= 1;
        continue;
      }
      starts = judged.some(({ kind }) => kind === 'crash') ? STARTS_AFTER_CRASH : 0;
      return judged.map((one) => ({ ...one, id: call.id }));
    }
  }

  function countRepeats(judged: readonly Judgement[]): void {
    const again = judged.find(({ kind }) => (kind === 'crash' || kind === 'hang') && findings.has(kind));
    if (again === undefined) return;
    repeats += 1;
    if (repeats >= REPEATS_MOST)
      stopped = `It ended after ${answered} of ${runs} calls, since they repeatedly ${again.kind === 'crash' ? 'ended the process' : 'took too long'}.`;
  }

  /** Until a new kind of finding is found and shrunk; returns the number of completed calls. */
  async function searchOnce(arbitrary: fc.Arbitrary<Arguments>, isValid: boolean, numRuns: number, from: number): Promise<number> {
    let shrinkUntil = Number.POSITIVE_INFINITY;
    let last: Finding | null = null;
    let misses = 0;
    let count = 0;
    let isOver = false;
    const giveUp = (): never => {
      isOver = true;
      throw new Error('given up');
    };
    const isWanted = (): boolean => !isOver && clock.now() <= shrinkUntil + paused;
    const property = fc.asyncProperty(shrinkingWhile(arbitrary, isWanted), async (given) => {
      if (!isWanted()) return true;
      if (!made.isSendable(given) || made.isValid(given) !== isValid) {
        misses += 1;
        if (last === null && misses > MISSES_MOST) giveUp();
        fc.pre(false);
      }
      misses = 0;
      const judged = await ask(given, isValid);
      if (last === null && judged !== null) {
        count += 1;
        if (isValid) answered += 1;
        countRepeats(judged);
      }
      const found = judged?.find(({ kind }) => (last === null ? !findings.has(kind) : kind === last.kind));
      if (found !== undefined) {
        if (last === null) shrinkUntil = clock.now() - paused + SHRINK_MOST_MS;
        last = { kind: found.kind, message: found.message, arguments: given, call_id: found.id };
        findings.set(found.kind, last);
      }
      if (stopped !== null) giveUp();
      return found === undefined;
    });
    const checked = await fc.check(property, { numRuns, seed: from % SEEDS, maxSkipsPerRun: SKIPS_PER_RUN });
    // Thrown by the caller, so not a finding.
    if (last === null && !isOver && checked.errorInstance instanceof Error) throw checked.errorInstance;
    return count;
  }

  async function search(arbitrary: fc.Arbitrary<Arguments>, isValid: boolean, wanted: number): Promise<void> {
    let left = wanted;
    let known = -1;
    for (let pass = 0; left > 0 && stopped === null && findings.size > known; pass += 1) {
      known = findings.size;
      left -= await searchOnce(arbitrary, isValid, left, seed + pass);
    }
  }

  await search(made.valid, true, runs);
  await search(made.invalid, false, Math.max(1, Math.round(runs * INVALID_SHARE)));
  return report();
}

function tooFew(answered: number, runs: number): string {
  return answered === 0
    ? 'No valid arguments could be generated from its schema, so no call was made.'
    : `Only ${answered} of ${runs} calls had valid arguments generated from its schema.`;
}

type Judgement = Pick<Finding, 'kind' | 'message'>;

/** All findings of a call, most severe first. A cancelled call has none. */
export function judgeProbeCall(call: EndedCall, isValid: boolean, slowMs: number): readonly Judgement[] {
  if (call.status === 'cancelled') return [];
  const { error } = call;
  if (error?.kind === 'extension_crashed') return [{ kind: 'crash', message: error.message }];
  if (error?.kind === 'timeout') return [{ kind: 'hang', message: error.message }];
  const took = call.duration_ms ?? 0;
  const slow: readonly Judgement[] =
    took > slowMs ? [{ kind: 'slow', message: `It took ${Math.round(took)} ms; ${slowMs} ms are allowed.` }] : [];
  const first = error === null ? judgeSuccess(isValid) : isValid ? judgeError(error) : null;
  return first === null ? slow : [first, ...slow];
}

function judgeSuccess(isValid: boolean): Judgement | null {
  if (isValid) return null;
  return { kind: 'invalid_accepted', message: 'The arguments are invalid, and the call succeeded.' };
}

function judgeError({ kind, message }: NonNullable<EndedCall['error']>): Judgement | null {
  if (kind === 'schema_error') return { kind: 'result_breaks_schema', message };
  if (kind === 'result_not_serializable' || kind === 'result_too_large') return { kind: 'result_unusable', message };
  return hasStackTrace(message) ? { kind: 'stack_in_message', message } : null;
}
