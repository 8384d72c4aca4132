import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { createStackShortener } from './display-paths.ts';
import { createLoadedProcess, type LoadedProcess, toolSchemas } from './loaded-process.ts';
import { withHeapAbort, describeEnd } from './process-end-messages.ts';
import { parseFailureReport, parseLoadedFiles, parseLogPayload, parseRawDescription } from './parse-child-message.ts';
import type { ExtensionLog } from './extension-log.ts';
import type { FramedProcess, ProcessEnd } from './framed-process.ts';
import type { ChannelLimits } from './channel-in-process.ts';
import type { CrashBreaker } from './crash-breaker.ts';
import type { OrphanGuard } from './orphan-guard.ts';
import { type Clock, type ProcessSpace, type RunningExtensionsOptions, SYSTEM_CLOCK } from './running-extensions.ts';
import type { ChildMessage, FailureReport, LoadMessage } from './messages.ts';
import type { Artifact, DescribeExtension, ExtensionDescription, LoadedFile, RawFailure } from './runtime.ts';
import { FAILURE_CODES } from '#lib/contract/failure-codes.ts';

/**
 * Loads an extension in a process: load → (describe) → schemas → ready. Bounded by one limit. The result is a loaded process, a
 * failure, or `refused` if the process could not drop a permission and must not run the extension.
 */
export type LoadInProcess =
  | { readonly ok: true; readonly loaded: LoadedProcess; readonly description: ExtensionDescription }
  | { readonly ok: false; readonly failure: RawFailure }
  | { readonly ok: false; readonly failure: null };

/** Options of every runtime. */
export interface RuntimeOptions {
  readonly limits: { readonly loadTimeoutMs: number; readonly maxResultBytes: number; readonly extensionMemoryMb: number };
  /** The complete environment of this extension; nothing is added, except by the entry of an MCP server. */
  environmentOf(artifact: Artifact): Readonly<Record<string, string>>;
  /** Why it must not start now, such as a missing secret. */
  refusal?(artifact: Artifact): RawFailure | null;
  /** Variables common to all extensions (PATH, LANG, TZ, …); passed to prewarmed processes. */
  readonly commonEnvironment?: Readonly<Record<string, string>>;
  readonly workspaceRoot: string;
  /** Where the child program is written. */
  readonly cacheDir: string;
  readonly channelLimits?: ChannelLimits | undefined;
  /** How long an unused process that may end is kept; absent or 0: forever. */
  readonly idleMs?: number;
  /** Whether a process waits for the next load; by default it does. */
  readonly prewarms?: boolean | undefined;
  /** Removes secrets from text that is stored or shown. */
  hideSecrets?(text: string): string;
  readonly orphans?: OrphanGuard;
  readonly breaker?: CrashBreaker;
  /** Shared by all runtimes. */
  readonly space?: ProcessSpace;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** The options of a runtime for its running extensions. */
export function runningOptions(options: RuntimeOptions): Omit<RunningExtensionsOptions, 'start'> {
  return {
    memoryMb: options.limits.extensionMemoryMb,
    channelLimits: options.channelLimits,
    idleMs: options.idleMs,
    clock: options.clock ?? SYSTEM_CLOCK,
    random: options.random ?? Math.random,
    orphans: options.orphans,
    breaker: options.breaker,
    space: options.space,
    hideSecrets: options.hideSecrets,
    refusal: options.refusal,
  };
}

export function loadMessage(
  artifact: Artifact,
  describe: DescribeExtension | ExtensionDescription,
  { environmentOf, workspaceRoot, limits }: RuntimeOptions,
): LoadMessage {
  return {
    type: 'load',
    extension: artifact.extension,
    program: artifact.programFile,
    ownFolders: ownFoldersOf(artifact),
    workspaceRoot,
    environment: environmentOf(artifact),
    drops: [],
    mustNotHave: [],
    describe: typeof describe === 'function',
    maxResultBytes: limits.maxResultBytes,
  };
}

export interface LoadInProcessOptions {
  readonly process: FramedProcess;
  /** It has sent `hello` before: it was prewarmed. */
  readonly isWarm: boolean;
  readonly message: LoadMessage;
  /** Before bundling. */
  readonly entryFile: string;
  /** Describes the exports, or the description of an earlier load. */
  readonly describe: DescribeExtension | ExtensionDescription;
  readonly onLoaded: (files: readonly LoadedFile[]) => void;
  readonly log: ExtensionLog;
  readonly runtime: Pick<RuntimeOptions, 'limits' | 'clock'>;
  readonly signal: AbortSignal;
  /** Its child is the MCP server itself. */
  readonly runsInChild?: true;
}

export function loadInProcess(options: LoadInProcessOptions): Promise<LoadInProcess> {
  const { process, message, describe, log, signal, runtime } = options;
  const { loadTimeoutMs: limitMs, extensionMemoryMb: memoryMb } = runtime.limits;
  const { promise, resolve, reject } = Promise.withResolvers<LoadInProcess>();
  const shorten = createStackShortener(options.entryFile);
  const streams = { stdout: log.openStream('stdout'), stderr: log.openStream('stderr') };
  let hasHello = options.isWarm;
  let exiting: FailureReport | null = null;
  let failure: RawFailure | null = null;
  let description: ExtensionDescription | null = typeof describe === 'function' ? null : describe;
  let refused = false;

  const timer = setTimeout(() => process.kill(hasHello ? 'import_timeout' : 'start_timeout'), limitMs);
  const cancelLoad = (): void => process.kill('unwanted');
  signal.addEventListener('abort', cancelLoad);
  if (signal.aborted) cancelLoad();

  const stopWaiting = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancelLoad);
  };

  const failWith = (found: RawFailure): void => {
    failure ??= found;
    process.kill('unwanted');
  };

  const sendTools = ({ tools }: ExtensionDescription, eager: boolean): void => process.send({ type: 'tools', eager }, toolSchemas(tools));

  const onRaw = (payload: Buffer): void => {
    if (typeof describe !== 'function' || description !== null) return;
    const raw = parseRawDescription(payload);
    if (raw === null) return failWith({ code: 'tool_invalid', message: UNREADABLE });
    const outcome = describe(raw);
    if (!outcome.ok) return failWith(outcome.failure);
    description = outcome.description;
    sendTools(description, true);
  };

  const onReady = (): void => {
    if (description === null || failure !== null) return;
    stopWaiting();
    resolve({
      ok: true,
      loaded: createLoadedProcess({
        process,
        log,
        shorten,
        now: (runtime.clock ?? SYSTEM_CLOCK).now,
        streams,
        onLoaded: options.onLoaded,
        runsInChild: options.runsInChild,
      }),
      description,
    });
  };

  const onMessage = (received: ChildMessage, payload: Buffer): void => {
    switch (received.type) {
      case 'hello':
        hasHello = true;
        return;
      case 'refused':
        refused = true;
        return process.kill('unwanted');
      case 'raw':
        return onRaw(payload);
      case 'ready':
        return onReady();
      case 'failed': {
        const report = parseFailureReport(payload);
        return report === null ? process.kill('protocol', 'it reported a failure that could not be read') : failWith(report);
      }
      case 'exiting':
        exiting = parseFailureReport(payload);
        return;
      case 'log': {
        const entry = parseLogPayload(payload);
        if (entry === null) return process.kill('protocol', 'it sent a log line that could not be read');
        process.note(`${entry.message}\n`);
        return log.write(received.level, 'log', entry.message, null);
      }
      case 'loaded': {
        const files = parseLoadedFiles(payload);
        return files === null ? process.kill('protocol', 'it reported loaded files that could not be read') : options.onLoaded(files);
      }
      case 'stray':
      case 'trace':
        return log.write('error', 'log', shorten(payload.toString('utf8')), null);
      case 'result':
      case 'error':
      case 'issues':
      case 'status':
      case 'channel':
      case 'pong':
      case 'idle':
      case 'progress':
      case 'checked':
      case 'answer':
      case 'notice':
      case 'token':
      case 'ask':
    }
  };

  const onEnd = (end: ProcessEnd): void => {
    stopWaiting();
    streams.stdout.end();
    streams.stderr.end();
    if (refused) return resolve({ ok: false, failure: null });
    const output = process.tail();
    const progress = { hasHello, exiting, limitMs, memoryMb };
    resolve({ ok: false, failure: withOutput(failure ?? failureOfEnd(withHeapAbort(end, output), progress), output) });
  };

  process.listen({
    onMessage(received, payload) {
      try {
        onMessage(received, payload);
      } catch (error) {
        stopWaiting();
        process.kill('unwanted');
        reject(error);
      }
    },
    onEnd,
    onOutput: (stream, chunk) => streams[stream].push(chunk),
  });
  // A new process finds it in the pipe once it runs, and rehearses nothing.
  process.send(message);
  if (description !== null) sendTools(description, false);
  return promise;
}

const UNREADABLE = 'The tool descriptions are invalid or nested too deep. Flatten the schemas.';

/**
 * Folders with the extension's own stack frames: its folder, the extensions folder with its helpers, and the targets of links among
 * them, since frames have resolved paths.
 */
function ownFoldersOf({ folder, entryFile }: Artifact): readonly string[] {
  const named = [folder, dirname(dirname(entryFile))];
  return [...new Set([...named, ...named.flatMap(targetsOf), ...targetsOf(entryFile).map((file) => dirname(file))])];
}

function targetsOf(place: string): readonly string[] {
  try {
    return [realpathSync(place)];
  } catch {
    return [];
  }
}

/** Progress of a load whose process ended. */
interface LoadProgress {
  readonly hasHello: boolean;
  /** Where the program ended its own process; null if it did not report this. */
  readonly exiting: FailureReport | null;
  readonly limitMs: number;
  readonly memoryMb: number;
}

/** The failure of a process that ended while loading. */
function failureOfEnd(end: ProcessEnd, progress: LoadProgress): RawFailure {
  const limit = `${progress.limitMs.toLocaleString('en')} ms`;
  switch (end.reason) {
    case 'start_timeout':
      return { code: 'start_timeout', message: `The process was started but did not respond within ${limit} (LOAD_TIMEOUT_MS)` };
    case 'import_timeout':
      return {
        code: 'import_timeout',
        message: `The import did not finish within ${limit} (LOAD_TIMEOUT_MS); its process was stopped`,
      };
    case 'spawn_failed':
      return { code: 'spawn_failed', message: `The process could not be started: ${end.detail ?? 'no reason was given'}` };
    case 'memory_limit':
      return {
        code: 'memory_limit',
        message: `The file used more than ${progress.memoryMb} MB of memory while it was imported, and its process was stopped`,
      };
    case 'unwanted':
      return {
        code: 'process_exited',
        message: 'Its process was stopped while it was loading, because the load was cancelled',
        hint: FAILURE_CODES.import_timeout.hint,
      };
    case 'unresponsive':
    case 'protocol':
    case 'exit':
      break;
  }
  if (!progress.hasHello)
    return { code: 'spawn_failed', message: `The process ${describeEnd(end, progress.memoryMb)} before it could import anything` };
  if (end.reason === 'protocol')
    return {
      code: 'process_exited',
      message: `While the file was imported its process ${describeEnd(end, progress.memoryMb)}`,
      hint: 'Descriptor 3 belongs to the host: print with console.log, and write to no descriptor that you did not open.',
    };
  if (progress.exiting !== null) {
    const { code: _code, message, ...place } = progress.exiting;
    return { code: 'process_exited', message: `${message}, exit code ${end.code ?? 0}, while it was imported`, ...place };
  }
  return { code: 'process_exited', message: `While the file was imported its process ${describeEnd(end, progress.memoryMb)}` };
}

/** Adds the output, unless the failure has it. */
function withOutput(failure: RawFailure, output: string | null): RawFailure {
  return failure.output !== undefined || output === null ? failure : { ...failure, output };
}
