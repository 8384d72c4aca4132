import { createCrashBudget } from './crash-budget.ts';
import { crashLoop, describeEnd, whyExhausted } from './process-words.ts';
import type { CrashBreaker } from './crash-breaker.ts';
import type { ExtensionLog } from './extension-log.ts';
import type { ProcessEnd } from './framed-process.ts';
import type { LoadedProcess } from './loaded-process.ts';
import type { PendingCall } from './pending-call.ts';
import type { ExtensionDescription, Incident, ProcessState, RawDescription, RawFailure } from './runtime.ts';

/**
 * The process of one extension over its lives: started at first use, started again after a crash.
 *
 * What can go wrong: it dies again and again (the budget ends that); it dies while it is closed, is closed while it starts,
 * is restarted by a person while it waits. There is one process at most, `current`; whatever an older one still says is not
 * listened to. Who needs a process that cannot be had yet waits in `queue`, each bounded by a limit of its own.
 */
export interface SupervisedProcess {
  state(): ProcessState;
  current(): LoadedProcess | null;
  /** Takes over the process in which the extension was just loaded. */
  adopt(loaded: LoadedProcess): void;
  /** Begins at once, when a process runs, or is told why there is none. */
  withProcess(begin: ProcessUser): void;
  /** Why there is none yet, in words that follow "could not begin: ". */
  whyWaiting(): string;
  /** Something in it is broken: it is replaced as soon as nobody needs it. */
  replaceWhenIdle(): void;
  /** Forgets crashes and starts afresh. */
  restart(): Promise<RawFailure | null>;
  /** From now on nobody gets a process. */
  refuse(): void;
  /** Ends it, at the latest after `graceMs`. */
  end(graceMs: number): Promise<void>;
}

/** Gets the process, or why there is none. */
export type ProcessUser = (loaded: LoadedProcess | null, whyNot: string) => void;

export type StartOutcome = { readonly ok: true; readonly loaded: LoadedProcess } | { readonly ok: false; readonly failure: RawFailure };

export interface SupervisedProcessOptions {
  readonly log: ExtensionLog;
  readonly memoryMb: number;
  readonly clock: { now(): number; elapsed(): number };
  readonly random: () => number;
  readonly breaker?: CrashBreaker | undefined;
  /** Whether somebody else loads it again after it has stopped too often. */
  readonly isLoadedAgain: boolean;
  /** Whether somebody starts it again whatever it ended of: every end that nobody wanted counts as a crash then. */
  readonly isKeptRunning: boolean;
  readonly start: (signal: AbortSignal) => Promise<StartOutcome>;
  readonly isIdle: () => boolean;
  readonly onIncident: (incident: Incident) => void;
  /** Told after the state is what it is now. */
  readonly onEnd: (end: ProcessEnd, calls: readonly PendingCall[]) => void;
  readonly onRaw: (raw: RawDescription) => ExtensionDescription | null;
}

export const END_GRACE_MS = 500;
const MANY_ENDED =
  'Processes of many extensions ended within a minute, so the next start waits. Look at the memory and the load of the machine';

export function createSupervisedProcess(options: SupervisedProcessOptions): SupervisedProcess {
  const { log, clock, memoryMb, isLoadedAgain, onIncident } = options;
  const budget = createCrashBudget({ elapsed: clock.elapsed, random: options.random, breaker: options.breaker });
  let queue: ProcessUser[] = [];
  let state: ProcessState['state'] = 'none';
  let current: LoadedProcess | null = null;
  let starting: { readonly abort: AbortController; readonly done: Promise<RawFailure | null> } | null = null;
  let retry: { readonly timer: NodeJS.Timeout; readonly at: number } | null = null;
  let isTainted = false;
  let isRefusing = false;

  const shown = (): ProcessState => ({ state, pid: current?.pid ?? null, restarts: budget.count(), retryAt: retry?.at ?? null });

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
    isTainted = false;
    enter('running');
    loaded.attach({
      onEnd: (end, calls) => onProcessEnd(loaded, end, calls),
      onStray(text) {
        if (current !== loaded) return;
        if (options.isKeptRunning) return endBroken(text);
        isTainted = true;
        replaceWhenIdle();
      },
      onRaw: (raw) => (current === loaded ? options.onRaw(raw) : null),
    });
  };

  const replaceWhenIdle = (): void => {
    if (!isTainted || !options.isIdle() || current === null) return;
    const old = current;
    current = null;
    isTainted = false;
    log.write('info', 'host', 'The process is replaced because of an error that nothing in it caught', null);
    enter('none');
    void old.end(END_GRACE_MS);
  };

  /** Nobody will be idle in it: what goes on after such an error may be deaf, and nothing would tell. */
  const endBroken = (text: string): void => {
    const old = current;
    current = null;
    const [why = ''] = text.split('\n');
    log.write('error', 'host', `The process is ended: ${why}`, null);
    countCrash(`The process was ended: ${why}`, old?.tail() ?? null);
    void old?.end(END_GRACE_MS, why);
  };

  const onProcessEnd = (loaded: LoadedProcess, end: ProcessEnd, calls: readonly PendingCall[]): void => {
    if (current === loaded) {
      current = null;
      isTainted = false;
      noteEnd(end, loaded.tail());
    }
    options.onEnd(end, calls);
  };

  const noteEnd = (end: ProcessEnd, output: string | null): void => {
    const words = `The process ${describeEnd(end, memoryMb)}`;
    log.write('error', 'host', words, null);
    if (end.reason === 'unwanted') return enter('none');
    if (end.reason === 'unresponsive' || end.reason === 'memory_limit')
      onIncident({ type: 'failure', failure: { code: end.reason, message: words, ...(output === null ? {} : { output }) } });
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

  /** The failure, when there is one, is told to whoever asked for the start; a crash is counted by `onStartFailed`. */
  const startNow = (counted = true): Promise<RawFailure | null> => {
    if (starting !== null) return starting.done;
    const abort = new AbortController();
    const run = async (): Promise<RawFailure | null> => {
      const outcome = await options.start(abort.signal);
      starting = null;
      if (abort.signal.aborted) {
        if (outcome.ok) await outcome.loaded.end(0);
        return outcome.ok ? null : outcome.failure;
      }
      if (outcome.ok) {
        adopt(outcome.loaded);
        answerQueue(current, 'its process ended as soon as it had started');
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
    if (counted) {
      onIncident({ type: 'failure', failure });
      countCrash(`The start failed: ${failure.message}`, failure.output ?? null);
    } else enter('none');
    for (const begin of waiting) begin(null, `its process could not be started: ${failure.message}`);
  };

  return {
    state: shown,
    current: () => current,
    adopt,
    replaceWhenIdle,
    withProcess(begin) {
      if (isRefusing) return begin(null, 'it is being replaced or stopped. Try again');
      if (current !== null) return begin(current, '');
      if (budget.isExhausted()) return begin(null, whyExhausted(isLoadedAgain));
      queue.push(begin);
      if (retry === null && starting === null) void startNow();
    },
    whyWaiting() {
      if (retry !== null) return `the extension's process had stopped and is started again at ${new Date(retry.at).toISOString()}`;
      return "the extension's process was not ready yet";
    },
    async restart() {
      if (isRefusing) return null;
      starting?.abort.abort();
      await starting?.done;
      stopRetry();
      budget.reset();
      const old = current;
      current = null;
      log.write('info', 'host', 'Restarted by a person', null);
      old?.kill();
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
      await Promise.all([old?.end(graceMs), starting?.done]);
      enter('stopped');
    },
  };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
