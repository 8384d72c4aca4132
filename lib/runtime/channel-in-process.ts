import { LIMITS } from '#lib/contract/limits.ts';
import { readMessage } from './channel-message.ts';
import { describeEnd } from './process-words.ts';
import type { ChannelAnswer } from './channel-requests.ts';
import type { LoadedProcess } from './loaded-process.ts';
import type { ChannelMessage, ChannelOutcome, RunningChannel } from './runtime.ts';
import type { SupervisedProcess } from './supervised-process.ts';

/**
 * The channel of one revision, whatever becomes of its process. It is connected in one process; in another it is not, so
 * `recv` and `send` go to that one alone and tell of its end.
 *
 * What can go wrong: a revision is replaced while a message is on its way here. Nothing is cut then: who loops over the
 * channel goes on until it says `release`, and what the process still says before its end is handed over.
 */
export interface ChannelInProcess {
  readonly running: RunningChannel;
  /** Settles when nobody loops over it. */
  released(): Promise<void>;
}

export interface ChannelLimits {
  readonly connectMs: number;
  readonly sendMs: number;
}

export const CHANNEL_LIMITS: ChannelLimits = { connectMs: LIMITS.channelConnectMs, sendMs: LIMITS.channelSendMs };

export interface ChannelInProcessOptions {
  readonly form: 'message' | 'answer';
  /** What a message gets as its channel that does not say one. */
  readonly name: string;
  readonly memoryMb: number;
  readonly limits: ChannelLimits;
  hideSecrets(text: string): string;
  readonly withProcess: SupervisedProcess['withProcess'];
}

export function createChannelInProcess({
  form,
  name,
  memoryMb,
  limits,
  hideSecrets,
  withProcess,
}: ChannelInProcessOptions): ChannelInProcess {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let connected: LoadedProcess | null = null;
  let hasBegun = false;
  /** One `recv` after the other: two at a time could come back in another order. */
  let lastRecv: Promise<unknown> = Promise.resolve();

  const failed = <Value>(answer: Exclude<ChannelAnswer, { how: 'done' }>, step: string, limitMs: number): ChannelOutcome<Value> => {
    switch (answer.how) {
      case 'timeout':
        return { ok: false, reason: 'timeout', message: `\`${step}\` did not come back within ${limitMs.toLocaleString('en')} ms.` };
      case 'ended':
        return ended(`The process of this channel ${describeEnd(answer.end, memoryMb)}.`);
      case 'threw':
      case 'invalid':
        return { ok: false, reason: answer.how, message: hideSecrets(answer.message) };
    }
  };

  const ask = async (step: 'connect' | 'send', args: readonly unknown[], process: LoadedProcess | null, limitMs: number) => {
    if (process === null) return ended<void>(NOT_CONNECTED);
    const answer = await process.channel.ask(step, JSON.stringify(args), limitMs);
    return answer.how === 'done' ? DONE : failed<void>(answer, step, limitMs);
  };

  const recv = async (): Promise<ChannelOutcome<ChannelMessage>> => {
    if (connected === null) return ended(NOT_CONNECTED);
    const answer = await connected.channel.ask('recv', '[]', null);
    if (answer.how !== 'done') return failed(answer, 'recv', 0);
    const read = readMessage(answer.payload, name);
    return read.ok ? { ok: true, value: read.message } : { ok: false, reason: 'invalid', message: read.why };
  };

  return {
    released: () => (hasBegun ? released : Promise.resolve()),
    running: {
      connect() {
        hasBegun = true;
        return new Promise((resolve) => {
          withProcess((loaded, whyNot) => {
            if (loaded === null) return resolve(ended(`The channel is not available: ${whyNot}.`));
            connected = loaded;
            resolve(ask('connect', [], loaded, limits.connectMs));
          });
        });
      },
      recv() {
        const outcome = lastRecv.then(recv);
        lastRecv = outcome;
        return outcome;
      },
      send(message, answering) {
        if (form === 'message') return ask('send', [message], connected, limits.sendMs);
        if (answering === null) return Promise.resolve(NOTHING_TO_ANSWER);
        return ask('send', [answering, message.text], connected, limits.sendMs);
      },
      release,
    },
  };
}

const DONE: ChannelOutcome<void> = { ok: true, value: undefined };
const NOT_CONNECTED = 'The channel is not connected: `connect` comes first.';
const NOTHING_TO_ANSWER: ChannelOutcome<void> = {
  ok: false,
  reason: 'invalid',
  message:
    'This channel can only answer: its `send` takes the message that came in and a text, and nothing has come in yet from this recipient.',
};

function ended<Value>(message: string): ChannelOutcome<Value> {
  return { ok: false, reason: 'ended', message };
}
