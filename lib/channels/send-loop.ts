import type { Message } from '#lib/contract/channel.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { ChannelOutcome } from '#lib/runtime/runtime.ts';
import type { ChannelRepository } from '#lib/store/store.ts';
import { backoffMs, type ChannelClock, writeWithRetries } from './channel-timing.ts';
import { words } from './receive-loop.ts';

/**
 * Sends the queue of a channel, one message at a time while connected. The queue is in the database, so it survives the host.
 *
 * What can go wrong:
 * - a send fails: messages to the same recipient wait, to keep their order; others continue;
 * - a send ends the process, or lasts too long: others are sent first, since the next attempt may do it again;
 * - it fails too often: a dead letter, stored and shown, which a person can send again;
 * - it is interrupted: it may have been sent, so it is marked and sent again: a duplicate is better than a loss;
 * - storage fails: the end of a send is stored once storage is back, and nothing else is sent before.
 */
export interface SendLoop {
  /** There may be queued messages. */
  wake(): void;
  /** Ends the delays after failures and retries now. */
  retry(): void;
  /** Starts no sends until `resume`; resolves when the current one has ended, at most after `mostMs`. */
  pause(mostMs: number): Promise<void>;
  resume(): void;
  /** The current problem; null for none. */
  trouble(): { readonly reason: string; readonly retryAt: number } | null;
  close(mostMs: number): Promise<void>;
}

export interface SendLoopOptions {
  readonly channel: string;
  readonly store: Pick<ChannelRepository, 'nextQueued' | 'beginSend' | 'endSend'>;
  readonly clock: ChannelClock;
  readonly random: () => number;
  isConnected(): boolean;
  send(message: Message): Promise<ChannelOutcome<void>>;
  /** A message was sent, delayed or failed for good. */
  onEnd(message: Message): void;
  onError(error: unknown): void;
}

interface Waiting {
  readonly retryAt: number;
  readonly reason: string;
}

export function createSendLoop(options: SendLoopOptions): SendLoop {
  const { channel, store, clock, random } = options;
  const closing = new AbortController();
  /** By recipient; null: no recipient. Each continues when its delay has passed, whatever the wall clock says. */
  const waiting = new Map<string | null, Waiting>();
  /** Recipients whose last message ended the process or timed out. */
  const harmful = new Set<string | null>();
  let waits = new AbortController();
  let isPaused = false;
  let working: Promise<void> | null = null;
  let isAskedAgain = false;

  async function work(): Promise<void> {
    do {
      isAskedAgain = false;
      while (!isPaused && !closing.signal.aborted && options.isConnected()) {
        const message = await nextQueued();
        if (message === null) break;
        await attempt(message);
      }
    } while (isAskedAgain);
  }

  async function nextQueued(): Promise<Message | null> {
    const harmless = harmful.size === 0 ? null : await store.nextQueued(channel, [...waiting.keys(), ...harmful]);
    return harmless ?? store.nextQueued(channel, [...waiting.keys()]);
  }

  async function attempt(message: Message): Promise<void> {
    await writeWithRetries(() => store.beginSend(message.id), clock, closing.signal);
    const outcome = await options.send(message);
    const attempts = message.attempts + 1;
    // A message that the channel rejects permanently is not retried.
    const isLast = attempts >= LIMITS.messageAttempts || (!outcome.ok && outcome.reason === 'invalid');
    const inDoubt = !outcome.ok && (outcome.reason === 'timeout' || outcome.reason === 'ended');
    if (inDoubt && !isLast) harmful.add(message.recipient);
    else harmful.delete(message.recipient);
    const reason = outcome.ok ? null : `${words('Sending', outcome)}${inDoubt ? ' It may have been sent all the same.' : ''}`;
    const state = outcome.ok ? 'sent' : isLast ? 'failed' : 'queued';
    const ended = await writeWithRetries(() => store.endSend(message.id, { state, error: reason, inDoubt }), clock, closing.signal);
    if (reason === null || isLast) waiting.delete(message.recipient);
    else postpone(message.recipient, reason, backoffMs(attempts, random));
    options.onEnd(ended);
  }

  function postpone(recipient: string | null, reason: string, ms: number): void {
    const wait: Waiting = { reason, retryAt: clock.now() + ms };
    waiting.set(recipient, wait);
    void clock.wait(ms, waits.signal).then(() => {
      if (waiting.get(recipient) === wait) waiting.delete(recipient);
      wake();
    });
  }

  function wake(): void {
    if (closing.signal.aborted || isPaused) return;
    isAskedAgain = true;
    working ??= work()
      .catch((error: unknown) => {
        options.onError(error);
        void clock.wait(LIMITS.channelBackoffMs, waits.signal).then(wake);
      })
      .finally(() => {
        working = null;
        if (isAskedAgain && !isPaused && !closing.signal.aborted && options.isConnected()) wake();
      });
  }

  async function idle(mostMs: number): Promise<void> {
    if (working === null) return;
    const limit = new AbortController();
    await Promise.race([working, clock.wait(mostMs, limit.signal)]);
    limit.abort();
  }

  return {
    wake,
    retry() {
      waiting.clear();
      waits.abort();
      waits = new AbortController();
      wake();
    },
    async pause(mostMs) {
      isPaused = true;
      return await idle(mostMs);
    },
    resume() {
      isPaused = false;
      wake();
    },
    trouble() {
      const [worst] = [...waiting.values()].toSorted((a, b) => a.retryAt - b.retryAt);
      return worst ?? null;
    },
    async close(mostMs) {
      isPaused = true;
      await idle(mostMs);
      closing.abort();
      waits.abort();
    },
  };
}
