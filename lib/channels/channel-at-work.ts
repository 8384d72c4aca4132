import type { ChannelCommands, Message, SendMessage } from '#lib/contract/channel.ts';
import type { EventData, EventType } from '#lib/contract/events.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { ChannelMessage, ChannelOutcome, RunningChannel } from '#lib/runtime/runtime.ts';
import type { ChannelRepository } from '#lib/store/store.ts';
import type { ChannelClock } from './channel-clock.ts';
import type { ChannelSupervisor } from './channel-supervisor.ts';
import { createChannelSupervisor } from './channel-supervisor.ts';
import type { CommandAnswer, CommandRunnerOptions } from './command-runner.ts';
import { createCommandRunner } from './command-runner.ts';
import { storedForSure } from './stored-for-sure.ts';
import { readCommand } from './written-command.ts';
import type { RedactArguments } from './written-command.ts';
import { z } from 'zod';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { randomUUIDv7 } from 'node:crypto';

/** A channel of the host's own. */
export interface CoreChannel {
  readonly name: string;
  readonly description: string;
  readonly functions: RunningChannel;
  /** What holds until somebody sets something else. */
  readonly commands: ChannelCommands;
  /** There is no far end: what is sent is there at once, and what people put in is what it receives. */
  readonly isLocal: boolean;
  givenUp(): string | null;
}

/** One channel with everything that belongs to it: its loop, its queue, its commands. */
export interface ChannelAtWork {
  readonly supervisor: ChannelSupervisor;
  commands(): ChannelCommands;
  send(message: SendMessage, sender: string): Promise<Result<Message>>;
  /** Kept, and run if it is a command, as if it had come in. */
  inject(message: ChannelMessage): Promise<Message>;
  resend(message: Message): Promise<Result<Message>>;
  /** Inbound messages that could not be kept. */
  dropped(): number;
  stop(): Promise<void>;
  settled(): Promise<void>;
}

export interface ChannelAtWorkOptions {
  readonly name: string;
  readonly core: CoreChannel | null;
  readonly store: ChannelRepository;
  readonly clock: ChannelClock;
  readonly random: () => number;
  readonly handOverMs: number;
  /** JSON text → the same without secrets. */
  redact(json: string): string;
  readonly redactArguments: RedactArguments;
  tools(): ReadonlyMap<string, Tool>;
  startCall(tool: string, args: Readonly<Record<string, unknown>>, actor: string): ReturnType<CommandRunnerOptions['startCall']>;
  record: CommandRunnerOptions['record'];
  nearestName(written: string, names: Iterable<string>): string | null;
  publish(type: EventType, data: Omit<EventData, 'snapshot_version'>): void;
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const OFF: ChannelCommands = { enabled: false, tools: [] };

export function createChannelAtWork(options: ChannelAtWorkOptions): ChannelAtWork {
  const { name, core, store, clock, publish, log } = options;
  const stopping = new AbortController();
  const parts = createPrivateParts(options.redact);
  let dropped = 0;

  const commands = (): ChannelCommands => store.commands(name) ?? core?.commands ?? OFF;
  const onError = (error: unknown): void => {
    if (!stopping.signal.aborted)
      log('error', `channel ${name}: the host failed`, { channel: name, error: error instanceof Error ? error.message : String(error) });
  };

  const runner = createCommandRunner({
    commands,
    tools: options.tools,
    record: options.record,
    nearestName: options.nearestName,
    startCall: (tool, args, message) => options.startCall(tool, args, `${name}:${message.sender}`),
    note: (message, callId, error) => storedForSure(() => store.noteCommand(message.id, callId, error), clock, stopping.signal),
    reply: answer,
    onError,
  });

  async function keepInbound(message: ChannelMessage, isInjected: boolean, insert: (row: Message) => Promise<unknown>): Promise<Message> {
    const row = inboundMessage(message, name, clock.now(), isInjected);
    // What came in before commands were switched on is text, however long it takes to store it.
    const wereOn = commands().enabled;
    const command = readCommand(row.text, { tools: options.tools(), isOn: wereOn, redactArguments: options.redactArguments });
    const kept = parts.keep(row, command?.kept);
    await insert(kept);
    publish('message.received', { message_id: kept.id });
    if (wereOn && command !== null) runner.take(kept, command);
    return kept;
  }

  /** Null: as many wait as may. @param text that may be kept, where it is another */
  async function queueOut(message: Outgoing, text?: string): Promise<Message | null> {
    const stored = parts.keep(outboundMessage(message, name, clock.now()), text);
    const kept: Message = core?.isLocal === true ? { ...stored, state: 'sent', attempts: 1 } : stored;
    const isKept = await store.insert(kept);
    // Nobody will be sent it.
    if (!isKept || kept.state === 'sent') parts.forget(kept.id);
    if (!isKept) return null;
    publish(kept.state === 'sent' ? 'message.sent' : 'channel.changed', { message_id: kept.id });
    supervisor.wake();
    return kept;
  }

  /** Kept whatever happens: where the queue is full, as one that failed and can be sent again. */
  async function answer(inbound: Message, { text, kept, callId }: CommandAnswer): Promise<void> {
    const reply: Outgoing = {
      text,
      sender: 'switchboard',
      recipient: inbound.sender,
      metadata: { ...parts.whole(inbound).metadata, recipient: inbound.sender },
      callId,
      replyTo: inbound.id,
    };
    const queued = await storedForSure(() => queueOut(reply, kept), clock, stopping.signal);
    if (queued !== null) return;
    const dead: Message = { ...outboundMessage(reply, name, clock.now()), state: 'failed', error: FULL };
    await storedForSure(() => store.insert(parts.keep(dead, kept)), clock, stopping.signal);
    publish('channel.changed', { message_id: dead.id });
  }

  const supervisor = createChannelSupervisor({
    ...options,
    channel: name,
    async take(message) {
      try {
        await keepInbound(message, false, (row) => storedForSure(() => store.insert(row), clock, stopping.signal));
      } catch (error) {
        dropped += 1;
        log('error', `channel ${name}: a message that came in could not be kept`, { channel: name, error: String(error) });
      }
    },
    send: (functions, message) => deliver(functions, message),
    onChange: () => publish('channel.changed', {}),
    onEnd(message) {
      if (message.state === 'sent') {
        parts.forget(message.id);
        publish('message.sent', { message_id: message.id });
      } else
        log(
          'warn',
          `channel ${name}: ${message.state === 'failed' ? 'a message was given up' : 'a message waits'}: ${message.error ?? ''}`,
          { channel: name, message_id: message.id },
        );
    },
    onTrouble: (reason) => log('warn', `channel ${name}: ${reason}`, { channel: name }),
    onError,
  });

  function deliver(functions: RunningChannel, message: Message): Promise<ChannelOutcome<void>> {
    const { recipient } = message;
    const answered = message.reply_to === null ? null : store.get(message.reply_to);
    const last = answered ?? (recipient === null ? null : store.lastFrom(name, recipient));
    const { text, metadata } = parts.whole(message);
    return functions.send(
      { text, sender: message.sender, channel: name, metadata: recipient === null ? metadata : { ...metadata, recipient } },
      last === null ? null : { sender: last.sender, channel: name, ...parts.whole(last) },
    );
  }

  return {
    supervisor,
    commands,
    async send({ text, recipient, metadata }, sender) {
      const kept = await queueOut({ text, sender, recipient: recipient ?? null, metadata: metadata ?? {} });
      return kept === null ? refuseFull(name) : ok(kept);
    },
    inject: (message) => keepInbound(message, core?.isLocal !== true, (row) => store.insert(row)),
    async resend(message) {
      switch (await store.queueAgain(message.id)) {
        case 'full':
          return refuseFull(name);
        case 'not_failed':
          return refuse('state_conflict', 'This message was sent again by somebody else just now.');
        case 'queued':
          publish('channel.changed', { message_id: message.id });
          supervisor.wake();
          return ok(store.get(message.id) ?? message);
      }
    },
    dropped: () => dropped,
    async stop() {
      await supervisor.close();
      stopping.abort();
    },
    settled: () => runner.settled(),
  };
}

const FULL = `${LIMITS.messagesQueued.toLocaleString('en')} messages waited to be sent when this one was to be queued. Send it again when there is room.`;

function refuseFull(name: string): Result<never> {
  return refuse(
    'too_many_messages',
    `${LIMITS.messagesQueued.toLocaleString('en')} messages of ${name} are waiting to be sent already. Send it when the channel has sent some.`,
    {
      retryAfter: 5,
    },
  );
}

/**
 * Text and metadata as they came, for as long as somebody may have to be answered with them or is still to be sent them. What is
 * stored had its secrets replaced, and an answer may need one (a token that is good for one reply). In memory only and bounded:
 * after a restart the stored form has to do.
 */
interface PrivateParts {
  /** What may be stored. @param text of the message, without the secrets that it is known to have */
  keep(message: Message, text?: string): Message;
  /** As it came where that is still known, else as it is stored. */
  whole(stored: Message): Parts;
  forget(messageId: string): void;
}

type Parts = Pick<Message, 'text' | 'metadata'>;

const KEPT_MOST = 1_000;

const partsSchema = z.object({ text: z.string(), metadata: z.record(z.string(), z.unknown()) });

/** @param redact JSON text → the same without secrets */
function createPrivateParts(redact: (json: string) => string): PrivateParts {
  const kept = new Map<string, Parts>();
  return {
    keep(message, text = message.text) {
      const json = JSON.stringify({ text, metadata: message.metadata });
      const cleaned = redact(json);
      if (cleaned === json && text === message.text) return message;
      const [oldest] = kept.keys();
      if (kept.size >= KEPT_MOST && oldest !== undefined) kept.delete(oldest);
      kept.set(message.id, { text: message.text, metadata: message.metadata });
      return { ...message, ...(cleaned === json ? { text } : partsSchema.parse(parseExactJson(cleaned))) };
    },
    whole: (stored) => kept.get(stored.id) ?? { text: stored.text, metadata: stored.metadata },
    forget: (messageId) => void kept.delete(messageId),
  };
}

const SENDER_CHARACTERS = 256;

/** What a channel brought, cut to what is kept; what was cut is said. */
export function inboundMessage(message: ChannelMessage, channel: string, now: number, isInjected: boolean): Message {
  const cuts: string[] = [];
  if (message.text.length > LIMITS.messageTextLength)
    cuts.push(
      `The text had ${message.text.length.toLocaleString('en')} characters and was cut to ${LIMITS.messageTextLength.toLocaleString('en')}.`,
    );
  const isLarge = Buffer.byteLength(JSON.stringify(message.metadata)) > LIMITS.messageMetadataBytes;
  if (isLarge) cuts.push(`The metadata was larger than ${LIMITS.messageMetadataBytes / 1_024} KiB and was left out.`);
  return {
    ...blank(channel, now),
    direction: 'in',
    text: message.text.slice(0, LIMITS.messageTextLength).toWellFormed(),
    sender: message.sender.slice(0, SENDER_CHARACTERS).toWellFormed(),
    metadata: isLarge ? {} : { ...message.metadata },
    error: cuts.length === 0 ? null : cuts.join(' '),
    injected: isInjected,
  };
}

interface Outgoing {
  readonly text: string;
  readonly sender: string;
  readonly recipient: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly callId?: string | null;
  readonly replyTo?: string;
}

/** One that waits to be sent. */
export function outboundMessage(message: Outgoing, channel: string, now: number): Message {
  return {
    ...blank(channel, now),
    direction: 'out',
    state: 'queued',
    text: message.text.toWellFormed(),
    sender: message.sender,
    recipient: message.recipient,
    metadata: { ...message.metadata },
    call_id: message.callId ?? null,
    reply_to: message.replyTo ?? null,
  };
}

function blank(channel: string, now: number): Omit<Message, 'direction' | 'text' | 'sender' | 'metadata'> {
  return {
    id: randomUUIDv7(),
    channel,
    recipient: null,
    state: 'received',
    error: null,
    attempts: 0,
    call_id: null,
    reply_to: null,
    injected: false,
    created_at: new Date(now).toISOString(),
  };
}
