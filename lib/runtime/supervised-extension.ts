import { createCrashBudget } from './crash-budget.ts';
import { createCurrentDescription } from './current-description.ts';
import { createPendingCall, cutByClosing, failedCall } from './pending-call.ts';
import { crashedCall, crashLoop, describeEnd, whyExhausted } from './process-words.ts';
import type { ExtensionLog } from './extension-log.ts';
import type { ProcessEnd } from './framed-process.ts';
import type { LoadedProcess } from './loaded-process.ts';
import type { PendingCall } from './pending-call.ts';
import type { DescribeExtension, ExtensionDescription, Incident, ProcessState, RawFailure, RunningExtension } from './runtime.ts';

/**
 * One revision of one extension over the lives of its processes: started at first use, started again after a crash.
 *
 * What can go wrong: the process dies under calls (they are answered at once); it dies again and again (the budget ends
 * that); it dies while it is closed, closed while it starts, restarted by a person while it waits. There is one
 * process at most, `current`; whatever an older one still says is not listened to. Calls that cannot begin yet wait in
 * `queue`, each bounded by its own limit.
 */
export interface SupervisedExtension extends RunningExtension {
  /** Takes over the process in which the extension was just loaded. */
  adopt(loaded: LoadedProcess): void;
}

export type StartOutcome = { readonly ok: true; readonly loaded: LoadedProcess } | { readonly ok: false; readonly failure: RawFailure };

export interface SupervisedExtensionOptions {
  readonly description: ExtensionDescription;
  readonly log: ExtensionLog;
  readonly memoryMb: number;
  readonly clock: { now(): number; elapsed(): number };
  readonly random: () => number;
  /** Whether somebody else loads it again after it has stopped too often. */
  readonly isLoadedAgain: boolean;
  /** Absent: what it describes of itself later is not listened to. */
  readonly describe?: DescribeExtension | undefined;
  /** Gets what it describes at this moment. */
  readonly start: (signal: AbortSignal, description: ExtensionDescription) => Promise<StartOutcome>;
  readonly onIncident: (incident: Incident) => void;
  readonly onClosed: () => void;
}

/** Begins once a process runs, or is told why there is none. */
type Queued = (loaded: LoadedProcess | null, whyNot: string) => void;

const END_GRACE_MS = 500;

export function createSupervisedExtension(options: SupervisedExtensionOptions): SupervisedExtension {
  const { log, clock, memoryMb } = options;
  const budget = createCrashBudget({ elapsed: clock.elapsed, random: options.random });
  const described = createCurrentDescription({
    first: options.description,
    describe: options.describe,
    log,
    onIncident: options.onIncident,
  });
  const inFlight = new Set<PendingCall>();
  let queue: Queued[] = [];
  let state: ProcessState['state'] = 'none';
  let current: LoadedProcess | null = null;
  let starting: { readonly abort: AbortController; readonly done: Promise<RawFailure | null> } | null = null;
  let retry: { readonly timer: NodeJS.Timeout; readonly at: number } | null = null;
  let isTainted = false;
  let closed: Promise<void> | null = null;
  let onIdle: (() => void) | null = null;

  const process = (): ProcessState => ({ state, pid: current?.pid ?? null, restarts: budget.count(), retryAt: retry?.at ?? null });

  const enter = (next: ProcessState['state']): void => {
    state = next;
    options.onIncident({ type: 'process', state: process() });
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
      onStray() {
        if (current !== loaded) return;
        isTainted = true;
        replaceWhenIdle();
      },
      onRaw: (raw) => (current === loaded ? described.take(raw) : null),
    });
  };

  const replaceWhenIdle = (): void => {
    if (!isTainted || inFlight.size > 0 || current === null) return;
    const old = current;
    current = null;
    isTainted = false;
    log.write('info', 'host', 'The process is replaced because of an error that nothing in it caught', null);
    enter('none');
    void old.end(END_GRACE_MS);
  };

  const onProcessEnd = (loaded: LoadedProcess, end: ProcessEnd, calls: readonly PendingCall[]): void => {
    const isCurrent = current === loaded;
    if (isCurrent) {
      current = null;
      isTainted = false;
      noteEnd(end, loaded.tail());
    }
    for (const call of calls) call.settle(crashedCall(end, memoryMb));
  };

  const noteEnd = (end: ProcessEnd, output: string | null): void => {
    const words = `The process ${describeEnd(end, memoryMb)}`;
    log.write('error', 'host', words, null);
    const failure = (code: RawFailure['code']): void =>
      options.onIncident({ type: 'failure', failure: { code, message: words, ...(output === null ? {} : { output }) } });
    if (end.reason === 'unwanted') return enter('none');
    if (end.reason === 'unresponsive') {
      failure('unresponsive');
      return enter('none');
    }
    if (end.reason === 'memory_limit') failure('memory_limit');
    countCrash(words, output);
  };

  const countCrash = (words: string, output: string | null): void => {
    if (closed !== null) return enter('none');
    const verdict = budget.crash();
    if (verdict.exhausted) {
      stopRetry();
      enter('crash_loop');
      options.onIncident({ type: 'failure', failure: crashLoop(lowerFirst(words), output, options.isLoadedAgain) });
      return answerQueue(null, whyExhausted(options.isLoadedAgain));
    }
    const timer = setTimeout(() => {
      retry = null;
      if (queue.length > 0) void startNow();
      else enter('none');
    }, verdict.waitMs).unref();
    retry = { timer, at: clock.now() + verdict.waitMs };
    enter('backoff');
  };

  /** The failure, when there is one, is told to whoever asked for the start; a crash is counted by `startForCalls`. */
  const startNow = (counted = true): Promise<RawFailure | null> => {
    if (starting !== null) return starting.done;
    const abort = new AbortController();
    const run = async (): Promise<RawFailure | null> => {
      const outcome = await options.start(abort.signal, described.value);
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
      options.onIncident({ type: 'failure', failure });
      countCrash(`The start failed: ${failure.message}`, failure.output ?? null);
    } else enter('none');
    for (const begin of waiting) begin(null, `its process could not be started: ${failure.message}`);
  };

  const withProcess = (begin: Queued): void => {
    if (closed !== null) return begin(null, 'it is being replaced or stopped. Try again');
    if (current !== null) return begin(current, '');
    if (budget.isExhausted()) return begin(null, whyExhausted(options.isLoadedAgain));
    queue.push(begin);
    if (retry === null && starting === null) void startNow();
  };

  const whyWaiting = (): string => {
    if (retry !== null) return `the extension's process had stopped and is started again at ${new Date(retry.at).toISOString()}`;
    return "the extension's process was not ready yet";
  };

  return {
    get description() {
      return described.value;
    },
    adopt,
    process,
    logs: () => log.read(),
    async status() {
      return described.value.hasStatus && current !== null ? current.status() : null;
    },
    callTool(tool, argsText, hooks) {
      return new Promise((resolve) => {
        const place = described.place(tool);
        if (place === undefined) {
          resolve(
            failedCall(
              'not_found',
              `This extension has no tool called ${tool}. It has: ${described.value.tools.map(({ name }) => name).join(', ') || 'none'}.`,
            ),
          );
          return;
        }
        let carrier: LoadedProcess | null = null;
        const call = createPendingCall({
          tool,
          hooks,
          onSettled(outcome) {
            inFlight.delete(call);
            resolve(outcome);
            if (inFlight.size > 0) return;
            replaceWhenIdle();
            onIdle?.();
          },
          onCut: (reason) => carrier?.abandon(call, reason),
          waitsFor: () => (carrier === null ? whyWaiting() : null),
        });
        inFlight.add(call);
        withProcess((loaded, whyNot) => {
          if (call.isSettled()) return;
          if (loaded === null) return call.settle(failedCall('extension_unavailable', `The extension is not available: ${whyNot}.`));
          carrier = loaded;
          loaded.begin(call, place, argsText);
        });
      });
    },
    async validate(tool, argsText) {
      const place = described.place(tool);
      if (place === undefined) return [{ path: '', keyword: 'not_found', message: `There is no tool called ${tool} here` }];
      const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<RunningExtension['validate']>>>();
      withProcess((loaded, whyNot) => {
        const unavailable = (why: string) => [{ path: '', keyword: 'unavailable', message: `could not be checked: ${why}` }];
        if (loaded === null) return resolve(unavailable(whyNot));
        void loaded.validate(place, argsText).then((issues) => resolve(issues ?? unavailable('the extension did not answer')));
      });
      return promise;
    },
    channel: null,
    callsInFlight: () => inFlight.size,
    async restart() {
      if (closed !== null) return null;
      starting?.abort.abort();
      await starting?.done;
      stopRetry();
      budget.reset();
      const old = current;
      current = null;
      log.write('info', 'host', 'Restarted by a person', null);
      old?.kill();
      const failure = await startNow(false);
      return failure;
    },
    close(drainMs) {
      closed ??= (async () => {
        if (inFlight.size > 0 && drainMs > 0) await idleWithin(drainMs);
        onIdle = null;
        stopRetry();
        starting?.abort.abort();
        for (const call of inFlight) call.settle(cutByClosing(drainMs));
        answerQueue(null, 'it is being replaced or stopped');
        const old = current;
        current = null;
        await Promise.all([old?.end(drainMs === 0 ? 0 : END_GRACE_MS), starting?.done]);
        enter('stopped');
        options.onClosed();
      })();
      return closed;
    },
  };

  function idleWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
