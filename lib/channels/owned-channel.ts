import type { ChannelCommands, Message } from '#lib/contract/channel.ts';
import type { EventData, EventType } from '#lib/contract/events.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { refuse } from '#lib/contract/result.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { ChannelMessage, ChannelOutcome, RunningChannel } from '#lib/runtime/runtime.ts';
import type { ChannelRepository, OwnedChannelWrites } from '#lib/store/store.ts';
import { type ChannelClock, isLeaseLost, writeWithRetries } from './channel-timing.ts';
import { inboundMessage, outboundMessage, type Outgoing, type PrivateParts } from './channel-messages.ts';
import { type ChannelSupervisor, createChannelSupervisor } from './channel-supervisor.ts';
import { type CommandAnswer, type CommandRunnerOptions, createCommandRunner } from './command-runner.ts';
import { readCommand, type RedactArguments } from './written-command.ts';

/**
 * A channel while this server owns it: its loop, its queue and its commands. All writes are made under the lease, so the
 * database refuses them once another server owns the channel.
 *
 * What can go wrong:
 * - the earlier owner died while it sent a message: it is marked as possibly sent, and sent again with its key;
 * - it died after it stored a message and before the service was notified: delivered again, it is recognized by its key;
 * - it died before it answered a command: a reply says so, because the command may have run;
 * - the lease is lost, maybe noticed late, after a pause: nothing is received, sent or stored any more, and the message
 *   that could not be stored is not confirmed, so the next owner receives it.
 */
export interface OwnedChannel {
  readonly supervisor: ChannelSupervisor;
  /** Fixes what an earlier owner left. Before the channel is served. */
  recover(): Promise<void>;
  /** Stores an inbound message and runs it if it is a command. */
  inject(message: ChannelMessage): Promise<Message>;
  /** Stops receiving and sending. Calls of commands may continue. */
  stop(): Promise<void>;
  /** Resolves when commands have ended and their replies are stored. */
  settled(): Promise<void>;
  /** Another server may own the channel: ends everything immediately. */
  abandon(): void;
}

export interface OwnedChannelOptions {
  readonly name: string;
  /** No remote end: outbound messages are delivered at once, and injected ones are received. */
  readonly isLocal: boolean;
  readonly store: Pick<ChannelRepository, 'get' | 'lastFrom' | 'nextQueued' | 'unanswered'>;
  readonly writes: OwnedChannelWrites;
  readonly parts: PrivateParts;
  readonly clock: ChannelClock;
  readonly random: () => number;
  readonly handOverMs: number;
  commands(): ChannelCommands;
  tools(): ReadonlyMap<string, Tool>;
  readonly redactArguments: RedactArguments;
  startCall(tool: string, args: Readonly<Record<string, unknown>>, actor: string): ReturnType<CommandRunnerOptions['startCall']>;
  record: CommandRunnerOptions['record'];
  nearestName(written: string, names: Iterable<string>): string | null;
  /** False: another server may own it, and `abandon` was called. Checked last before a message leaves. */
  stillHolds(): boolean;
  /** A write was refused, because another server owns it. */
  onLost(): void;
  onDropped(): void;
  publish(type: EventType, data: Omit<EventData, 'snapshot_version'>): void;
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export function createOwnedChannel(options: OwnedChannelOptions): OwnedChannel {
  const { name, isLocal, store, parts, clock, publish, log } = options;
  const stopping = new AbortController();
  let isAbandoned = false;
  const writes = guarded(options.writes, options.onLost);

  const mayAct = (): boolean => !isAbandoned && options.stillHolds();
  const onError = (error: unknown): void => {
    if (!stopping.signal.aborted && !isLeaseLost(error))
      log('error', `channel ${name}: the host failed`, { channel: name, error: error instanceof Error ? error.message : String(error) });
  };
  const withRetries = <Value>(write: () => Promise<Value>): Promise<Value> => writeWithRetries(write, clock, stopping.signal);

  const runner = createCommandRunner({
    commands: options.commands,
    tools: options.tools,
    record: options.record,
    nearestName: options.nearestName,
    startCall: async (tool, args, message) =>
      mayAct() ? options.startCall(tool, args, `${name}:${message.sender}`) : refuse('state_conflict', NOT_OWNER),
    note: (message, callId, error) => withRetries(() => writes.noteCommand(message.id, callId, error)),
    reply: answer,
    onError,
  });

  /** A repeated delivery is already stored and run. */
  async function storeInbound(message: ChannelMessage, isInjected: boolean, insert: OwnedChannelWrites['insert']): Promise<Message> {
    const row = inboundMessage(message, name, clock.now(), isInjected);
    // Inbound messages from before commands were enabled are text, however long storing takes.
    const wereOn = options.commands().enabled;
    const command = readCommand(row.text, { tools: options.tools(), isOn: wereOn, redactArguments: options.redactArguments });
    const kept = parts.keep(row, command?.kept);
    const isCommand = wereOn && command !== null;
    const isNew = await insert(kept, { isCommand, idempotencyKey: message.idempotency_key ?? null });
    if (!isNew) {
      parts.forget(kept.id);
      return kept;
    }
    publish('message.received', { message_id: kept.id });
    if (isCommand) runner.take(kept, command);
    return kept;
  }

  /** Always stored: with a full queue as failed, so that it can be sent again. */
  async function answer(inbound: Message, { text, kept, callId }: CommandAnswer): Promise<void> {
    const reply: Outgoing = {
      text,
      sender: 'switchboard',
      recipient: inbound.sender,
      metadata: { ...parts.originalOf(inbound).metadata, recipient: inbound.sender },
      callId,
      replyTo: inbound.id,
    };
    // One message for all attempts: the database may have stored it although its answer was lost.
    const message = outboundMessage(reply, name, clock.now());
    const queued = await withRetries(() => queueOut({ ...options, insert: writes.insert }, message, kept));
    if (queued !== null) return supervisor.wake();
    const dead: Message = { ...message, state: 'failed', error: FULL };
    await withRetries(() => writes.insert(parts.keep(dead, kept)));
    publish('channel.changed', { message_id: dead.id });
  }

  const supervisor = createChannelSupervisor({
    ...options,
    channel: name,
    store: { ...writes, nextQueued: store.nextQueued },
    async take(message) {
      if (!mayAct()) return;
      try {
        await storeInbound(message, false, (row, facts) => withRetries(() => writes.insert(row, facts)));
      } catch (error) {
        if (isAbandoned || isLeaseLost(error)) return;
        options.onDropped();
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
    const { text, metadata } = parts.originalOf(message);
    if (!mayAct()) return { ok: false, reason: 'threw', message: NOT_OWNER };
    const addressed = recipient === null ? metadata : { ...metadata, recipient };
    return functions.send(
      { text, sender: message.sender, channel: name, metadata: addressed, idempotency_key: message.id },
      last === null ? null : { sender: last.sender, channel: name, ...parts.originalOf(last) },
    );
  }

  return {
    supervisor,
    async recover() {
      const interrupted = await withRetries(() => writes.markInterrupted(name));
      if (interrupted > 0)
        log('warn', `channel ${name}: ${interrupted} messages were being sent when its server stopped; they may arrive twice`, {
          channel: name,
        });
      for (const message of await withRetries(() => store.unanswered(name))) {
        const text = interruptedText(message.call_id);
        await answer(message, { text, kept: text, callId: message.call_id });
      }
    },
    inject: (message) => storeInbound(message, !isLocal, writes.insert),
    async stop() {
      await supervisor.close();
      stopping.abort();
    },
    settled: () => runner.settled(),
    abandon() {
      isAbandoned = true;
      stopping.abort();
      supervisor.abandon();
    },
  };
}

const NOT_OWNER = 'Another instance may serve this channel meanwhile, because the database did not answer in time.';

/** Null: the queue is full. @param text storable text, if it differs */
export async function queueOut(
  { isLocal, parts, insert, publish }: Pick<OwnedChannelOptions, 'isLocal' | 'parts' | 'publish'> & Pick<OwnedChannelWrites, 'insert'>,
  message: Message,
  text?: string,
): Promise<Message | null> {
  const stored = parts.keep(message, text);
  const kept: Message = isLocal ? { ...stored, state: 'sent', attempts: 1 } : stored;
  const isKept = await insert(kept);
  // It will not be sent.
  if (!isKept || kept.state === 'sent') parts.forget(kept.id);
  if (!isKept) return null;
  publish(kept.state === 'sent' ? 'message.sent' : 'channel.changed', { message_id: kept.id });
  return kept;
}

export const FULL = `${LIMITS.messagesQueued.toLocaleString('en')} messages were queued, the maximum, so this one was not queued. Send it again later.`;

function interruptedText(callId: string | null): string {
  const where = callId === null ? '' : ` Its call: ${PAGES.call(callId)}.`;
  return `The server stopped before it answered this command, so it may have run or not.${where} Send it again if it did not.`;
}

function guarded(writes: OwnedChannelWrites, onLost: () => void): OwnedChannelWrites {
  const watch = async <Value>(written: Promise<Value>): Promise<Value> => {
    try {
      return await written;
    } catch (error) {
      if (isLeaseLost(error)) onLost();
      throw error;
    }
  };
  return {
    insert: (message, inbound) => watch(writes.insert(message, inbound)),
    beginSend: (id) => watch(writes.beginSend(id)),
    endSend: (id, end) => watch(writes.endSend(id, end)),
    noteCommand: (id, callId, error) => watch(writes.noteCommand(id, callId, error)),
    markInterrupted: (channel) => watch(writes.markInterrupted(channel)),
  };
}
