import type { ChannelCommands, Message, SendMessage } from '#lib/contract/channel.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { Instances } from '#lib/instances/instances.ts';
import type { ChannelMessage, RunningChannel } from '#lib/runtime/runtime.ts';
import type { ChannelRepository } from '#lib/store/store.ts';
import { createPrivateParts, outboundMessage } from './channel-messages.ts';
import type { ChannelSource, IdleState, ShownState } from './channel-supervisor.ts';
import { createOwnedChannel, type OwnedChannel, type OwnedChannelOptions, queueOut } from './owned-channel.ts';

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
  disconnect(): void;
}

/**
 * A channel on this server, which may own it. One server owns a channel: that which holds its lease. A server asks for the
 * lease while it can serve the channel, and gives it up when it cannot. A local channel has no owner: each server serves it.
 */
export interface ManagedChannel {
  /** The channel is served from this source, if this server owns it; null: it cannot be served, for the reason `idle`. */
  serve(source: ChannelSource | null, idle: IdleState): void;
  /** Of this server; of an owned channel the owner's is right. */
  shown(): ShownState;
  /** This server serves it. */
  isOwned(): boolean;
  commands(): ChannelCommands;
  send(message: SendMessage, sender: string): Promise<Result<Message>>;
  /** Whether the stored form of a message lacks a secret that only the receiving server can send. */
  hasPrivateParts(message: SendMessage): boolean;
  /** Stores an inbound message and runs it if it is a command. Null: this server does not own it. */
  inject(message: ChannelMessage): Promise<Message> | null;
  resend(message: Message): Promise<Result<Message>>;
  retry(): void;
  /** There may be queued messages. */
  wake(): void;
  /** Inbound messages that could not be stored. */
  dropped(): number;
  stop(): Promise<void>;
  /** After the end of its commands; another server may own it then. */
  settled(): Promise<void>;
}

export interface ManagedChannelOptions extends Omit<
  OwnedChannelOptions,
  'isLocal' | 'writes' | 'parts' | 'commands' | 'stillHolds' | 'onLost' | 'onDropped'
> {
  readonly core: CoreChannel | null;
  readonly store: ChannelRepository;
  readonly instances: Pick<Instances, 'own' | 'stillHolds' | 'notify' | 'shared'>;
  /** Tools that commands may call, by channel, if configured. */
  readonly settings: ReadonlyMap<string, ChannelCommands>;
  /** Reads `settings` from the database: the notice of a change is lost if its server dies before sending it. */
  readSettings(): Promise<void>;
  /** JSON text → the same without secrets. */
  redact(json: string): string;
}

const OFF: ChannelCommands = { enabled: false, tools: [] };

export const leaseOf = (channel: string): string => `channel:${channel}`;

export function createManagedChannel(options: ManagedChannelOptions): ManagedChannel {
  const { name, core, store, instances, publish } = options;
  const isLocal = core?.isLocal === true;
  const lease = leaseOf(name);
  const parts = createPrivateParts(options.redact);
  let dropped = 0;
  let wanted: ChannelSource | null = null;
  let idle: IdleState = { state: 'connecting', reason: 'It is being loaded.' };
  let ownedChannel: OwnedChannel | null = null;
  let giveUp: (() => Promise<void>) | null = null;
  let givingUp: Promise<void> | null = null;
  let isStopped = false;

  const commands = (): ChannelCommands => options.settings.get(name) ?? core?.commands ?? OFF;

  function begin(epoch: number): void {
    const begun: OwnedChannel = createOwnedChannel({
      ...options,
      isLocal,
      parts,
      commands,
      writes: isLocal ? store : store.underLease({ name: lease, epoch }),
      stillHolds: () => isLocal || instances.stillHolds(lease),
      onLost: () => lose(begun),
      onDropped: () => (dropped += 1),
    });
    ownedChannel = begun;
    recover(begun)
      .catch((error: unknown) => {
        if (ownedChannel === begun)
          options.log('error', `channel ${name}: messages of its last owner stay as they are`, { error: String(error) });
      })
      .finally(() => {
        if (ownedChannel === begun && !isStopped) begun.supervisor.serve(wanted, idle);
      });
  }

  async function recover(begun: OwnedChannel): Promise<void> {
    const isShared = instances.shared !== null;
    if (isShared) await options.readSettings();
    // Another server may be sending messages of a channel that all serve.
    if (!isShared || !isLocal) await begun.recover();
  }

  function lose(which: OwnedChannel | null): void {
    if (ownedChannel === null || ownedChannel !== which) return;
    ownedChannel = null;
    which.abandon();
    wanted?.disconnect();
    publish('channel.changed', {});
  }

  /** Resolves when nothing is served, and no command runs. */
  async function giveUpWhenIdle(): Promise<void> {
    const ending = ownedChannel;
    await ending?.supervisor.idle();
    await ending?.settled();
    if (wanted !== null && !isStopped) return;
    if (ownedChannel === ending) ownedChannel = null;
    await ending?.stop();
    const leave = giveUp;
    giveUp = null;
    await leave?.();
  }

  function settle(): void {
    if (isStopped) return;
    if (wanted !== null && givingUp === null) giveUp ??= ownIt();
    if (wanted !== null || giveUp === null) return;
    givingUp ??= giveUpWhenIdle().finally(() => {
      givingUp = null;
      settle();
    });
  }

  function ownIt(): () => Promise<void> {
    if (!isLocal) return instances.own(lease, { onTaken: begin, onLost: () => lose(ownedChannel) });
    begin(0);
    return async () => undefined;
  }

  return {
    commands,
    serve(source, next) {
      if (isStopped) return;
      const before = wanted;
      wanted = source;
      idle = next;
      if (ownedChannel === null) {
        if (before !== null && before.functions !== source?.functions) before.functions.release();
        publish('channel.changed', {});
      } else ownedChannel.supervisor.serve(source, next);
      settle();
    },
    shown() {
      if (ownedChannel !== null) return ownedChannel.supervisor.shown();
      return wanted === null ? { ...idle, retryAt: null } : { state: 'connecting', reason: NO_OWNER, retryAt: null };
    },
    isOwned: () => ownedChannel !== null && !isLocal,
    async send({ text, recipient, metadata }, sender) {
      const message = outboundMessage({ text, sender, recipient: recipient ?? null, metadata: metadata ?? {} }, name, options.clock.now());
      const kept = await queueOut({ ...options, isLocal, parts, insert: store.insert }, message);
      if (kept === null) return refuseFull(name);
      wake();
      return ok(kept);
    },
    hasPrivateParts({ text, metadata }) {
      const json = JSON.stringify({ text, metadata });
      return options.redact(json) !== json;
    },
    inject: (message) => ownedChannel?.inject(message) ?? null,
    async resend(message) {
      switch (await store.queueAgain(message.id)) {
        case 'full':
          return refuseFull(name);
        case 'not_failed':
          return refuse('state_conflict', 'Someone else has just sent this message again.');
        case 'queued':
          publish('channel.changed', { message_id: message.id });
          wake();
          return ok((await store.get(message.id)) ?? message);
      }
    },
    retry: () => ownedChannel?.supervisor.retry(),
    wake: () => ownedChannel?.supervisor.wake(),
    dropped: () => dropped,
    async stop() {
      isStopped = true;
      if (ownedChannel === null) wanted?.functions.release();
      else await ownedChannel.stop();
    },
    async settled() {
      await ownedChannel?.settled();
      await givingUp;
      await giveUp?.();
    },
  };

  function wake(): void {
    if (ownedChannel === null) instances.notify('channels', name);
    else ownedChannel.supervisor.wake();
  }
}

const NO_OWNER = 'No instance serves it at the moment; one takes over within 15 seconds.';

function refuseFull(name: string): Result<never> {
  return refuse(
    'too_many_messages',
    `${LIMITS.messagesQueued.toLocaleString('en')} messages of ${name} are queued, the maximum. Try again when the channel has sent some.`,
    {
      retryAfter: 5,
    },
  );
}
