import { CORE_EXTENSION } from '#lib/contract/states.ts';
import type { Channel, ChannelCommands, ChannelSettings, InjectMessage, Message, MessagePage, SendMessage } from '#lib/contract/channel.ts';
import { CORE_CHANNELS, CHANNEL_STATES, messageSchema, sendMessageSchema } from '#lib/contract/channel.ts';
import type { EventData, EventType } from '#lib/contract/events.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Instances } from '#lib/instances/instances.ts';
import type { PageQuery } from '#lib/contract/snapshot.ts';
import type { Registry, Snapshot } from '#lib/registry/snapshot.ts';
import type { RunningExtension, ChannelMessage } from '#lib/runtime/runtime.ts';
import type { Store } from '#lib/store/store.ts';
import type { Extension } from '#lib/contract/extension.ts';
import { createManagedChannel, leaseOf } from './managed-channel.ts';
import type { ManagedChannel, ManagedChannelOptions, CoreChannel } from './managed-channel.ts';
import type { ChannelSource, IdleState } from './channel-supervisor.ts';
import * as z from 'zod';

/**
 * All channels: built-in ones and those of extensions in the current snapshot, each with its loop. A snapshot change affects
 * only channels whose process changed. Messages of a removed channel stay readable.
 */
export interface Channels {
  /** Applies the current snapshot. Never throws. */
  follow(): void;
  list(): Promise<Channel[]>;
  /** Those that this server serves. */
  own(): Promise<Channel[]>;
  get(name: string): Promise<Result<Channel>>;
  messages(name: string, page: PageQuery): Promise<Result<MessagePage>>;
  send(name: string, message: SendMessage, sender: string): Promise<Result<Message>>;
  inject(name: string, message: InjectMessage, sender: string | null): Promise<Result<Message>>;
  resend(messageId: string): Promise<Result<Message>>;
  retry(name: string): Promise<Result<Channel>>;
  configure(name: string, settings: ChannelSettings): Promise<Result<Channel>>;
  /** Stops receiving and sending. Calls of commands may continue. */
  stop(): Promise<void>;
  /** Resolves when calls of commands have ended and their replies are stored. */
  settled(): Promise<void>;
}

export interface ChannelsOptions extends Omit<
  ManagedChannelOptions,
  'name' | 'core' | 'tools' | 'store' | 'instances' | 'settings' | 'readSettings' | 'publish'
> {
  readonly instances: Instances;
  /** Tools that commands may call, as stored at the start. */
  readonly commands: ReadonlyMap<string, ChannelCommands>;
  readonly registry: Registry<RunningExtension>;
  readonly store: Store;
  readonly core: readonly CoreChannel[];
  publish(type: EventType, data: EventData): void;
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}

interface Known {
  readonly managed: ManagedChannel;
  /** Null: no longer in the snapshot. */
  about: { readonly extension: string; readonly description: string; readonly remark: string | null } | null;
}

export function createChannels(options: ChannelsOptions): Channels {
  const { registry, store, instances } = options;
  const known = new Map<string, Known>();
  const settings = new Map(options.commands);

  function knownFor(name: string, core: CoreChannel | null): Known {
    const there = known.get(name);
    if (there !== undefined) return there;
    const managed = createManagedChannel({
      ...options,
      name,
      core,
      store: store.channels,
      settings,
      readSettings,
      tools: () => new Map([...registry.current().tools].map(([tool, { tool: described }]) => [tool, described])),
      publish: (type, data) => options.publish(type, { snapshot_version: registry.current().version, channel: name, ...data }),
    });
    const made: Known = { managed, about: null };
    known.set(name, made);
    return made;
  }

  for (const core of options.core) {
    const made = knownFor(core.name, core);
    made.about = { extension: CORE_EXTENSION, description: core.description, remark: null };
    made.managed.serve(core, { state: 'connecting', reason: '' });
  }
  const coreNames = new Set(options.core.map((core) => core.name));

  function follow(): void {
    const found = channelsIn(registry.current());
    for (const { name, about, source, idle } of found) {
      const channel = knownFor(name, null);
      channel.about = about;
      // Its process may run on another server, which takes the channel over.
      const reason = instances.hasOthers() ? (source?.givenUp() ?? null) : null;
      if (reason === null) channel.managed.serve(source, idle);
      else channel.managed.serve(null, { state: 'failed', reason });
    }
    const names = new Set(found.map(({ name }) => name));
    for (const [name, channel] of known) {
      if (coreNames.has(name) || names.has(name) || channel.about === null) continue;
      channel.about = null;
      channel.managed.serve(null, { state: 'stopped', reason: 'Its file was removed.' });
    }
  }

  function find(name: string): Result<ManagedChannel> {
    const channel = known.get(name);
    return channel?.about == null ? unknownChannel(name) : ok(channel.managed);
  }

  const owners = createChannelOwners({ instances, find: (name) => known.get(name)?.managed });

  const leave = instances.onNotice('channels', (about) => {
    void readSettings().then(() => {
      for (const [name, { managed }] of known) if (about === '' || about === name) managed.wake();
    });
  });

  async function readSettings(): Promise<void> {
    try {
      for (const [name, commands] of await store.channels.commands()) settings.set(name, commands);
    } catch (error) {
      options.log('warn', 'the settings of channels could not be read', { error: String(error) });
    }
  }

  async function present(name: string, { managed, about }: Known, seen: ShownOfOwner | null): Promise<Channel> {
    const { state, reason, retryAt } = seen ?? managed.shown();
    const { queued, failed, lastMessageAt } = await store.channels.counts(name);
    return {
      name,
      extension: about?.extension ?? '',
      instance: seen?.instance ?? (managed.isOwned() ? instances.id() : null),
      description: about?.description ?? '',
      state,
      reason: reason ?? about?.remark ?? null,
      retry_at: retryAt === null ? null : new Date(retryAt).toISOString(),
      queued,
      failed,
      dropped: seen?.dropped ?? managed.dropped(),
      last_message_at: lastMessageAt,
      commands: managed.commands(),
    };
  }

  async function show(name: string): Promise<Result<Channel>> {
    const channel = known.get(name);
    return channel?.about == null ? unknownChannel(name) : ok(await present(name, channel, (await owners.shown()).get(name) ?? null));
  }

  return {
    follow() {
      try {
        follow();
      } catch (error) {
        options.log('error', 'a change of the extensions could not be applied to the channels', { error: String(error) });
      }
    },
    async list() {
      const seen = await owners.shown();
      const listed = [...known].filter(([, { about }]) => about !== null);
      const shown = listed.map(([name, channel]) => present(name, channel, seen.get(name) ?? null));
      return (await Promise.all(shown)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    async own() {
      const owned = [...known].filter(([, { about, managed }]) => about !== null && (managed.isOwned() || instances.shared === null));
      return await Promise.all(owned.map(([name, channel]) => present(name, channel, null)));
    },
    get: show,
    async messages(name, page) {
      const found = find(name);
      if (!found.ok && !(await store.channels.hasMessages(name))) return found;
      const messages = await store.channels.list(name, page);
      return messages === null
        ? refuse('query_invalid', '`cursor` is not a cursor of a list of messages. Omit it to start with the newest.')
        : ok(messages);
    },
    async send(name, message, sender) {
      const found = find(name);
      if (!found.ok) return found;
      const checked = checkSize(message);
      if (!checked.ok) return checked;
      const owner = found.value.hasPrivateParts(message) ? await owners.of(name) : null;
      return owner === null ? found.value.send(message, sender) : owners.send(owner, name, message, sender);
    },
    async inject(name, message, sender) {
      const found = find(name);
      if (!found.ok) return found;
      const checked = checkSize(message);
      if (!checked.ok) return checked;
      const injected = { text: message.text, sender: message.sender ?? sender ?? 'web', channel: name, metadata: message.metadata ?? {} };
      const owner = await owners.of(name);
      if (owner !== null) return owners.inject(owner, name, injected);
      const { state, reason } = found.value.shown();
      const taken = state === 'stopped' ? null : found.value.inject(injected);
      if (taken !== null) return ok(await taken);
      return refuse(
        'state_conflict',
        `The channel ${name} is stopped: ${reason ?? 'it does not run'} Messages can be injected when it runs.`,
      );
    },
    async resend(messageId) {
      const message = await store.channels.get(messageId);
      if (message === null)
        return refuse(
          'message_not_found',
          `There is no message “${messageId.slice(0, 80)}”. GET /api/v1/channels/{name}/messages lists those of a channel.`,
        );
      const found = find(message.channel);
      if (!found.ok) return found;
      if (message.direction === 'in')
        return refuse(
          'state_conflict',
          'This message is inbound, so it cannot be sent again. POST /channels/{name}/inject injects its text as a test.',
        );
      if (message.state !== 'failed')
        return refuse(
          'state_conflict',
          `This message is ${message.state === 'sent' ? 'sent already' : 'waiting to be sent'}; only a failed message can be sent again.`,
        );
      return found.value.resend(message);
    },
    async retry(name) {
      const found = find(name);
      if (!found.ok) return found;
      const owner = await owners.of(name);
      if (owner !== null) {
        const retried = await owners.retry(owner, name);
        return retried.ok ? show(name) : retried;
      }
      const { state, reason } = found.value.shown();
      if (state === 'stopped')
        return refuse('state_conflict', `The channel ${name} is stopped, so there is nothing to try: ${reason ?? ''}`);
      found.value.retry();
      return show(name);
    },
    async configure(name, { commands }) {
      const found = find(name);
      if (!found.ok) return found;
      const before = found.value.commands();
      const next: ChannelCommands = { enabled: commands.enabled ?? before.enabled, tools: [...new Set(commands.tools ?? before.tools)] };
      await store.channels.putCommands(name, next);
      settings.set(name, next);
      instances.notify('channels', name);
      options.publish('channel.changed', { snapshot_version: registry.current().version, channel: name });
      return show(name);
    },
    async stop() {
      leave();
      await Promise.all([...known.values()].map(({ managed }) => managed.stop()));
    },
    async settled() {
      await Promise.all([...known.values()].map(({ managed }) => managed.settled()));
    },
  };
}

function unknownChannel(name: string): Result<never> {
  return refuse('channel_not_found', `There is no channel “${name.slice(0, 80)}”. GET /api/v1/channels lists all channels.`);
}

function checkSize({ text, metadata }: { readonly text: string; readonly metadata?: unknown }): Result<null> {
  if (text.length > LIMITS.messageTextLength)
    return refuse(
      'body_fields_invalid',
      `"text" has ${text.length} characters and must be at most ${LIMITS.messageTextLength} characters long.`,
      {
        extra: { issues: [{ path: '/text', message: `must be at most ${LIMITS.messageTextLength} characters long` }] },
      },
    );
  const bytes = Buffer.byteLength(JSON.stringify(metadata ?? {}));
  if (bytes > LIMITS.messageMetadataBytes)
    return refuse('body_fields_invalid', `"metadata" takes ${bytes} bytes as JSON and may take at most ${LIMITS.messageMetadataBytes}.`, {
      extra: { issues: [{ path: '/metadata', message: `may take at most ${LIMITS.messageMetadataBytes} bytes as JSON` }] },
    });
  return ok(null);
}

/**
 * Channels of a snapshot with their process, or the reason for none. Includes those that failed to load, so that none
 * disappears silently.
 */
interface ChannelInSnapshot {
  readonly name: string;
  readonly about: { readonly extension: string; readonly description: string; readonly remark: string | null };
  readonly source: ChannelSource | null;
  readonly idle: IdleState;
}

const FOLDER = 'channels/';
const CORE: ReadonlySet<string> = new Set(CORE_CHANNELS);

function channelsIn(snapshot: Snapshot<RunningExtension>): ChannelInSnapshot[] {
  const channels = [...snapshot.entries.values()].filter(({ extension }) => extension.kind === 'channel');
  return channels.flatMap(({ extension, running }) => {
    const name = extension.id.startsWith(FOLDER) ? extension.id.slice(FOLDER.length) : extension.id;
    if (CORE.has(name)) return [];
    const about = { extension: extension.id, description: extension.description, remark: remarkOn(extension) };
    return [{ name, about, source: running === null ? null : sourceOf(extension, running), idle: idleOf(extension) }];
  });
}

function sourceOf(extension: Extension, running: RunningExtension): ChannelSource | null {
  if (running.channel === null) return null;
  return {
    functions: running.channel,
    givenUp: () =>
      running.process().state === 'crash_loop'
        ? `${extension.id} stopped too often and is not restarted automatically. Fix the file, or press Restart on the extension’s page.`
        : null,
    disconnect: () => void running.restart('Restarted: this instance does not own the channel any more').catch(() => undefined),
  };
}

function idleOf({ id, state, failure }: Extension): IdleState {
  switch (state) {
    case 'disabled':
      return { state: 'stopped', reason: `${id} is disabled. Enable it to use this channel.` };
    case 'excluded':
      return { state: 'stopped', reason: `${id} is excluded by EXTENSION_EXCLUDED_EXTENSIONS.` };
    case 'loading':
      return { state: 'connecting', reason: `${id} is still being loaded.` };
    case 'ready':
    case 'degraded':
    case 'failed':
      return { state: 'failed', reason: failure === null ? `${id} does not run.` : `${id} failed to load: ${failure.message}` };
  }
}

function remarkOn({ state, failure, revision, serving_revision }: Extension): string | null {
  if (state !== 'degraded' || failure === null) return null;
  return `Revision ${revision ?? '?'} failed to load, and revision ${serving_revision ?? '?'} keeps serving: ${failure.message}`;
}

/** Requests about channels that another server owns, asked and answered. */
interface ChannelOwners {
  /** The other server that owns it; null: this one, or none. */
  of(channel: string): Promise<string | null>;
  /** Channels that others own, as they show them. */
  shown(): Promise<ReadonlyMap<string, ShownOfOwner>>;
  send(owner: string, channel: string, message: SendMessage, sender: string): Promise<Result<Message>>;
  inject(owner: string, channel: string, message: ChannelMessage): Promise<Result<Message>>;
  retry(owner: string, channel: string): Promise<Result<null>>;
}

const shownSchema = z.object({
  state: z.enum(CHANNEL_STATES),
  reason: z.string().nullable(),
  retryAt: z.number().nullable(),
  dropped: z.number(),
});
type ShownOfOwner = z.infer<typeof shownSchema> & { readonly instance: string };

const requestSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('show'), channels: z.array(z.string()) }),
  z.object({ do: z.literal('retry'), channel: z.string() }),
  z.object({ do: z.literal('send'), channel: z.string(), message: sendMessageSchema, sender: z.string() }),
  z.object({
    do: z.literal('inject'),
    channel: z.string(),
    message: z.object({ text: z.string(), sender: z.string(), channel: z.string(), metadata: z.record(z.string(), z.unknown()) }),
  }),
]);
type Request = z.infer<typeof requestSchema>;

const refusalSchema = z.object({
  ok: z.literal(false),
  problem: z.object({ code: z.enum(['state_conflict', 'too_many_messages']), detail: z.string() }),
});

const KIND = 'channel';
const SHOW_MS = 2_000;
const ACT_MS = 10_000;

function createChannelOwners({
  instances,
  find,
}: {
  readonly instances: Instances;
  find(channel: string): ManagedChannel | undefined;
}): ChannelOwners {
  instances.answer(KIND, async (payload) => {
    const request = requestSchema.parse(payload);
    if (request.do === 'show') return Object.fromEntries(request.channels.flatMap((name) => showHere(name)));
    const channel = find(request.channel);
    if (channel?.isOwned() !== true) return null;
    switch (request.do) {
      case 'retry':
        channel.retry();
        return { ok: true, value: null };
      case 'send':
        return await channel.send({ ...request.message }, request.sender);
      case 'inject': {
        const injected = channel.inject(request.message);
        return injected === null ? null : ok(await injected);
      }
    }
  });

  function showHere(name: string): [string, z.infer<typeof shownSchema>][] {
    const channel = find(name);
    return channel?.isOwned() === true ? [[name, { ...channel.shown(), dropped: channel.dropped() }]] : [];
  }

  async function holders(): Promise<readonly [channel: string, owner: string][]> {
    if (instances.shared === null) return [];
    const prefix = leaseOf('');
    const held = [...(await instances.holders())].filter(([lease, owner]) => lease.startsWith(prefix) && owner !== instances.id());
    return held.map(([lease, owner]) => [lease.slice(prefix.length), owner]);
  }

  async function act<Value>(owner: string, request: Request, schema: z.ZodType<Value>): Promise<Result<Value>> {
    const answer = await instances.ask(owner, KIND, request, ACT_MS);
    if (!answer.ok) return answer;
    const refusal = refusalSchema.safeParse(answer.value);
    if (refusal.success) return refuse(refusal.data.problem.code, refusal.data.problem.detail);
    const done = z.object({ ok: z.literal(true), value: schema }).safeParse(answer.value);
    if (done.success) return ok(done.data.value);
    return refuse('instance_unavailable', `The instance ${owner} does not own this channel any more. Try again in a few seconds.`, {
      retryAfter: 2,
    });
  }

  return {
    of: async (channel) => (await holders()).find(([name]) => name === channel)?.[1] ?? null,
    async shown() {
      const byOwner = Map.groupBy(await holders(), ([, owner]) => owner);
      const asked = [...byOwner].map(async ([instance, held]): Promise<[string, ShownOfOwner][]> => {
        const answer = await instances.ask(instance, KIND, { do: 'show', channels: held.map(([name]) => name) }, SHOW_MS);
        const read = z.record(z.string(), shownSchema).safeParse(answer.ok ? answer.value : null);
        const silent = {
          state: 'retrying' as const,
          reason: `The instance ${instance}, which serves it, does not answer.`,
          retryAt: null,
          dropped: 0,
        };
        return held.map(([name]) => [name, { ...(read.data?.[name] ?? silent), instance }]);
      });
      return new Map((await Promise.all(asked)).flat());
    },
    send: (owner, channel, message, sender) => act(owner, { do: 'send', channel, message, sender }, messageSchema),
    inject: (owner, channel, message) =>
      act(owner, { do: 'inject', channel, message: { ...message, metadata: { ...message.metadata } } }, messageSchema),
    retry: (owner, channel) => act(owner, { do: 'retry', channel }, z.null()),
  };
}
