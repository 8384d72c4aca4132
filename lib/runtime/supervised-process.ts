import { isExhausted } from '#lib/contract/exhaustion.ts';
import { crashLoop, describeEnd, whyExhausted } from './process-end-messages.ts';
import type { CrashBreaker } from './crash-breaker.ts';
import type { ExtensionLog } from './extension-log.ts';
import type { ProcessEnd } from './framed-process.ts';
import type { LoadedProcess } from './loaded-process.ts';
import type { PendingCall } from './pending-call.ts';
import type { ExtensionDescription, Incident, ProcessState, RawDescription, RawFailure } from './runtime.ts';
import { LIMITS } from '#lib/contract/limits.ts';

/**
 * The process of one extension across restarts: started at first use, after a crash, and after it was ended because it was unused.
 *
 * What can go wrong: it crashes repeatedly (limited by the budget); it dies while closing, is closed while starting, or is
 * restarted by a person while waiting. Only the `current` process gets calls; messages of older ones are ignored. Callers wait in
 * `queue`, each with its own timeout.
 *
 * After a call was interrupted, the process may be stuck. New calls wait until it answers a ping, because they would be lost with it. A
 * silent process gets a replacement, started in parallel, so that waiting calls need not wait for its end. If it answers late, it
 * finishes its calls and is ended (`retired`).
 */
export interface SupervisedProcess {
  state(): Omit<ProcessState, 'kept'>;
  current(): LoadedProcess | null;
  /** Takes over the process that has just loaded the extension. */
  adopt(loaded: LoadedProcess): void;
  /** Called when a process runs, possibly at once, or with the reason why none does. */
  withProcess(begin: ProcessUser): void;
  /** Why there is no process yet; continues "could not begin: ". */
  whyWaiting(): string;
  /** A call has ended: a process due for replacement may be idle now. */
  onSettled(): void;
  /** A person views it: it counts as used. */
  touch(): void;
  /** Whether it was not used for so long. */
  isUnused(ms: number): boolean;
  /**
   * Ends an unused process, unless something runs in it; the next user starts another one.
   * @returns what runs in it, such as a timer; null: nothing
   */
  endUnused(): Promise<string | null>;
  /** Resets crashes and restarts; `why` is logged. */
  restart(why: string): Promise<RawFailure | null>;
  /** From now on no caller gets a process. */
  refuse(): void;
  /** Ends it within `graceMs`. */
  end(graceMs: number): Promise<void>;
}

/** Receives the process, or why there is none. */
export type ProcessUser = (loaded: LoadedProcess | null, whyNot: string) => void;

export type StartOutcome = { readonly ok: true; readonly loaded: LoadedProcess } | { readonly ok: false; readonly failure: RawFailure };

export interface SupervisedProcessOptions {
  readonly log: ExtensionLog;
  readonly memoryMb: number;
  readonly clock: { now(): number; elapsed(): number };
  readonly random: () => number;
  readonly breaker?: CrashBreaker | undefined;
  /** Whether another component loads it again after too many crashes. */
  readonly isLoadedAgain: boolean;
  /** Whether every unexpected end counts as a crash, because another component restarts it in any case. */
  readonly isKeptRunning: boolean;
  readonly start: (signal: AbortSignal) => Promise<StartOutcome>;
  readonly isIdle: () => boolean;
  readonly onIncident: (incident: Incident) => void;
  /** Called after the state is updated. */
  readonly onEnd: (end: ProcessEnd, calls: readonly PendingCall[]) => void;
  readonly onRaw: (raw: RawDescription) => ExtensionDescription | null;
}

export const END_GRACE_MS = 500;
/** A silent process keeps its calls and state for this long, however many calls wait. */
const HAND_OVER_MS = 700;
const MANY_ENDED =
  'Processes of many extensions ended within a minute, so the next start waits. Check the memory and the load of the machine';

export function createSupervisedProcess(options: SupervisedProcessOptions): SupervisedProcess {
  const { log, clock, memoryMb, isLoadedAgain, onIncident } = options;
  const budget = createCrashBudget({ elapsed: clock.elapsed, random: options.random, breaker: options.breaker });
  let queue: ProcessUser[] = [];
  let state: ProcessState['state'] = 'none';
  let current: LoadedProcess | null = null;
  let starting: { readonly abort: AbortController; readonly done: Promise<RawFailure | null> } | null = null;
  let retry: { readonly timer: NodeJS.Timeout; readonly at: number } | null = null;
  let mustReplace = false;
  let isRefusing = false;
  /** The last use; `at` is from the monotonic clock. */
  let used = { at: clock.elapsed() };
  let replacement: Replacement | null = null;
  const retired = new Set<LoadedProcess>();

  const touch = (): void => {
    used = { at: clock.elapsed() };
  };

  const shown = (): Omit<ProcessState, 'kept'> => ({
    state,
    pid: current?.pid ?? null,
    restarts: budget.count(),
    retryAt: retry?.at ?? null,
  });

  const enter = (next: ProcessState['state']): void => {
    state = next;
    onIncident({ type: 'process', state: shown() });
  };

  const stopRetry = (): void => {
    if (retry !== null) clearTimeout(retry.timer);
    retry = null;
  };

  const answerQueue = (loaded: LoadedProcess | null, whyNot: string): void => {
    const waiting = queue;
    queue = [];
    for (const begin of waiting) begin(loaded, whyNot);
  };

  const adopt = (loaded: LoadedProcess): void => {
    current = loaded;
    mustReplace = false;
    touch();
    enter('running');
    loaded.attach({
      onEnd: (end, calls) => onProcessEnd(loaded, end, calls),
      onStray(text) {
        if (current !== loaded) return;
        if (options.isKeptRunning) return endBroken(text);
        mustReplace = true;
        replaceWhenIdle();
      },
      onRaw: (raw) => (current === loaded ? options.onRaw(raw) : null),
      onNotice: (notice) => onIncident({ type: 'notice', notice }),
      onSilent() {
        if (current === loaded && !options.isKeptRunning) prepareReplacement();
      },
      onAnswered() {
        endRetired();
        if (current !== loaded) return;
        void dropReplacement();
        answerQueue(loaded, '');
      },
    });
  };

  /** Its failure is not reported: it may need a resource of the silent process. Waiting calls then use an ordinary start. */
  const prepareReplacement = (): void => {
    if (replacement !== null) return;
    const abort = new AbortController();
    const run = async (): Promise<void> => {
      const outcome = await options.start(abort.signal);
      if (abort.signal.aborted) {
        if (outcome.ok) await outcome.loaded.end(0);
      } else if (outcome.ok) {
        made.loaded = outcome.loaded;
        useReplacement();
      } else {
        replacement = null;
        if (current === null) startForQueue();
      }
    };
    const made: Replacement = { abort, loaded: null, timer: undefined, done: Promise.resolve() };
    replacement = made;
    made.done = run();
  };

  const dropReplacement = async (): Promise<void> => {
    const dropped = replacement;
    replacement = null;
    clearTimeout(dropped?.timer);
    dropped?.abort.abort();
    await Promise.all([dropped?.loaded?.end(0), dropped?.done]);
  };

  /** Replaces a process that has ended, or that was silent for long while calls wait. */
  const useReplacement = (): void => {
    const next = replacement?.loaded ?? null;
    if (replacement === null || next === null) return;
    clearTimeout(replacement.timer);
    const old = current;
    if (old !== null) {
      if (queue.length === 0) return;
      const left = HAND_OVER_MS - old.silentMs();
      if (left > 0) {
        replacement.timer = setTimeout(useReplacement, left);
        return;
      }
      log.write('warn', 'host', 'The process has not answered since a call was interrupted; waiting calls go to a new process', null);
      retired.add(old);
    }
    replacement = null;
    adopt(next);
    answerQueue(current, ENDED_AT_ONCE);
  };

  const endRetired = (): void => {
    for (const old of retired) if (old.silentMs() === 0 && old.calls() === 0) void old.end(END_GRACE_MS);
  };

  const startForQueue = (): void => {
    if (queue.length > 0 && retry === null && starting === null && !budget.isExhausted()) void startNow();
  };

  const replaceWhenIdle = (): void => {
    if (!mustReplace || !options.isIdle() || current === null) return;
    const old = current;
    current = null;
    mustReplace = false;
    log.write('info', 'host', 'The process is replaced after an uncaught error', null);
    enter('none');
    void old.end(END_GRACE_MS);
  };

  /** Does not wait for calls: the process may no longer react after such an error, undetected. */
  const endBroken = (text: string): void => {
    const old = current;
    current = null;
    const [why = ''] = text.split('\n');
    log.write('error', 'host', `The process is ended: ${why}`, null);
    countCrash(`The process was ended: ${why}`, old?.tail() ?? null);
    void old?.end(END_GRACE_MS, why);
  };

  const onProcessEnd = (loaded: LoadedProcess, end: ProcessEnd, calls: readonly PendingCall[]): void => {
    if (retired.delete(loaded)) {
      if (end.reason !== 'unwanted') reportEnd(end, loaded.tail());
    } else if (current === loaded) {
      current = null;
      mustReplace = false;
      noteEnd(end, loaded.tail());
      if (state !== 'none') void dropReplacement();
      useReplacement();
      if (replacement === null && current === null) startForQueue();
    }
    options.onEnd(end, calls);
  };

  const reportEnd = (end: ProcessEnd, output: string | null): string => {
    const words = `The process ${describeEnd(end, memoryMb)}`;
    log.write('error', 'host', words, null);
    if (end.reason === 'unresponsive' || end.reason === 'memory_limit')
      onIncident({ type: 'failure', failure: { code: end.reason, message: words, ...(output === null ? {} : { output }) } });
    return words;
  };

  const noteEnd = (end: ProcessEnd, output: string | null): void => {
    const words = reportEnd(end, output);
    if (end.reason === 'unwanted') return enter('none');
    if (end.reason === 'unresponsive' && !options.isKeptRunning) return enter('none');
    countCrash(words, output);
  };

  const countCrash = (words: string, output: string | null): void => {
    if (isRefusing) return enter('none');
    const verdict = budget.crash();
    if (verdict.exhausted) {
      stopRetry();
      enter('crash_loop');
      onIncident({ type: 'failure', failure: crashLoop(lowerFirst(words), output, isLoadedAgain) });
      return answerQueue(null, whyExhausted(isLoadedAgain));
    }
    if (verdict.isHeld) log.write('warn', 'host', MANY_ENDED, null);
    const timer = setTimeout(() => {
      retry = null;
      if (queue.length > 0) void startNow();
      else enter('none');
    }, verdict.waitMs).unref();
    retry = { timer, at: clock.now() + verdict.waitMs };
    enter('backoff');
  };

  /** Returns the failure to the caller; `onStartFailed` counts a crash. */
  const startNow = (counted = true): Promise<RawFailure | null> => {
    if (starting !== null) return starting.done;
    const abort = new AbortController();
    const run = async (): Promise<RawFailure | null> => {
      const outcome = await options.start(abort.signal);
      if (abort.signal.aborted && outcome.ok) await outcome.loaded.end(0);
      starting = null;
      if (abort.signal.aborted) return outcome.ok ? null : outcome.failure;
      if (outcome.ok) {
        adopt(outcome.loaded);
        answerQueue(current, ENDED_AT_ONCE);
        return null;
      }
      onStartFailed(outcome.failure, counted);
      return outcome.failure;
    };
    enter('starting');
    starting = { abort, done: run() };
    return starting.done;
  };

  const onStartFailed = (failure: RawFailure, counted: boolean): void => {
    log.write('error', 'host', `The process could not be started: ${failure.message}`, null);
    const waiting = queue;
    queue = [];
    // A shortage is not a fault of the extension.
    if (counted && !isExhausted(failure)) {
      onIncident({ type: 'failure', failure });
      countCrash(`The start failed: ${failure.message}`, failure.output ?? null);
    } else enter('none');
    for (const begin of waiting) begin(null, `its process could not be started: ${failure.message}`);
  };

  return {
    state: shown,
    current: () => current,
    adopt,
    touch,
    isUnused(ms) {
      if (current === null || clock.elapsed() - used.at < ms) return false;
      return options.isIdle() && queue.length === 0 && replacement === null && retired.size === 0 && current.isQuiet();
    },
    async endUnused() {
      const unused = current;
      if (unused === null) return null;
      // Checked again after the same time.
      touch();
      const before = used;
      const activity = await unused.activity();
      if (used !== before || current !== unused) return null;
      if (activity !== null) return activity;
      current = null;
      log.write('info', 'host', 'The process ended because it was not used. The next call starts it', null);
      enter('none');
      await unused.end(END_GRACE_MS);
      return null;
    },
    onSettled() {
      touch();
      replaceWhenIdle();
      endRetired();
    },
    withProcess(begin) {
      touch();
      if (isRefusing) return begin(null, TRY_AGAIN);
      if (current !== null) {
        if (current.silentMs() === 0) return begin(current, '');
        queue.push(begin);
        return useReplacement();
      }
      if (budget.isExhausted()) return begin(null, whyExhausted(isLoadedAgain));
      queue.push(begin);
      if (replacement === null) startForQueue();
    },
    whyWaiting() {
      if (retry !== null) return `the extension's process had stopped and is started again at ${new Date(retry.at).toISOString()}`;
      if (current !== null) return "the extension's process did not answer, since it was still busy with an interrupted call";
      return "the extension's process was not ready yet";
    },
    async restart(why) {
      if (isRefusing) return null;
      starting?.abort.abort();
      await Promise.all([starting?.done, dropReplacement()]);
      // Refused or ended meanwhile: a new process would have no owner.
      if (isRefusing) {
        answerQueue(null, TRY_AGAIN);
        return null;
      }
      stopRetry();
      budget.reset();
      const old = current;
      current = null;
      log.write('info', 'host', why, null);
      for (const process of [old, ...retired]) process?.kill();
      return startNow(false);
    },
    refuse() {
      isRefusing = true;
    },
    async end(graceMs) {
      stopRetry();
      starting?.abort.abort();
      answerQueue(null, 'it is being replaced or stopped');
      const old = current;
      current = null;
      const ended = [old, ...retired].map(async (process) => process?.end(graceMs));
      await Promise.all([...ended, dropReplacement(), starting?.done]);
      enter('stopped');
    },
  };
}

/** A process started while another does not answer. */
interface Replacement {
  readonly abort: AbortController;
  loaded: LoadedProcess | null;
  timer: NodeJS.Timeout | undefined;
  done: Promise<void>;
}

const TRY_AGAIN = 'it is being replaced or stopped. Try again';
const ENDED_AT_ONCE = 'its process ended as soon as it had started';

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * The restart budget of an extension: LIMITS.crashesAllowed unexpected exits within LIMITS.crashWindowMs end the restarts. Until
 * then the delay doubles from 0.5 s to 60 s, with jitter, so that extensions with a shared cause do not restart at the same moment.
 */
interface CrashBudget {
  /** Records an unexpected exit. */
  crash(): { readonly exhausted: true } | { readonly exhausted: false; readonly waitMs: number; readonly isHeld: boolean };
  isExhausted(): boolean;
  /** Unexpected exits since the last reset. */
  count(): number;
  reset(): void;
}

interface CrashBudgetOptions {
  /** Monotonic, in milliseconds. */
  readonly elapsed: () => number;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** Absent: no limit across extensions. */
  readonly breaker?: CrashBreaker | undefined;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
const JITTER = 0.2;

export function createCrashBudget({ elapsed, random, breaker }: CrashBudgetOptions): CrashBudget {
  let recent: number[] = [];
  let total = 0;
  let exhausted = false;
  return {
    crash() {
      const time = elapsed();
      const hold = breaker?.crash() ?? 0;
      total += 1;
      recent = [...recent.filter((at) => time - at < LIMITS.crashWindowMs), time];
      if (recent.length >= LIMITS.crashesAllowed) {
        exhausted = true;
        return { exhausted: true };
      }
      const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (recent.length - 1));
      const own = Math.round(wait * (1 - JITTER * random()));
      const held = Math.round(hold * (1 + JITTER * random()));
      return { exhausted: false, waitMs: Math.max(own, held), isHeld: held > own };
    },
    isExhausted: () => exhausted,
    count: () => total,
    reset() {
      recent = [];
      total = 0;
      exhausted = false;
    },
  };
}
