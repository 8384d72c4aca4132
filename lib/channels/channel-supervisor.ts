import type { ChannelState, Message } from '#lib/contract/channel.ts';
import type { ChannelMessage, ChannelOutcome, RunningChannel } from '#lib/runtime/runtime.ts';
import type { ChannelClock } from './channel-clock.ts';
import type { LineState, ReceiveLine } from './receive-line.ts';
import { createReceiveLine } from './receive-line.ts';
import type { SendLine, SendLineOptions } from './send-line.ts';
import { createSendLine } from './send-line.ts';

/**
 * One channel over the lives of its revisions: what serves, who takes over, and what people are told of it.
 *
 * What can go wrong: a new revision comes under traffic (the old one is received from until it is silent and the send in flight has
 * ended; only then is it let go and the new one connected, so nothing is lost, doubled or out of order); a third one comes meanwhile
 * (the second never serves and is let go at once); it is withdrawn for good (the same, with nothing after it); it comes back as it was.
 */
export interface ChannelSupervisor {
  /** From now on this; null: nothing, for the reason that `idle` gives. The same functions again change nothing. */
  serve(source: ChannelSource | null, idle: IdleState): void;
  /** Does at once what it waits to do. */
  retry(): void;
  /** There may be something to send. */
  wake(): void;
  shown(): ShownState;
  close(): Promise<void>;
}

export interface ChannelSource {
  readonly functions: RunningChannel;
  /** Why connecting again is of no use until somebody acts; null while it may be. */
  givenUp(): string | null;
}

export interface IdleState {
  readonly state: Extract<ChannelState, 'connecting' | 'stopped' | 'failed'>;
  readonly reason: string;
}

export interface ShownState {
  readonly state: ChannelState;
  readonly reason: string | null;
  readonly retryAt: number | null;
}

export interface ChannelSupervisorOptions {
  readonly channel: string;
  readonly store: SendLineOptions['store'];
  readonly clock: ChannelClock;
  readonly random: () => number;
  /** How long a hand-over waits for a send in flight. */
  readonly handOverMs: number;
  take(message: ChannelMessage): Promise<void>;
  send(functions: RunningChannel, message: Message): Promise<ChannelOutcome<void>>;
  onChange(): void;
  onEnd(message: Message): void;
  onTrouble(reason: string): void;
  onError(error: unknown): void;
}

interface Serving {
  readonly source: ChannelSource;
  readonly line: ReceiveLine;
  readonly now: { state: LineState };
}

/** How long an old revision that never falls silent is received from. */
const SILENT_WITHIN_MS = 3_000;
/** How long a stop of the host waits for all of it; a send that takes longer says at the next start that it may have been sent. */
const STOP_MS = 2_000;
const CONNECTING: LineState = { state: 'connecting', reason: null };

export function createChannelSupervisor(options: ChannelSupervisorOptions): ChannelSupervisor {
  let wanted: ChannelSource | null = null;
  let idle: IdleState = { state: 'connecting', reason: 'It is being loaded.' };
  let serving: Serving | null = null;
  let changing: Promise<void> | null = null;
  let isClosed = false;
  /** What came is no message; until one is. */
  let invalid: string | null = null;

  const sends: SendLine = createSendLine({
    ...options,
    isConnected: () => serving?.now.state.state === 'connected',
    send: (message) =>
      serving === null
        ? Promise.resolve({ ok: false, reason: 'ended', message: 'The channel was stopped before it was sent.' })
        : options.send(serving.source.functions, message),
    onEnd(message) {
      options.onEnd(message);
      options.onChange();
    },
  });

  function begin(source: ChannelSource): Serving {
    const now: Serving['now'] = { state: CONNECTING };
    return {
      source,
      now,
      line: createReceiveLine({
        ...options,
        functions: source.functions,
        givenUp: source.givenUp,
        take: async (message) => {
          invalid = null;
          await options.take(message);
        },
        onInvalid(reason) {
          invalid = `What recv gave was no message: ${reason}`;
          options.onTrouble(invalid);
          options.onChange();
        },
        onState(state) {
          now.state = state;
          if (state.state === 'retrying' || state.state === 'failed') options.onTrouble(state.reason);
          if (state.state === 'connected') sends.wake();
          options.onChange();
        },
      }),
    };
  }

  async function handOver(): Promise<void> {
    while ((serving?.source ?? null) !== wanted) {
      if (serving !== null) {
        const old = serving;
        await Promise.all([old.line.finish(SILENT_WITHIN_MS), sends.pause(options.handOverMs)]);
        old.source.functions.release();
        serving = null;
      }
      invalid = null;
      if (wanted !== null) {
        serving = begin(wanted);
        sends.resume();
      }
      options.onChange();
    }
  }

  function settle(): void {
    changing ??= handOver()
      .catch(options.onError)
      .finally(() => {
        changing = null;
        if ((serving?.source ?? null) !== wanted) settle();
      });
  }

  return {
    serve(source, next) {
      if (isClosed) return;
      const before = idle;
      idle = next;
      if (source?.functions === wanted?.functions) {
        if (serving?.now.state.state === 'failed' && serving.source.givenUp() === null) serving.line.retry();
        if (source === null && (before.state !== next.state || before.reason !== next.reason)) options.onChange();
        return;
      }
      if (wanted !== null && wanted !== serving?.source) wanted.functions.release();
      wanted = source;
      options.onChange();
      settle();
    },
    retry() {
      serving?.line.retry();
      sends.retry();
    },
    wake: () => sends.wake(),
    shown() {
      if (wanted === null) return { ...idle, retryAt: null };
      if (serving === null) return { state: 'connecting', reason: null, retryAt: null };
      const { state } = serving.now;
      if (state.state === 'retrying') return { state: 'retrying', reason: state.reason, retryAt: state.retryAt };
      if (state.state === 'failed') return { state: 'failed', reason: state.reason, retryAt: null };
      const trouble = state.state === 'connected' ? sends.trouble() : null;
      if (trouble !== null) return { state: 'retrying', reason: trouble.reason, retryAt: trouble.retryAt };
      return { state: state.state, reason: invalid, retryAt: null };
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      wanted = null;
      idle = { state: 'stopped', reason: 'The server is stopping.' };
      settle();
      const limit = new AbortController();
      await Promise.race([changing, options.clock.wait(STOP_MS, limit.signal)]);
      limit.abort();
      await sends.close(0);
    },
  };
}
