import { readdirSync, readFileSync, statSync } from 'node:fs';
import { isExhausted, mayBeExhausted } from '#lib/contract/exhaustion.ts';
import { CHANNEL_LIMITS, type ChannelLimits } from './channel-in-process.ts';
import { createExtensionLog } from './extension-log.ts';
import type { CrashBreaker } from './crash-breaker.ts';
import { createMemoryWatch } from './memory-watch.ts';
import { createSupervisedExtension } from './supervised-extension.ts';
import type { SupervisedExtension } from './supervised-extension.ts';
import type { ExtensionLog } from './extension-log.ts';
import type { FramedProcess } from './framed-process.ts';
import type { LoadedProcess } from './loaded-process.ts';
import { NO_MARK } from './orphan-guard.ts';
import type { OrphanGuard, OwnerMark } from './orphan-guard.ts';
import type {
  Artifact,
  DescribeExtension,
  ExtensionDescription,
  LoadedFile,
  LoadOptions,
  LoadOutcome,
  RawFailure,
  ReviveOptions,
  RunningExtension,
} from './runtime.ts';

/** Shared by all runtimes that run extensions in their own processes: owns these processes until `close` has settled. */
export interface RunningExtensions {
  /**
   * Starts a process and takes ownership: watches its memory, and ends it and its descendants on `close`.
   * @param start receives its environment and command prefix
   * @param usesReserve it may use the file descriptors that are reserved for requests
   * @throws if the other file descriptors are in use
   */
  launch(start: (mark: OwnerMark) => FramedProcess, mayStartPrograms: boolean, usesReserve?: true): FramedProcess;
  /** The same for an asynchronous start, without the reserve. */
  launchLater(start: (mark: OwnerMark) => Promise<FramedProcess>, mayStartPrograms: boolean): Promise<FramedProcess>;
  /** When a file cannot be read for lack of file descriptors. */
  makeSpace(): void;
  /** Whether the system could not start a process, or open a file, a moment ago: then none is prewarmed. */
  isShort(): boolean;
  load(artifact: Artifact, options: LoadOptions): Promise<LoadOutcome>;
  revive(artifact: Artifact, description: ExtensionDescription, options: ReviveOptions): RunningExtension;
  /** Aborted when the runtime begins to close. */
  readonly closing: AbortSignal;
  /** @param then ends the runtime's own resources, after the extensions and before the last processes */
  close(then: () => Promise<void>): Promise<void>;
}

export type StartedExtension =
  | { readonly ok: true; readonly loaded: LoadedProcess; readonly description: ExtensionDescription }
  | { readonly ok: false; readonly failure: RawFailure };

export interface RunningExtensionsOptions {
  readonly memoryMb: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** Absent: leftover processes are not searched. */
  readonly orphans?: OrphanGuard | undefined;
  readonly breaker?: CrashBreaker | undefined;
  /** For output, logs and failures; absent: nothing is hidden. */
  readonly hideSecrets?: ((text: string) => string) | undefined;
  readonly channelLimits?: ChannelLimits | undefined;
  /** Why it must not start now, such as a missing secret; absent or null: it may. */
  readonly refusal?: ((artifact: Artifact) => RawFailure | null) | undefined;
  /** How long an unused process is kept; absent or 0: forever. */
  readonly idleMs?: number | undefined;
  /** Shared by all runtimes; by default its own. */
  readonly space?: ProcessSpace | undefined;
  /** The extension runs in children of the process, so the memory limit applies to them. */
  readonly watchesChildren?: true;
  /** Another component loads it again after too many crashes. */
  readonly isLoadedAgain?: true;
  /** Ends processes that wait for an extension; absent: there are none. */
  readonly endPrewarmed?: () => void;
  /** `describe`: describes the exports, or the description of an earlier load. */
  readonly start: (
    artifact: Artifact,
    describe: DescribeExtension | ExtensionDescription,
    log: ExtensionLog,
    signal: AbortSignal,
    onLoaded: (files: readonly LoadedFile[]) => void,
  ) => Promise<StartedExtension>;
}

export interface Clock {
  now(): number;
  elapsed(): number;
}

export const SYSTEM_CLOCK: Clock = { now: () => Date.now(), elapsed: () => performance.now() };
const MEGABYTE = 1_048_576;
const SWEEP_MS = 1_000;
const ENDED_AT_ONCE = 10;
/** When the system cannot start more processes, those unused for this long are ended. */
const SOON_UNUSED_MS = 10_000;
const STARTS_TRIED = 30;
const RETRY_MS = 1_000;

/** What is running in all runtimes: when the system has no more processes or file descriptors, one that is not needed now ends. */
export interface ProcessSpace {
  readonly running: Set<Pick<SupervisedExtension, 'isUnused' | 'endUnused'>>;
  /** End the prewarmed processes of a runtime. */
  readonly prewarmed: Set<() => void>;
  /** Starts that have no descriptors yet. */
  starting: number;
  /** When a start last failed for it, from the monotonic clock; null: never. */
  shortAt: number | null;
  /** A shortage begins. */
  readonly onShort: (reason: string) => void;
  /** Whether a process can be started without the file descriptors that are reserved for requests. */
  hasDescriptors(): boolean;
}

export function createProcessSpace(onShort: ProcessSpace['onShort'] = () => undefined, limit = readDescriptorLimit()): ProcessSpace {
  const usable = limit - Math.min(RESERVED_MOST, Math.floor(limit / RESERVED_SHARE));
  /** Starts for which there are enough, however many connections begin meanwhile. */
  let uncounted = usable === Number.POSITIVE_INFINITY ? usable : 0;
  const space: ProcessSpace = {
    running: new Set(),
    prewarmed: new Set(),
    starting: 0,
    shortAt: null,
    onShort,
    hasDescriptors() {
      if (uncounted > 0) {
        uncounted -= 1;
        return true;
      }
      const free = usable - descriptorsInUse() - space.starting * DESCRIPTORS_EACH;
      uncounted = Math.floor(free / COUNTED_SHARE);
      return free > 0;
    },
  };
  return space;
}

/** Without a reserve, the last process would leave no descriptor for a connection, and requests would be reset. */
const RESERVED_MOST = 64;
const RESERVED_SHARE = 8;
const DESCRIPTORS_EACH = 3;
const COUNTED_SHARE = 64;
const DESCRIPTORS = '/proc/self/fd';
const NO_DESCRIPTORS = 'EMFILE: the remaining file descriptors of the server are reserved for requests';

/** Since Linux 6.2, their number is the size of this folder; a list of thousands takes milliseconds. */
function descriptorsInUse(): number {
  try {
    return statSync(DESCRIPTORS).size || readdirSync(DESCRIPTORS).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Infinity if the system does not report it in this way. */
function readDescriptorLimit(): number {
  try {
    const found = /^Max open files\s+(?<soft>\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.groups?.['soft'];
    return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Processes that start within this time after another one could not, and fail at it, are started again. */
const SHORT_MS = 10_000;

/**
 * After a load, until a process for the next one starts. Longer than a commit and a first call; shorter than the time to a
 * person's next save.
 */
export const REPLENISH_AFTER_MS = 60;

export function createRunningExtensions({
  memoryMb,
  channelLimits = CHANNEL_LIMITS,
  clock,
  random,
  orphans,
  breaker,
  hideSecrets = (text) => text,
  refusal,
  start: startAllowed,
  isLoadedAgain,
  watchesChildren,
  idleMs = 0,
  space = createProcessSpace(),
  endPrewarmed = () => undefined,
}: RunningExtensionsOptions): RunningExtensions {
  const memory = createMemoryWatch(memoryMb * MEGABYTE, watchesChildren);
  const running = new Set<SupervisedExtension>();
  const processes = new Set<FramedProcess>();
  const launching = new Set<Promise<unknown>>();
  const closing = new AbortController();
  space.prewarmed.add(endPrewarmed);

  const start: typeof startAllowed = async (artifact, describe, log, signal, onLoaded) => {
    const failure = refusal?.(artifact) ?? null;
    if (failure !== null) return { ok: false, failure };
    for (let tried = 1; ; tried += 1) {
      const began = clock.elapsed();
      const outcome = await startAllowed(artifact, describe, log, signal, onLoaded);
      if (outcome.ok || tried === STARTS_TRIED || signal.aborted || !mayStartSoon(outcome.failure, began)) return outcome;
      log.write('warn', 'host', `${outcome.failure.message}. The start is tried again in a second`, null);
      makeSpace();
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      if (signal.aborted) return outcome;
    }
  };

  const isShort = (at = clock.elapsed()): boolean => space.shortAt !== null && at - space.shortAt < SHORT_MS;

  const mayStartSoon = (failure: RawFailure, began: number): boolean => {
    // Node may wait forever for a thread that it could not start.
    if (!isExhausted(failure)) return isShort(began) && mayBeExhausted(failure);
    if (!isShort()) space.onShort(failure.message);
    space.shortAt = clock.elapsed();
    return true;
  };

  /** Ends processes of any runtime that are not needed now: those without an extension, and an unused one. */
  const soonUnusedMs = idleMs === 0 ? SOON_UNUSED_MS : Math.min(idleMs, SOON_UNUSED_MS);
  const makeSpace = (): void => {
    for (const end of space.prewarmed) end();
    const unused = [...space.running].find((extension) => extension.isUnused(soonUnusedMs));
    void unused?.endUnused();
  };

  const supervise = (
    artifact: Artifact,
    description: ExtensionDescription,
    log: ExtensionLog,
    revive: ReviveOptions,
  ): ReturnType<typeof createSupervisedExtension> => {
    const extension = createSupervisedExtension({
      description,
      log,
      memoryMb,
      channelLimits,
      idleMs,
      hideSecrets,
      channelName: artifact.extension.slice(artifact.extension.indexOf('/') + 1),
      clock,
      random,
      breaker,
      isLoadedAgain: isLoadedAgain === true,
      describe: revive.redescribe,
      start: (signal, current) => start(artifact, current, log, signal, reportLoaded(revive)),
      onIncident: revive.onIncident,
      onClosed: () => {
        running.delete(extension);
        space.running.delete(extension);
      },
    });
    running.add(extension);
    space.running.add(extension);
    return extension;
  };

  /** One timer for all; the ends are spread over time. */
  const endUnused = (): void => {
    let ended = 0;
    for (const extension of running) {
      if (!extension.isUnused(idleMs)) continue;
      void extension.endUnused();
      ended += 1;
      if (ended === ENDED_AT_ONCE) return;
    }
  };
  const sweeping = idleMs === 0 ? null : setInterval(endUnused, Math.min(idleMs, SWEEP_MS)).unref();

  const reportLoaded =
    ({ onIncident }: ReviveOptions) =>
    (files: readonly LoadedFile[]): void =>
      onIncident({ type: 'loaded', files });

  const logFor = ({ onIncident }: ReviveOptions): ExtensionLog =>
    createExtensionLog({ now: clock.now, hide: hideSecrets, onLine: (line) => onIncident({ type: 'log', line }) });

  const markFor = (mayStartPrograms: boolean): OwnerMark => orphans?.mark(mayStartPrograms) ?? NO_MARK;

  const own = (process: FramedProcess, mark: OwnerMark, mayHaveStarted: boolean): FramedProcess => {
    orphans?.started(process.pid, mark);
    const unwatch = memory.watch(process.pid, process.isAtWork, (bytes) =>
      process.kill('memory_limit', `${Math.round(bytes / MEGABYTE)} MB`),
    );
    processes.add(process);
    void process.ended.then(() => {
      unwatch();
      processes.delete(process);
      orphans?.ended(process.pid, mark, mayHaveStarted);
    });
    return process;
  };

  return {
    closing: closing.signal,
    makeSpace() {
      space.shortAt = clock.elapsed();
      makeSpace();
    },
    isShort: () => isShort(),
    launch(begin, mayStartPrograms, usesReserve) {
      if (usesReserve !== true && !space.hasDescriptors()) throw new Error(NO_DESCRIPTORS);
      const mark = markFor(mayStartPrograms);
      return own(begin(mark), mark, mayStartPrograms);
    },
    async launchLater(begin, mayStartPrograms) {
      if (!space.hasDescriptors()) throw new Error(NO_DESCRIPTORS);
      const mark = markFor(mayStartPrograms);
      const launched = begin(mark).then((process) => own(process, mark, mayStartPrograms));
      space.starting += 1;
      const settled: Promise<unknown> = launched
        .catch(() => null)
        .finally(() => {
          space.starting -= 1;
          launching.delete(settled);
        });
      launching.add(settled);
      return launched;
    },
    async load(artifact, options) {
      const log = logFor(options);
      const outcome = await start(
        artifact,
        options.describe,
        log,
        AbortSignal.any([options.signal, closing.signal]),
        reportLoaded(options),
      );
      if (!outcome.ok) return outcome;
      const extension = supervise(artifact, outcome.description, log, options);
      extension.adopt(outcome.loaded);
      return { ok: true, extension };
    },
    revive: (artifact, description, options) => supervise(artifact, description, logFor(options), options),
    async close(then) {
      closing.abort();
      if (sweeping !== null) clearInterval(sweeping);
      space.prewarmed.delete(endPrewarmed);
      await Promise.all([...running].map((extension) => extension.close(0)));
      await then();
      await Promise.all(launching);
      for (const process of processes) process.kill('unwanted');
      await Promise.all([...processes].map((process) => process.ended));
      memory.close();
    },
  };
}
