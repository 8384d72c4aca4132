import type { ChannelMessage, ChannelOutcome, RunningChannel } from '#lib/runtime/runtime.ts';
import type { Message } from '#lib/contract/channel.ts';
import type { ChannelRepository } from '#lib/store/store.ts';
import type { ChannelClock } from './channel-timing.ts';
import { outboundMessage } from './channel-messages.ts';

/** A clock that only tests advance. */
export interface ManualClock extends ChannelClock {
  /** Runs waits of up to this duration, in order. */
  advance(ms: number): Promise<void>;
  /** Remaining durations of all waits. */
  waits(): number[];
  /** Sets the wall clock without time passing. */
  set(byMs: number): void;
}

export function createManualClock(): ManualClock {
  let time = 1_000_000;
  let setBy = 0;
  const waiting = new Set<{ readonly at: number; readonly end: () => void }>();
  return {
    now: () => time + setBy,
    elapsed: () => time,
    set: (byMs) => void (setBy += byMs),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const end = (): void => {
          waiting.delete(entry);
          resolve();
        };
        const entry = { at: time + ms, end };
        waiting.add(entry);
        signal.addEventListener('abort', end, { once: true });
      }),
    waits: () => [...waiting].map(({ at }) => at - time).toSorted((a, b) => a - b),
    async advance(ms) {
      const until = time + ms;
      for (;;) {
        await settle();
        const [next] = [...waiting].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        time = Math.max(time, next.at);
        next.end();
      }
      time = until;
      await settle();
    },
  };
}

/** Runs everything that is ready. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A channel whose functions the test controls. */
export interface FakeChannel extends RunningChannel {
  /** Results of the next `connect` and `send`; success by default. */
  readonly connects: ChannelOutcome<void>[];
  readonly sends: (ChannelOutcome<void> | Promise<ChannelOutcome<void>>)[];
  bring(...outcomes: readonly (string | ChannelOutcome<ChannelMessage>)[]): void;
  /** Its calls in order. */
  readonly asked: string[];
  isReleased(): boolean;
}

export const FAILED: ChannelOutcome<never> = { ok: false, reason: 'threw', message: 'refused' };
const DONE: ChannelOutcome<void> = { ok: true, value: undefined };

export function createFakeChannel(): FakeChannel {
  const brought: ChannelOutcome<ChannelMessage>[] = [];
  let receiver: ((outcome: ChannelOutcome<ChannelMessage>) => void) | null = null;
  let released = false;
  const connects: ChannelOutcome<void>[] = [];
  const sends: FakeChannel['sends'] = [];
  const asked: string[] = [];

  function hand(): void {
    const outcome = receiver === null ? undefined : brought.shift();
    if (receiver === null || outcome === undefined) return;
    const give = receiver;
    receiver = null;
    give(outcome);
  }

  return {
    connects,
    sends,
    asked,
    isReleased: () => released,
    async connect() {
      asked.push('connect');
      return connects.shift() ?? DONE;
    },
    recv() {
      asked.push('recv');
      return new Promise((resolve) => {
        receiver = resolve;
        hand();
      });
    },
    async send({ text }) {
      asked.push(`send ${text}`);
      return sends.shift() ?? DONE;
    },
    release() {
      released = true;
      asked.push('release');
    },
    bring(...outcomes) {
      for (const outcome of outcomes)
        brought.push(
          typeof outcome === 'string' ? { ok: true, value: { text: outcome, sender: 'Ada', channel: 'fake', metadata: {} } } : outcome,
        );
      hand();
    },
  };
}

/** In-memory queue of a channel, as far as sending needs it. */
export interface FakeQueue extends Pick<ChannelRepository, 'nextQueued' | 'beginSend' | 'endSend'> {
  put(text: string, recipient?: string | null): Message;
  get(text: string): Message | undefined;
  /** The number of next writes that fail. */
  readonly refusals: ('storage_full' | 'storage_unavailable')[];
}

export function createFakeQueue(): FakeQueue {
  const messages: Message[] = [];
  const refusals: FakeQueue['refusals'] = [];

  async function change(id: string, columns: (message: Message) => Partial<Message>): Promise<Message> {
    const refusal = refusals.shift();
    if (refusal !== undefined) throw Object.assign(new Error('refused'), { code: refusal });
    const at = messages.findIndex((message) => message.id === id);
    const message = messages[at];
    if (message === undefined) throw new Error(`no message ${id}`);
    const changed = { ...message, ...columns(message) };
    messages[at] = changed;
    return changed;
  }

  return {
    refusals,
    put(text, recipient = null) {
      const message = outboundMessage({ text, sender: 'host', recipient, metadata: {} }, 'fake', 0);
      messages.push(message);
      return message;
    },
    get: (text) => messages.find((message) => message.text === text),
    nextQueued: async (_, exceptFor) =>
      messages.find(({ state, recipient }) => state === 'queued' && !exceptFor.includes(recipient)) ?? null,
    async beginSend(id) {
      await change(id, ({ attempts }) => ({ attempts: attempts + 1 }));
    },
    endSend: async (id, { state, error }) => await change(id, () => ({ state, error })),
  };
}
