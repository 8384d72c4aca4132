import type { ChannelState, Message } from '#lib/contract/channel.ts';
import type { ChannelMessage, ChannelOutcome, RunningChannel } from '#lib/runtime/runtime.ts';
import type { ChannelClock } from './channel-timing.ts';
import { createReceiveLoop, type LoopState, type ReceiveLoop } from './receive-loop.ts';
import { createSendLoop, type SendLoop, type SendLoopOptions } from './send-loop.ts';

/**
 * A channel across its revisions.
 *
 * What can go wrong:
 * - a new revision loads during traffic: the old one receives until it is silent and its current send has ended; only then is
 *   it released and the new one connected, so nothing is lost, duplicated or reordered;
 * - a third revision loads meanwhile: the second never serves and is released at once;
 * - it is removed: the same without a successor;
 * - the same revision returns.
 */
export interface ChannelSupervisor {
  /** Serve this revision; null: none, for the reason `idle`. The same functions again change nothing. */
  serve(source: ChannelSource | null, idle: IdleState): void;
  /** Retries now. */
  retry(): void;
  /** There may be queued messages. */
  wake(): void;
  shown(): ShownState;
  /** Resolves when the change under way has ended. */
  idle(): Promise<void>;
  /** Receives and sends nothing more, from now on; `functions` are not released, because they may serve again. */
  abandon(): void;
  close(): Promise<void>;
}

export interface ChannelSource {
  readonly functions: RunningChannel;
  /** Why reconnecting is useless without an action; null if it is not. */
  givenUp(): string | null;
  /** Ends its connection at once, because another server may own the channel. `functions` may connect again. */
  disconnect(): void;
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
  readonly store: SendLoopOptions['store'];
  readonly clock: ChannelClock;
  readonly random: () => number;
  /** Handover timeout for the current send. */
  readonly handOverMs: number;
  /** Its messages are injected, so no silence of `recv` is waited for. */
  readonly isLocal?: boolean;
  take(message: ChannelMessage): Promise<void>;
  send(functions: RunningChannel, message: Message): Promise<ChannelOutcome<void>>;
  onChange(): void;
  onEnd(message: Message): void;
  onTrouble(reason: string): void;
  onError(error: unknown): void;
}

interface Serving {
  readonly source: ChannelSource;
  readonly line: ReceiveLoop;
  readonly now: { state: LoopState };
}

/** Limit for receiving from an old revision that never falls silent. */
const SILENT_WITHIN_MS = 3_000;
/** Timeout at the stop of the host; a longer send is marked as possibly sent at the next start. */
const STOP_MS = 2_000;
const STOP_SILENT_WITHIN_MS = 1_000;
const CONNECTING: LoopState = { state: 'connecting', reason: null };

export function createChannelSupervisor(options: ChannelSupervisorOptions): ChannelSupervisor {
  const { isLocal = false } = options;
  let wanted: ChannelSource | null = null;
  let idle: IdleState = { state: 'connecting', reason: 'It is being loaded.' };
  let serving: Serving | null = null;
  let changing: Promise<void> | null = null;
  let isClosed = false;
  let isAbandoned = false;
  /** Invalid messages in a row. */
  let invalid: string | null = null;

  const sends: SendLoop = createSendLoop({
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
      line: createReceiveLoop({
        ...options,
        functions: source.functions,
        givenUp: source.givenUp,
        take: async (message) => {
          invalid = null;
          await options.take(message);
        },
        onInvalid(reason) {
          invalid = `recv returned an invalid message: ${reason}`;
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
    while (!isAbandoned && (serving?.source ?? null) !== wanted) {
      if (serving !== null) {
        const old = serving;
        if (isLocal) old.line.abandon();
        const silence = isLocal ? null : old.line.finish(isClosed ? STOP_SILENT_WITHIN_MS : SILENT_WITHIN_MS);
        await Promise.all([silence, sends.pause(options.handOverMs)]);
        if (isAbandoned) return;
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
        if (!isAbandoned && (serving?.source ?? null) !== wanted) settle();
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
    async idle() {
      await changing;
    },
    abandon() {
      isClosed = true;
      isAbandoned = true;
      serving?.line.abandon();
      void sends.close(0);
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
      // Another server may own the channel next.
      serving?.line.abandon();
      await sends.close(0);
      // Its process would otherwise run until a longer send has ended.
      serving?.source.functions.release();
    },
  };
}
