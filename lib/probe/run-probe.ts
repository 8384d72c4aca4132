import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Call } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { ProbeReport } from '#lib/contract/probe.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { ExtensionLogLine } from '#lib/contract/extension.ts';
import { type EndedCall, type ProbeJob, probeMessageSchema } from './probe-options.ts';

/** Makes the calls; null if it refused, which ends the probe. */
export interface ProbeCallee {
  call(tool: string, given: Readonly<Record<string, unknown>>, timeoutMs: number): Promise<Call | null>;
}

export interface ProbeOptions {
  readonly runs: number;
  readonly seed: number;
  readonly timeoutMs: number;
  readonly slowMs: number;
  /** Ends the probe after the current call. */
  readonly signal: AbortSignal;
  /** Timeout for generating arguments between two calls. */
  readonly thinkMs?: number;
}

/** A server bundle has this file beside it. */
const PROGRAM = new URL('./probe-worker.ts', import.meta.url);
const MEMORY_MB = 512;
/** Grace period after the end of the probe. */
const LEAVE_MS = 500;

/**
 * Probes a tool in its own thread, which is terminated on timeout; then the report has the findings so far and is incomplete.
 * Rejects with errors of `callee`.
 */
export async function runProbe(callee: ProbeCallee, tool: Tool, options: ProbeOptions): Promise<ProbeReport> {
  const { runs, seed, timeoutMs, slowMs, signal, thinkMs = LIMITS.probeThinkMs } = options;
  const job: ProbeJob = {
    tool: { name: tool.name, parameters: tool.parameters, examples: tool.examples },
    options: { runs, seed, timeoutMs, slowMs },
  };
  let known: ProbeReport = {
    tool: tool.name,
    calls: 0,
    answered: 0,
    seed,
    findings: [],
    complete: false,
    notes: [],
    timeout_ms: timeoutMs,
    slow_ms: slowMs,
  };
  const incompleteReport = (why: string): ProbeReport => ({
    ...known,
    complete: false,
    notes: [why, ...known.notes.slice(known.complete ? 0 : 1)],
  });
  const stopped = (): ProbeReport =>
    incompleteReport(`${isTimeout(signal.reason) ? 'It timed out' : 'It was stopped'} after ${known.answered} of ${runs} calls.`);
  if (signal.aborted) return stopped();
  const { promise, resolve, reject } = Promise.withResolvers<ProbeReport>();
  const worker = new Worker(PROGRAM, {
    workerData: job,
    env: compileCache(),
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });

  let timer: NodeJS.Timeout | undefined;
  let isCalling = false;
  const limit = (ms: number, report: () => ProbeReport): void => {
    clearTimeout(timer);
    timer = setTimeout(() => resolve(report()), ms);
  };
  const limitGeneration = (): void =>
    limit(thinkMs, () =>
      incompleteReport(
        `It ended after ${known.answered} of ${runs} calls: generating arguments for its schema takes too long. Look for a pattern with excessive backtracking, such as "^(a+)+$".`,
      ),
    );
  const leave = (): void => {
    if (!isCalling) limit(LEAVE_MS, stopped);
  };

  async function answer(given: Readonly<Record<string, unknown>>): Promise<void> {
    clearTimeout(timer);
    if (signal.aborted) return resolve(stopped());
    isCalling = true;
    const call = await callee.call(tool.name, given, timeoutMs);
    isCalling = false;
    known = { ...known, calls: known.calls + (call === null ? 0 : 1) };
    if (call === null) return resolve(stopped());
    worker.postMessage(judgedPart(call));
    if (signal.aborted) limit(LEAVE_MS, stopped);
    else limitGeneration();
  }

  worker.on('message', (received: unknown) => {
    const read = probeMessageSchema.safeParse(received);
    if (!read.success) return reject(read.error);
    const message = read.data;
    if (message.type === 'started') return signal.aborted ? undefined : limitGeneration();
    known = message.report;
    if (message.type === 'done') return resolve(signal.aborted && !message.report.complete ? stopped() : message.report);
    known = { ...known, calls: known.calls - 1 };
    answer(message.arguments).catch(reject);
  });
  worker.once('error', (error) =>
    resolve(
      incompleteReport(
        `It ended after ${known.answered} of ${runs} calls: no arguments can be generated from its schema (${firstLine(error)}).`,
      ),
    ),
  );
  worker.once('exit', () => resolve(stopped()));
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
    worker.removeAllListeners('exit');
    await worker.terminate();
  }
}

/** With the server's compile cache the thread starts in half the time. Node's name is of the folder for its version, in that folder. */
function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}

function judgedPart({ id, status, error, duration_ms }: Call): EndedCall {
  if (error === null) return { id, status, error, duration_ms };
  const { kind, message, data } = error;
  const reason = typeof data === 'object' && data !== null && 'reason' in data ? data.reason : null;
  const isBystander = kind === 'extension_crashed' && reason === 'unresponsive';
  return { id, status, error: { kind, message }, isBystander, duration_ms };
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

/** The first words of log lines about uncaught errors, in the languages of extensions. */
const UNCAUGHT = /^(?:Uncaught exception|Unhandled promise rejection)\b/;
const ENDED_CALL = '(its call was ended)';

/** Errors outside of calls, mostly after they returned, from the extension's log; null for none. */
export function noteOnLateErrors(lines: readonly ExtensionLogLine[]): string | null {
  const found = lines.filter(({ level, message }) => level === 'error' && UNCAUGHT.test(message) && !message.includes(ENDED_CALL));
  const [first] = found;
  if (first === undefined) return null;
  const errors = found.length === 1 ? '1 uncaught error' : `${found.length} uncaught errors`;
  return `${errors} outside of any call; the first one in the log of the extension: ${first.message.split('\n', 1)[0]}`;
}
