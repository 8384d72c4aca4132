import { LIMITS } from '#lib/contract/limits.ts';
import { describeEnd } from './process-end-messages.ts';
import type { LoadedProcess } from './loaded-process.ts';
import type { ChannelMessage, ChannelOutcome, RunningChannel } from './runtime.ts';
import type { SupervisedProcess } from './supervised-process.ts';
import { openPayload } from './parse-child-message.ts';
import { isRecord } from './frames.ts';
import type { ProcessEnd } from './framed-process.ts';
import type { HostMessage } from './messages.ts';

/**
 * The channel of one revision, across restarts of its process. It is connected in one process; after a restart it is not, so `recv`
 * and `send` go only to that process and report its end.
 *
 * What can go wrong: a revision is replaced while a message is on its way. The loop over the channel then continues until it calls
 * `release`, and receives all that the process sends before its end.
 */
interface ChannelInProcess {
  readonly running: RunningChannel;
  /** Settles when no loop uses the channel. */
  released(): Promise<void>;
}

export interface ChannelLimits {
  readonly connectMs: number;
  readonly sendMs: number;
  /** Until a process that does not answer a ping while `recv` waits is ended. */
  readonly silenceMs: number;
}

/** Silence is longer than for a call: no caller waits, and a function may block for a while without being in a loop. */
export const CHANNEL_LIMITS: ChannelLimits = { connectMs: LIMITS.channelConnectMs, sendMs: LIMITS.channelSendMs, silenceMs: 10_000 };

interface ChannelInProcessOptions {
  readonly form: 'message' | 'answer';
  /** The `channel` of a message that does not set one. */
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
  /** One `recv` at a time: two could return out of order. */
  let lastRecv: Promise<unknown> = Promise.resolve();

  const failed = <Value>(answer: Exclude<ChannelAnswer, { how: 'done' }>, step: string, limitMs: number): ChannelOutcome<Value> => {
    switch (answer.how) {
      case 'timeout':
        return { ok: false, reason: 'timeout', message: `\`${step}\` did not return within ${limitMs.toLocaleString('en')} ms.` };
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
    const answer = await connected.channel.ask('recv', '[]', limits.silenceMs);
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
    'This channel can only answer: its `send` takes an inbound message and a text, and there is no inbound message yet from this recipient.',
};

function ended<Value>(message: string): ChannelOutcome<Value> {
  return { ok: false, reason: 'ended', message };
}

/**
 * The message of `recv`, or a validation error for its author. The child rejects values beyond all limits. A text that is only too
 * long to store is truncated when it is stored, so the message is not lost.
 */
type ReadMessage = { readonly ok: true; readonly message: ChannelMessage } | { readonly ok: false; readonly why: string };

const KEY_LENGTH = 256;
const RIGHT = 'a message is { text, sender, channel, metadata }';

/**
 * @param payload JSON from the child
 * @param channel name for messages that do not set one
 */
export function readMessage(payload: Buffer, channel: string): ReadMessage {
  const value = openPayload(payload);
  if (value === undefined) return wrong(`an unreadable or too deeply nested value; ${RIGHT}`);
  if (value === null) return wrong(`nothing; it must wait until there is a message and return it: ${RIGHT}`);
  if (!isRecord(value)) return wrong(`${kindOf(value)}; ${RIGHT}`);
  const { text, sender, metadata = null, idempotency_key: key = null } = value;
  const from = value['channel'] ?? '';
  if (text === undefined || text === null) return wrong(`a message without \`text\`; ${RIGHT}`);
  if (typeof text !== 'string') return wrong(`a message whose \`text\` is ${kindOf(text)}; it must be text`);
  if (sender === undefined || sender === null || sender === '')
    return wrong('a message without `sender`; it must be text that names the author, who gets the answers');
  if (typeof sender !== 'string') return wrong(`a message whose \`sender\` is ${kindOf(sender)}; it must be text`);
  if (typeof from !== 'string') return wrong(`a message whose \`channel\` is ${kindOf(from)}; it must be text`);
  for (const [field, name] of [
    ['sender', sender],
    ['channel', from],
  ] as const)
    if (name.length > LIMITS.messageSenderLength)
      return wrong(
        `a message whose \`${field}\` has ${name.length.toLocaleString('en')} characters; it may have ${LIMITS.messageSenderLength}`,
      );
  if (metadata !== null && !isRecord(metadata))
    return wrong(`a message whose \`metadata\` is ${kindOf(metadata)}; it must be an object, or left out`);
  const message = { text, sender, channel: from === '' ? channel : from, metadata: metadata ?? {} };
  if (key === null) return { ok: true, message };
  if (typeof key !== 'string' || key === '' || key.length > KEY_LENGTH)
    return wrong(`a message whose \`idempotency_key\` is ${kindOf(key)}; it must be text of 1 to ${KEY_LENGTH} characters, or left out`);
  return { ok: true, message: { ...message, idempotency_key: key } };
}

function wrong(what: string): ReadMessage {
  return { ok: false, why: `\`recv\` returned ${what}.` };
}

function kindOf(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a text';
    case 'number':
      return 'a number';
    case 'boolean':
      return `\`${value}\``;
    default:
      return 'an object';
  }
}

/**
 * Requests to a channel's functions that one process has not answered yet.
 *
 * What can go wrong: `connect` or `send` never returns (it times out, and the process gets a ping); `recv` waits forever, which is
 * allowed, or loops forever. Only a ping distinguishes the two, so the process gets one at intervals while `recv` is pending. Late
 * answers are dropped.
 */
export interface ChannelRequests {
  /** @param limitMs of the answer; of `recv`, which may wait forever, of the answer to a ping */
  ask(step: ChannelStep, payload: string, limitMs: number): Promise<ChannelAnswer>;
  onAnswer(id: number, how: 'done' | 'threw' | 'invalid', payload: Buffer): void;
  onEnd(end: ProcessEnd): void;
}

type ChannelStep = 'connect' | 'recv' | 'send';

type ChannelAnswer =
  | { readonly how: 'done'; readonly payload: Buffer }
  | { readonly how: 'threw' | 'invalid'; readonly message: string }
  | { readonly how: 'timeout' }
  | { readonly how: 'ended'; readonly end: ProcessEnd };

interface ChannelRequestsOptions {
  readonly nextId: () => number;
  /** @param isWanted checked again before a delayed write */
  readonly send: (message: HostMessage, payload: string, isWanted: () => boolean) => void;
  /** Ends the process unless it answers in time. */
  readonly ping: (patienceMs?: number) => void;
}

const HEARTBEAT_MS = 2_000;

interface Waiting {
  readonly step: ChannelStep;
  readonly limitMs: number;
  readonly resolve: (answer: ChannelAnswer) => void;
}

export function createChannelRequests({ nextId, send, ping }: ChannelRequestsOptions): ChannelRequests {
  const waiting = new Map<number, Waiting>();
  let over: ProcessEnd | null = null;
  let heartbeat: NodeJS.Timeout | null = null;

  const updateHeartbeat = (): void => {
    const recv = [...waiting.values()].find(({ step }) => step === 'recv');
    if (recv !== undefined) heartbeat ??= setInterval(() => ping(recv.limitMs), HEARTBEAT_MS).unref();
    else if (heartbeat !== null) {
      clearInterval(heartbeat);
      heartbeat = null;
    }
  };

  return {
    ask(step, payload, limitMs) {
      if (over !== null) return Promise.resolve({ how: 'ended', end: over });
      return new Promise((resolve) => {
        const id = nextId();
        const settle = (answer: ChannelAnswer): void => {
          clearTimeout(timer);
          waiting.delete(id);
          updateHeartbeat();
          resolve(answer);
        };
        const timeOut = (): void => {
          settle({ how: 'timeout' });
          send({ type: 'abort', id, reason: 'timeout' }, '', () => true);
          ping();
        };
        const timer = step === 'recv' ? undefined : setTimeout(timeOut, limitMs);
        waiting.set(id, { step, limitMs, resolve: settle });
        updateHeartbeat();
        send({ type: 'channel', id, step }, payload, () => waiting.has(id));
      });
    },
    onAnswer(id, how, payload) {
      const found = waiting.get(id);
      if (found === undefined) return;
      if (how === 'done') found.resolve({ how, payload: Buffer.from(payload) });
      else found.resolve({ how, message: payload.subarray(0, LIMITS.errorMessageBytes).toString('utf8') });
    },
    onEnd(end) {
      over = end;
      for (const { resolve } of waiting.values()) resolve({ how: 'ended', end });
    },
  };
}
