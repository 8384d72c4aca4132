import { CORE_CHANNELS } from '#lib/contract/channel.ts';
import type { Channel } from '#lib/contract/channel.ts';
import type { Extension } from '#lib/contract/extension.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { EventData, EventType } from '#lib/contract/events.ts';
import type { Redactor } from '#lib/calls/redact.ts';
import type { CallService } from '#lib/calls/call-service.ts';
import { createChannelClock } from '#lib/channels/channel-timing.ts';
import type { ChannelClock } from '#lib/channels/channel-timing.ts';
import { createChannels } from '#lib/channels/channels.ts';
import { createTelegramChannel } from '#lib/channels/telegram-channel.ts';
import type { Instances } from '#lib/instances/instances.ts';
import type { CoreChannel } from '#lib/channels/managed-channel.ts';
import type { Registry } from '#lib/registry/snapshot.ts';
import type { RunningExtension, ChannelOutcome, RunningChannel } from '#lib/runtime/runtime.ts';
import { nearestName } from '#lib/schema/nearest-name.ts';
import type { Store } from '#lib/store/store.ts';
import type { HostConfig } from './config.ts';
import type { Actor, HostChannels } from './host.ts';
import type { Logger } from './logger.ts';

/** Connects the channels to the rest of the host, and starts the built-in ones. */
export interface RunningHostChannels {
  readonly host: HostChannels;
  /** The channels that this server serves. */
  own(): Promise<Channel[]>;
  /** The channels of an extension retry immediately, because their process was restarted. */
  connectNow(extension: Extension): void;
  /** Stops receiving and sending; before the calls are closed. */
  stop(): Promise<void>;
  /** After the calls are closed: the replies of commands are stored. */
  settled(): Promise<void>;
}

export interface HostChannelsOptions {
  readonly config: HostConfig;
  readonly store: Store;
  readonly instances: Instances;
  readonly registry: Registry<RunningExtension>;
  readonly calls: Pick<CallService, 'start' | 'get'>;
  readonly redactor: Redactor;
  readonly logger: Logger;
  /** Channels neither connect, receive nor send: for a host beside a running one. */
  readonly areOff: boolean;
  publish(type: EventType, data: EventData): void;
}

/** Shorter than the time that a replaced process waits to be released. */
const HAND_OVER_MS = LIMITS.drainMs - 2_000;
const UNNAMED = 'Switchboard';

export async function createHostChannels({
  config,
  store,
  instances,
  registry,
  calls,
  redactor,
  logger,
  areOff,
  publish,
}: HostChannelsOptions): Promise<RunningHostChannels> {
  const clock = createChannelClock();
  const channels = createChannels({
    instances,
    registry,
    store,
    commands: await store.channels.commands(),
    core: areOff ? [] : [web(), ...telegram(config, store, clock)],
    clock,
    random: Math.random,
    handOverMs: HAND_OVER_MS,
    redact: (json) => redactor.jsonText(json, []),
    redactArguments(args, parameters) {
      const { text, paths, secrets } = redactor.arguments(args, JSON.stringify(args), [parameters]);
      return { text, paths, clean: (said) => redactor.text(said, secrets) };
    },
    async record(id) {
      const call = await calls.get(id);
      return call.ok ? call.value : null;
    },
    nearestName,
    startCall: (tool, args, actor) => calls.start({ tool, arguments: args, source: 'channel', actor }),
    publish,
    log: (level, message, fields) => logger[level](message, fields),
  });
  const leave = areOff ? () => undefined : registry.follow(() => channels.follow());
  const nameOf = (actor: Actor): string => actor.name ?? UNNAMED;

  return {
    host: {
      list: async () => ({ channels: await channels.list() }),
      get: (name) => channels.get(name),
      messages: (name, page) => channels.messages(name, page),
      send: (name, message, actor) => channels.send(name, message, nameOf(actor)),
      inject: (name, message, actor) => channels.inject(name, message, actor.name),
      resend: (id) => channels.resend(id),
      retry: (name) => channels.retry(name),
      async configure(name, settings, actor) {
        const configured = await channels.configure(name, settings);
        if (configured.ok) {
          const { enabled, tools } = configured.value.commands;
          const what = enabled ? `on, for ${tools.join(', ') || 'no tools'}` : 'off';
          logger.info(`channel ${name}: commands are ${what}`, { channel: name, actor: actor.name });
        }
        return configured;
      },
    },
    own: channels.own,
    connectNow(extension) {
      for (const name of extension.channels)
        channels.retry(name).catch((error: unknown) => logger.warn('could not connect a channel', { error }));
    },
    async stop() {
      leave();
      await channels.stop();
    },
    settled: () => channels.settled(),
  };
}

/** Dashboard users can call any tool there, so commands are on; destructive tools must still be named. */
function web(): CoreChannel {
  return {
    name: CORE_CHANNELS[0],
    description: 'A chat in the dashboard. Send /help to list the tools you can call here.',
    functions: createWebChannel(),
    commands: { enabled: true, tools: ['*'] },
    isLocal: true,
    givenUp: () => null,
    disconnect: () => undefined,
  };
}

function telegram({ telegramToken, telegramApiRoot }: HostConfig, store: Store, clock: ChannelClock): CoreChannel[] {
  if (telegramToken === null) return [];
  const name = CORE_CHANNELS[1];
  const functions = createTelegramChannel({
    token: telegramToken,
    apiRoot: telegramApiRoot,
    clock,
    async newestKept() {
      const newest = (await store.channels.list(name, { limit: LIMITS.listMost }))?.messages ?? [];
      return newest.find(({ direction, injected }) => direction === 'in' && !injected)?.metadata ?? null;
    },
  });
  return [
    {
      name,
      description:
        'Telegram, as the bot of TELEGRAM_BOT_TOKEN. Commands are off until you allow tools, because anyone who finds the bot can write to it.',
      functions,
      commands: { enabled: false, tools: [] },
      isLocal: false,
      givenUp: () => functions.givenUp(),
      disconnect: () => functions.release(),
    },
  ];
}

/**
 * The dashboard chat as a channel. It has no remote end: sent messages are simply shown, and messages of people arrive through
 * the API, so `recv` only waits for its abort.
 */
function createWebChannel(): RunningChannel {
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
