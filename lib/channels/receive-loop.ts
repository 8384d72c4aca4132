import { LIMITS } from '#lib/contract/limits.ts';
import type { ChannelMessage, ChannelOutcome, RunningChannel } from '#lib/runtime/runtime.ts';
import { backoffMs, type ChannelClock } from './channel-timing.ts';

/**
 * Connects and receives for one revision of a channel: one `recv` at a time; the next starts when the message is stored.
 *
 * What can go wrong:
 * - `connect` or `recv` fails: reconnect after a delay that doubles until a message arrives or the connection lasts a minute;
 * - the runtime gives up the process: no retries without an action;
 * - a message is invalid: it is reported, and from the third in a row on delayed;
 * - a newer revision takes over during traffic: `finish` receives until silence, so that messages held by the old process are
 *   not lost; the result of its last `recv` is used too.
 */
export type LoopState =
  | { readonly state: 'connecting' | 'connected'; readonly reason: string | null }
  | { readonly state: 'retrying'; readonly reason: string; readonly retryAt: number }
  | { readonly state: 'failed'; readonly reason: string };

export interface ReceiveLoop {
  /** Ends a wait. */
  retry(): void;
  /** Receives until silence, for at most `mostMs`, then stops. Idempotent. */
  finish(mostMs: number): Promise<void>;
  /** Stops receiving immediately. */
  abandon(): void;
}

export interface ReceiveLoopOptions {
  readonly functions: RunningChannel;
  readonly clock: ChannelClock;
  readonly random: () => number;
  /** Stores it; the next `recv` waits for this. Never rejects. */
  take(message: ChannelMessage): Promise<void>;
  onState(state: LoopState): void;
  /** An invalid message. */
  onInvalid(reason: string): void;
  /** Why reconnecting is useless without an action; null if it is not. */
  givenUp(): string | null;
}

const SILENCE_MS = 250;
/** Wait for the last `recv` if it never falls silent. */
const LAST_MS = 2_000;
const INVALID_IN_A_ROW = 3;

export function createReceiveLoop(options: ReceiveLoopOptions): ReceiveLoop {
  const { functions, clock, random, onState } = options;
  let isFinishing = false;
  let asksNoMore = false;
  let isAbandoned = false;
  let isReceiving = false;
  /** Counts received messages, to detect silence. */
  let heard = 0;
  let taking: Promise<void> | null = null;
  let pausing = new AbortController();

  async function pause(reason: string, failures: number): Promise<void> {
    if (isFinishing) return;
    const ms = backoffMs(failures, random);
    pausing = new AbortController();
    onState({ state: 'retrying', reason, retryAt: clock.now() + ms });
    await clock.wait(ms, pausing.signal);
  }

  async function pauseForGood(reason: string): Promise<void> {
    if (isFinishing) return;
    pausing = new AbortController();
    onState({ state: 'failed', reason });
    await new Promise<void>((resolve) => pausing.signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  /** Until it fails or is stopped. */
  async function receive(): Promise<{ readonly received: number; readonly reason: string }> {
    let received = 0;
    let invalid = 0;
    for (;;) {
      const outcome = await functions.recv();
      // Not confirmed, so it arrives again at the next connection.
      if (isAbandoned) return { received, reason: '' };
      if (outcome.ok) {
        heard += 1;
        received += 1;
        invalid = 0;
        taking = options.take(outcome.value).finally(() => {
          taking = null;
        });
        await taking;
      } else if (outcome.reason === 'invalid') {
        heard += 1;
        invalid += 1;
        options.onInvalid(outcome.message);
        if (invalid >= INVALID_IN_A_ROW && !isFinishing) {
          await pause(`recv returned an invalid message ${invalid} times in a row: ${outcome.message}`, invalid - INVALID_IN_A_ROW + 1);
          if (!asksNoMore) onState({ state: 'connected', reason: null });
        }
      } else return { received, reason: words('Receiving', outcome) };
      if (asksNoMore) return { received, reason: '' };
    }
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!isFinishing) {
      onState({ state: 'connecting', reason: null });
      // That of Telegram reads stored messages, which fails while the database does not answer.
      const connected = await functions.connect().catch(asOutcome);
      if (isFinishing) return;
      let reason = connected.ok ? '' : words('Connecting', connected);
      if (connected.ok) {
        onState({ state: 'connected', reason: null });
        const since = clock.elapsed();
        isReceiving = true;
        const end = await receive();
        isReceiving = false;
        if (isFinishing) return;
        if (end.received > 0 || clock.elapsed() - since >= LIMITS.channelBackoffMostMs) failures = 0;
        ({ reason } = end);
      }
      failures += 1;
      const final = options.givenUp();
      if (final === null) await pause(reason, failures);
      else {
        await pauseForGood(final);
        failures = 0;
      }
    }
  }

  async function finish(mostMs: number): Promise<void> {
    isFinishing = true;
    pausing.abort();
    const until = clock.elapsed() + mostMs;
    const never = new AbortController().signal;
    for (let before = -1; isReceiving && (before !== heard || taking !== null);) {
      if (clock.elapsed() >= until) {
        asksNoMore = true;
        // Under traffic the last `recv` is about to return; stopping the process now would lose its message.
        await Promise.race([ended, clock.wait(LAST_MS, never)]);
        break;
      }
      before = heard;
      await clock.wait(Math.min(SILENCE_MS, until - clock.elapsed()), never);
    }
    asksNoMore = true;
    await taking;
  }

  let finished: Promise<void> | null = null;
  const ended = run();
  return {
    retry: () => pausing.abort(),
    finish: (mostMs) => (finished ??= finish(mostMs)),
    abandon() {
      isAbandoned = true;
      isFinishing = true;
      asksNoMore = true;
      pausing.abort();
    },
  };
}

function asOutcome(error: unknown): Extract<ChannelOutcome<unknown>, { ok: false }> {
  return { ok: false, reason: 'threw', message: error instanceof Error ? error.message : String(error) };
}

/** Error line for people: which function failed, and how. */
export function words(what: string, outcome: Extract<ChannelOutcome<unknown>, { ok: false }>): string {
  const message = outcome.message.trim() || 'it gave no reason';
  return outcome.reason === 'timeout' ? `${what} took too long: ${message}` : `${what} failed: ${message}`;
}
