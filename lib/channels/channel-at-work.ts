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

/** A built-in channel. */
export interface CoreChannel {
  readonly name: string;
  readonly description: string;
  readonly functions: RunningChannel;
  /** Defaults. */
  readonly commands: ChannelCommands;
  /** No remote end: outbound messages are delivered at once, and injected ones are received. */
  readonly isLocal: boolean;
  givenUp(): string | null;
}

/** A channel with its loop, queue and commands. */
export interface ChannelAtWork {
  readonly supervisor: ChannelSupervisor;
  commands(): ChannelCommands;
  send(message: SendMessage, sender: string): Promise<Result<Message>>;
  /** Stores an inbound message and runs it if it is a command. */
  inject(message: ChannelMessage): Promise<Message>;
  resend(message: Message): Promise<Result<Message>>;
  /** Inbound messages that could not be stored. */
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
  /** Which tools commands may call, by channel, where somebody set it. */
  readonly settings: ReadonlyMap<string, ChannelCommands>;
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

  const commands = (): ChannelCommands => options.settings.get(name) ?? core?.commands ?? OFF;
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
    // Inbound messages from before commands were enabled are text, however long storing takes.
    const wereOn = commands().enabled;
    const command = readCommand(row.text, { tools: options.tools(), isOn: wereOn, redactArguments: options.redactArguments });
    const kept = parts.keep(row, command?.kept);
    await insert(kept);
    publish('message.received', { message_id: kept.id });
    if (wereOn && command !== null) runner.take(kept, command);
    return kept;
  }

  /** Null: the queue is full. @param text storable text, if it differs */
  async function queueOut(message: Outgoing, text?: string): Promise<Message | null> {
    const stored = parts.keep(outboundMessage(message, name, clock.now()), text);
    const kept: Message = core?.isLocal === true ? { ...stored, state: 'sent', attempts: 1 } : stored;
    const isKept = await store.insert(kept);
    // It will not be sent.
    if (!isKept || kept.state === 'sent') parts.forget(kept.id);
    if (!isKept) return null;
    publish(kept.state === 'sent' ? 'message.sent' : 'channel.changed', { message_id: kept.id });
    supervisor.wake();
    return kept;
  }

  /** Always stored: with a full queue as failed, so that it can be sent again. */
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
        log('error', `channel ${name}: an inbound message could not be stored`, { channel: name, error: String(error) });
      }
    },
    send: (functions, message) => deliver(functions, message),
    onChange: () => publish('channel.changed', {}),
    onEnd(message) {
      if (message.state === 'sent') {
        parts.forget(message.id);
        publish('message.sent', { message_id: message.id });
      } else
        log('warn', `channel ${name}: ${message.state === 'failed' ? 'sending failed' : 'sending is retried'}: ${message.error ?? ''}`, {
          channel: name,
          message_id: message.id,
        });
    },
    onTrouble: (reason) => log('warn', `channel ${name}: ${reason}`, { channel: name }),
    onError,
  });

  async function deliver(functions: RunningChannel, message: Message): Promise<ChannelOutcome<void>> {
    const { recipient } = message;
    const answered = message.reply_to === null ? null : await store.get(message.reply_to);
    const last = answered ?? (recipient === null ? null : await store.lastFrom(name, recipient));
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
          return refuse('state_conflict', 'Someone else has just sent this message again.');
        case 'queued':
          publish('channel.changed', { message_id: message.id });
          supervisor.wake();
          return ok((await store.get(message.id)) ?? message);
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

const FULL = `${LIMITS.messagesQueued.toLocaleString('en')} messages were queued, the maximum, so this one was not queued. Send it again later.`;

function refuseFull(name: string): Result<never> {
  return refuse(
    'too_many_messages',
    `${LIMITS.messagesQueued.toLocaleString('en')} messages of ${name} are queued, the maximum. Try again when the channel has sent some.`,
    {
      retryAfter: 5,
    },
  );
}

/**
 * Original text and metadata of messages that may still be answered or sent. Their stored form has no secrets, but a reply may
 * need one (for example a single-use reply token). In memory only and limited: after a restart the stored form is used.
 */
interface PrivateParts {
  /** Storable form. @param text of the message, without its known secrets */
  keep(message: Message, text?: string): Message;
  /** The original if still in memory, else the stored form. */
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

/** An inbound message, truncated to the limits with a note. */
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

/** A queued message. */
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
