import type { ChannelOutcome, RunningChannel } from '#lib/runtime/runtime.ts';

/**
 * The chat in the dashboard, under the same three functions. There is no far end: what is sent is there for whoever looks, and what
 * people write arrives through the API, so `recv` waits for its end alone.
 */
export function createWebChannel(): RunningChannel {
  const released = Promise.withResolvers<void>();
  return {
    connect: async () => DONE,
    recv: () => released.promise.then(() => ENDED),
    send: async () => DONE,
    release: () => released.resolve(),
  };
}

const DONE: ChannelOutcome<void> = { ok: true, value: undefined };
const ENDED = { ok: false, reason: 'ended', message: 'The server is stopping.' } as const;
