import { ShortLivedSet } from '#lib/memory/short-lived.ts';
import { createPendingCall, interruptedByClose, failedCall } from './pending-call.ts';
import { crashedCall } from './process-end-messages.ts';
import { type ChannelLimits, createChannelInProcess } from './channel-in-process.ts';
import { createSupervisedProcess, END_GRACE_MS } from './supervised-process.ts';
import type { CrashBreaker } from './crash-breaker.ts';
import type { ExtensionLog } from './extension-log.ts';
import { unreachableOutcome } from './loaded-process.ts';
import type { LoadedProcess } from './loaded-process.ts';
import type { PendingCall } from './pending-call.ts';
import type {
  DescribeExtension,
  ExtensionDescription,
  Incident,
  ProcessState,
  RequestOutcome,
  RunningExtension,
  RawDescription,
} from './runtime.ts';
import type { StartOutcome } from './supervised-process.ts';

/**
 * One revision of one extension, across restarts of its process: passes calls and channel messages.
 *
 * What can go wrong: the process dies during calls (they are answered at once); the extension is closed while calls run and its
 * channel is read (both are awaited, up to the drain time).
 */
export interface SupervisedExtension extends RunningExtension {
  /** Takes over the process that has just loaded the extension. */
  adopt(loaded: LoadedProcess): void;
  /** Whether its process was not used for so long and may end. */
  isUnused(ms: number): boolean;
  /** Ends an unused process, unless something runs in it. */
  endUnused(): Promise<void>;
}

export interface SupervisedExtensionOptions {
  readonly description: ExtensionDescription;
  readonly log: ExtensionLog;
  readonly memoryMb: number;
  readonly channelLimits: ChannelLimits;
  /** How long an unused process is kept; 0: forever. */
  readonly idleMs: number;
  hideSecrets(text: string): string;
  readonly clock: { now(): number; elapsed(): number };
  readonly breaker?: CrashBreaker | undefined;
  readonly random: () => number;
  /** Whether another component loads it again after too many crashes. */
  readonly isLoadedAgain: boolean;
  /** Absent: later descriptions are ignored. */
  readonly describe?: DescribeExtension | undefined;
  /** Name of the channel, for messages that do not set one. */
  readonly channelName: string;
  /** Receives the current description. */
  readonly start: (signal: AbortSignal, description: ExtensionDescription) => Promise<StartOutcome>;
  readonly onIncident: (incident: Incident) => void;
  readonly onClosed: () => void;
}

export function createSupervisedExtension(options: SupervisedExtensionOptions): SupervisedExtension {
  const { log, memoryMb, idleMs } = options;
  const described = createCurrentDescription({
    first: options.description,
    describe: options.describe,
    log,
    onIncident: options.onIncident,
  });
  const inFlight = new ShortLivedSet<PendingCall>();
  let closed: Promise<void> | null = null;
  let onIdle: (() => void) | null = null;
  /** What keeps a process that could end otherwise. */
  let activity: string | null = null;
  const { channel: form } = options.description;

  const process = createSupervisedProcess({
    log,
    memoryMb,
    clock: options.clock,
    random: options.random,
    breaker: options.breaker,
    isLoadedAgain: options.isLoadedAgain,
    isKeptRunning: form !== null,
    start: (signal) => options.start(signal, described.value),
    isIdle: () => inFlight.size === 0,
    onIncident: options.onIncident,
    onRaw: (raw) => described.take(raw),
    onEnd(end, calls) {
      for (const call of calls) call.settle(crashedCall(end, memoryMb));
    },
  });
  const channel =
    form === null
      ? null
      : createChannelInProcess({
          form: form.send,
          name: options.channelName,
          memoryMb,
          limits: options.channelLimits,
          hideSecrets: options.hideSecrets,
          withProcess: process.withProcess,
        });

  let chosen: boolean | null = null;
  /** Whether its first process waits until the extension serves. */
  let awaitsCommit = false;
  let shown: ProcessState = { state: 'none', pid: null, restarts: 0, retryAt: null, kept: null };
  /** Addresses of resources whose changes are awaited. */
  const subscribed = new Set<string>();
  const keptBy = (): ProcessState['kept'] => {
    // Of an earlier version, which did not look for state.
    const { kept = 'state' } = described.value;
    if (kept === 'channel') return kept;
    if (chosen === true) return 'chosen';
    const isKept = chosen === null && kept !== null;
    return isKept ? kept : subscribed.size > 0 ? 'session' : null;
  };

  const idleWithin = async (ms: number): Promise<void> => {
    const idle = inFlight.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => (onIdle = resolve));
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([Promise.all([idle, channel?.released()]), over]);
    clearTimeout(timer);
    onIdle = null;
  };

  return {
    get description() {
      return described.value;
    },
    adopt(loaded) {
      awaitsCommit = true;
      process.adopt(loaded);
    },
    process() {
      const kept = idleMs === 0 ? null : (keptBy() ?? (activity === null ? null : 'activity'));
      const { state, pid, restarts, retryAt } = process.state();
      if (shown.state !== state || shown.pid !== pid || shown.restarts !== restarts || shown.retryAt !== retryAt || shown.kept !== kept)
        shown = { state, pid, restarts, retryAt, kept };
      return shown;
    },
    keepAlive(choice) {
      chosen = choice;
      if (awaitsCommit) process.touch();
      awaitsCommit = false;
    },
    isUnused: (ms) => idleMs > 0 && !awaitsCommit && keptBy() === null && process.isUnused(ms),
    async endUnused() {
      const found = await process.endUnused();
      if (found !== null && found !== activity) log.write('info', 'host', `Its unused process is kept: ${found} is active`, null);
      activity = found;
    },
    logs: () => log.read(),
    async status() {
      if (!described.value.hasStatus) return null;
      process.touch();
      return process.current()?.status() ?? null;
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
            leave();
            resolve(outcome);
            process.onSettled();
            if (inFlight.size === 0) onIdle?.();
          },
          onInterrupt: (reason) => carrier?.abandon(call, reason),
          waitsFor: () => (carrier === null ? process.whyWaiting() : null),
        });
        const leave = inFlight.add(call);
        process.withProcess((loaded, whyNot) => {
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
      process.withProcess((loaded, whyNot) => {
        const unavailable = (why: string) => [{ path: '', keyword: 'unavailable', message: `could not be checked: ${why}` }];
        if (loaded === null) return resolve(unavailable(whyNot));
        void loaded.validate(place, argsText).then((issues) => resolve(issues ?? unavailable('the extension did not answer')));
      });
      return promise;
    },
    request(method, paramsText, signal, from) {
      const { promise, resolve } = Promise.withResolvers<RequestOutcome>();
      if (method === 'resources/subscribe') subscribed.add(paramsText);
      if (method === 'resources/unsubscribe') subscribed.delete(paramsText);
      process.withProcess((loaded, whyNot) => resolve(loaded?.request(method, paramsText, signal, from) ?? unreachableOutcome(whyNot)));
      return promise;
    },
    channel: channel?.running ?? null,
    callsInFlight: () => inFlight.size,
    restart: process.restart,
    close(drainMs) {
      closed ??= (async () => {
        process.refuse();
        if (drainMs > 0) await idleWithin(drainMs);
        for (const call of inFlight) call.settle(interruptedByClose(call, drainMs));
        await process.end(drainMs === 0 ? 0 : END_GRACE_MS);
        options.onClosed();
      })();
      return closed;
    },
  };
}

/** The current description of an extension, and the index of each tool in it. */
interface CurrentDescription {
  readonly value: ExtensionDescription;
  place(tool: string): number | undefined;
  /** The new description; null if nothing changes. */
  take(raw: RawDescription): ExtensionDescription | null;
}

interface CurrentDescriptionOptions {
  readonly first: ExtensionDescription;
  /** Absent: later descriptions are ignored. */
  readonly describe: DescribeExtension | undefined;
  readonly log: ExtensionLog;
  readonly onIncident: (incident: Incident) => void;
}

function createCurrentDescription({ first, describe, log, onIncident }: CurrentDescriptionOptions): CurrentDescription {
  let value = first;
  let places = placesOf(first);
  return {
    get value() {
      return value;
    },
    place: (tool) => places.get(tool),
    take(raw) {
      const outcome = describe?.(raw) ?? null;
      if (outcome === null) return null;
      if (!outcome.ok) {
        log.write('error', 'host', `Its new description is invalid: ${outcome.failure.message}`, null);
        return null;
      }
      if (JSON.stringify(outcome.description) === JSON.stringify(value)) return null;
      value = outcome.description;
      places = placesOf(value);
      onIncident({ type: 'described', description: value });
      return value;
    },
  };
}

function placesOf({ tools }: ExtensionDescription): ReadonlyMap<string, number> {
  return new Map(tools.map((tool, place) => [tool.name, place]));
}
