import type { ChannelOutcome, RunningChannel } from '#lib/runtime/runtime.ts';

/**
 * The dashboard chat as a channel. It has no remote end: sent messages are simply shown, and messages of people arrive through
 * the API, so `recv` only waits for its abort.
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
