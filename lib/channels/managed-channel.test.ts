import { describe, expect, it } from 'vitest';
import type { ChannelCommands, Message } from '#lib/contract/channel.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { createInstances } from '#lib/instances/instances.ts';
import type { ChannelRepository } from '#lib/store/store.ts';
import { createManagedChannel, type ManagedChannel } from './managed-channel.ts';
import { createFakeChannel, createManualClock, type FakeChannel, type ManualClock, settle } from './channels-for-tests.ts';

interface Started {
  readonly channel: ManagedChannel;
  readonly fake: FakeChannel;
  readonly clock: ManualClock;
  readonly kept: Message[];
  readonly log: string[];
  /** Errors of the next inserts; null: stored. */
  readonly refusals: (Error | null)[];
  /** All messages passed to the store. */
  readonly tried: Message[];
  /** The commands among them. */
  readonly commands: boolean[];
}

const refusal = (code: string): Error => Object.assign(new Error('refused'), { code });
const unused = (): never => {
  throw new Error('not asked for here');
};

/** @param stored settings in the shared database, when this server takes the channel over; null: there is one server */
async function start(stored: ChannelCommands | null = null): Promise<Started> {
  const fake = createFakeChannel();
  const clock = createManualClock();
  const kept: Message[] = [];
  const log: string[] = [];
  const refusals: (Error | null)[] = [];
  const tried: Message[] = [];
  const commands: boolean[] = [];
  const settings = new Map<string, ChannelCommands>();
  const store: ChannelRepository = {
    async insert(message, inbound) {
      tried.push(message);
      const refused = refusals.shift() ?? null;
      if (refused !== null) throw refused;
      kept.push(message);
      commands.push(inbound?.isCommand === true);
      return true;
    },
    nextQueued: async () => null,
    commands: unused,
    get: unused,
    list: unused,
    beginSend: unused,
    endSend: unused,
    queueAgain: unused,
    noteCommand: unused,
    lastFrom: unused,
    counts: unused,
    hasMessages: unused,
    markInterrupted: async () => 0,
    underLease: () => store,
    unanswered: async () => [],
    putCommands: unused,
  };
  const only = await createInstances({
    id: null,
    shared: null,
    version: '1.0.0',
    describe: () => ({ state: 'ready', ready: 0, failed: 0, callsRunning: 0 }),
    log: () => undefined,
    onGone: () => undefined,
    onChanged: () => undefined,
  });
  if (only === null) throw new Error('nothing else has its id');
  const oneOfMany: typeof only = {
    ...only,
    shared: Object({}),
    stillHolds: () => true,
    own(_, { onTaken }) {
      onTaken(1);
      return async () => undefined;
    },
  };
  const channel = createManagedChannel({
    name: 'fake',
    instances: stored === null ? only : oneOfMany,
    core: null,
    store,
    settings,
    async readSettings() {
      if (stored !== null) settings.set('fake', stored);
    },
    clock,
    random: () => 0,
    handOverMs: 1_000,
    redact: (json) => json.replaceAll('hunter2', '[redacted]'),
    redactArguments: () => ({ text: '', paths: [], clean: (said) => said }),
    tools: () => new Map(),
    startCall: unused,
    record: unused,
    nearestName: () => null,
    publish: () => undefined,
    log: (level, message) => void log.push(`${level} ${message}`),
  });
  channel.serve({ functions: fake, givenUp: () => null, disconnect: () => undefined }, { state: 'stopped', reason: '' });
  await settle();
  return { channel, fake, clock, kept, log, refusals, tried, commands };
}

const receives = (fake: FakeChannel): number => fake.asked.filter((step) => step === 'recv').length;

describe('an inbound message', () => {
  it('is stored with retries until storage is back, before the next is received', async () => {
    const { channel, fake, clock, kept, refusals } = await start();
    refusals.push(refusal('storage_full'), refusal('storage_unavailable'), refusal('storage_full'));
    fake.bring('one', 'two');
    await clock.advance(1_000);
    expect([kept.length, receives(fake)]).toEqual([0, 1]);
    await clock.advance(500);
    expect(kept.map(({ text }) => text)).toEqual(['one', 'two']);
    expect(channel.dropped()).toBe(0);
  });

  it('is counted and logged when it can never be stored, and the next is received', async () => {
    const { channel, fake, kept, log, refusals } = await start();
    refusals.push(new Error('a fault of ours'));
    fake.bring('one', 'two');
    await settle();
    expect(kept.map(({ text }) => text)).toEqual(['two']);
    expect(channel.dropped()).toBe(1);
    expect(log).toEqual([expect.stringContaining('error channel fake: an inbound message could not be stored')]);
  });

  it('is truncated with a note, and stored without secrets in its metadata', async () => {
    const { fake, kept } = await start();
    fake.bring(
      { ok: true, value: { text: 'x'.repeat(65_540), sender: 'Ada\ud800', channel: 'other', metadata: { token: 'hunter2' } } },
      { ok: true, value: { text: '', sender: 'Ada', channel: 'fake', metadata: { large: 'x'.repeat(65_536) } } },
    );
    await settle();
    expect(kept[0]).toMatchObject({ channel: 'fake', sender: 'Ada\ufffd', metadata: { token: '[redacted]' } });
    expect(kept[0]?.text).toHaveLength(65_536);
    expect(kept[0]?.error).toBe('The text had 65,540 characters and was cut to 65,536.');
    expect(kept[1]).toMatchObject({ metadata: {}, error: 'The metadata was larger than 64 KiB and was left out.' });
  });

  it('is stored with the complete sender, who gets the answers', async () => {
    const { fake, kept } = await start();
    const sender = 's'.repeat(LIMITS.messageSenderLength);
    fake.bring({ ok: true, value: { text: 'x', sender, channel: 'fake', metadata: {} } });
    await settle();
    expect(kept[0]?.sender).toBe(sender);
  });
});

it('treats a message as a command by the current settings after this server takes the channel over', async () => {
  const { fake, kept, commands } = await start({ enabled: true, tools: ['add'] });
  fake.bring('/tools');
  await settle();
  expect(kept[0]?.text).toBe('/tools');
  expect(commands[0]).toBe(true);
});

it('stores its reply with the same key when the first attempt may have been stored', async () => {
  const { fake, clock, refusals, tried } = await start({ enabled: true, tools: ['add'] });
  refusals.push(null, refusal('storage_unavailable'));
  fake.bring('/help');
  await settle();
  await clock.advance(500);
  const replies = tried.filter(({ direction }) => direction === 'out');
  expect(replies).toHaveLength(2);
  expect(new Set(replies.map(({ id }) => id)).size).toBe(1);
});
