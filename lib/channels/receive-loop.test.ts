import { describe, expect, it } from 'vitest';
import type { ChannelMessage } from '#lib/runtime/runtime.ts';
import { createFakeChannel, createManualClock, FAILED, type FakeChannel, type ManualClock, settle } from './channels-for-tests.ts';
import { createReceiveLoop, type LoopState, type ReceiveLoop } from './receive-loop.ts';

interface Started {
  readonly fake: FakeChannel;
  readonly clock: ManualClock;
  readonly line: ReceiveLoop;
  readonly states: string[];
  readonly taken: string[];
  readonly invalid: string[];
}

function start(
  prepare: (fake: FakeChannel) => void = () => undefined,
  change: { givenUp?: () => string | null; take?: (message: ChannelMessage) => Promise<void> } = {},
): Started {
  const fake = createFakeChannel();
  prepare(fake);
  const clock = createManualClock();
  const states: string[] = [];
  const taken: string[] = [];
  const invalid: string[] = [];
  const line = createReceiveLoop({
    functions: fake,
    clock,
    random: () => 0,
    take: async (message) => {
      await change.take?.(message);
      taken.push(message.text);
    },
    onState: (state: LoopState) =>
      void states.push(state.state === 'retrying' ? `retrying in ${state.retryAt - clock.now()}: ${state.reason}` : state.state),
    onInvalid: (reason) => void invalid.push(reason),
    givenUp: change.givenUp ?? (() => null),
  });
  return { fake, clock, line, states, taken, invalid };
}

describe('receiving', () => {
  it('requests the next message only after the last one is stored', async () => {
    const kept = Promise.withResolvers<void>();
    const { fake, taken } = start(undefined, { take: ({ text }) => (text === 'one' ? kept.promise : Promise.resolve()) });
    fake.bring('one', 'two');
    await settle();
    expect(fake.asked).toEqual(['connect', 'recv']);
    kept.resolve();
    await settle();
    expect(taken).toEqual(['one', 'two']);
    expect(fake.asked).toEqual(['connect', 'recv', 'recv', 'recv']);
  });

  it('connects again after a connect that rejects', async () => {
    const { fake, clock, states } = start((one) => {
      const { connect } = one;
      one.connect = () => {
        one.connect = connect;
        return Promise.reject(new Error('the database does not answer'));
      };
    });
    await clock.advance(1_000);
    expect(states).toEqual(['connecting', 'retrying in 1000: Connecting failed: the database does not answer', 'connecting', 'connected']);
    expect(fake.asked).toEqual(['connect', 'recv']);
  });

  it('doubles the delay with each failed connect, and resets it after a message', async () => {
    const { fake, clock, states } = start(({ connects }) => connects.push(FAILED, FAILED, FAILED));
    await clock.advance(7_000);
    expect(states).toEqual([
      'connecting',
      'retrying in 1000: Connecting failed: refused',
      'connecting',
      'retrying in 2000: Connecting failed: refused',
      'connecting',
      'retrying in 4000: Connecting failed: refused',
      'connecting',
      'connected',
    ]);
    fake.bring('a message', FAILED);
    await settle();
    expect(states.at(-1)).toBe('retrying in 1000: Receiving failed: refused');
  });

  it('keeps doubling the delay when it connects and recv always fails immediately', async () => {
    const { fake, clock, states } = start();
    for (const ms of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      fake.bring(FAILED);
      await settle();
      expect(states.at(-1)).toBe(`retrying in ${ms}: Receiving failed: refused`);
      await clock.advance(ms);
    }
  });

  it('resets the delay after a connection of a minute', async () => {
    const { fake, clock, states } = start(({ connects }) => connects.push(FAILED, FAILED));
    await clock.advance(3_000);
    await clock.advance(60_000);
    fake.bring(FAILED);
    await settle();
    expect(states.at(-1)).toMatch(/^retrying in 1000/);
  });

  it.each([
    [0, 3_600_000, 4_000],
    [60_000, -3_600_000, 1_000],
  ])('after a connection of %d ms, with the clock set by %d ms meanwhile, waits %d ms', async (ms, byMs, waits) => {
    const { fake, clock, states } = start(({ connects }) => connects.push(FAILED, FAILED));
    await clock.advance(3_000);
    clock.set(byMs);
    await clock.advance(ms);
    fake.bring(FAILED);
    await settle();
    expect(states.at(-1)).toBe(`retrying in ${waits}: Receiving failed: refused`);
  });

  it('retries immediately on request', async () => {
    const { line, states } = start(({ connects }) => connects.push(FAILED));
    await settle();
    line.retry();
    await settle();
    expect(states.at(-1)).toBe('connected');
  });

  it('stays stopped when its runtime has given up, until a manual retry', async () => {
    let hopeless: string | null = 'stopped too often';
    const { line, clock, states } = start(({ connects }) => connects.push(FAILED), { givenUp: () => hopeless });
    await clock.advance(600_000);
    expect(states).toEqual(['connecting', 'failed']);
    hopeless = null;
    line.retry();
    await settle();
    expect(states.at(-1)).toBe('connected');
  });

  it('skips invalid messages, and delays after several in a row', async () => {
    const nonsense = { ok: false, reason: 'invalid', message: 'a number' } as const;
    const { fake, clock, taken, invalid, states } = start();
    fake.bring(nonsense, nonsense, 'fine', nonsense, nonsense, nonsense, 'late');
    await settle();
    expect([taken, invalid.length]).toEqual([['fine'], 5]);
    expect(states.at(-1)).toMatch(/^retrying in 1000: recv returned an invalid message 3 times in a row/);
    await clock.advance(1_000);
    expect(taken).toEqual(['fine', 'late']);
    expect(fake.asked.filter((step) => step === 'connect')).toHaveLength(1);
  });
});

describe('a handover', () => {
  it('receives until silence, and uses the last recv', async () => {
    const { fake, clock, line, taken } = start();
    await settle();
    let isDone = false;
    const done = line.finish(3_000).then(() => {
      isDone = true;
    });
    fake.bring('one');
    await clock.advance(250);
    fake.bring('two');
    await clock.advance(250);
    expect(isDone).toBe(false);
    await clock.advance(250);
    expect(isDone).toBe(true);
    await done;
    fake.bring('three');
    await settle();
    expect(taken).toEqual(['one', 'two', 'three']);
    expect(fake.asked.at(-1)).toBe('recv');
    expect(fake.asked).toHaveLength(4);
  });

  it.each([0, -3_600_000])('asks for no more when it never falls silent, with the clock set by %d ms meanwhile', async (byMs) => {
    const { fake, clock, line, taken } = start();
    await settle();
    const done = line.finish(1_000);
    clock.set(byMs);
    for (let step = 0; step < 30; step += 1) {
      fake.bring(String(step));
      await clock.advance(100);
    }
    await done;
    expect(taken).toEqual(Array.from({ length: taken.length }, (_, index) => String(index)));
    expect(taken.length).toBeLessThan(16);
  });

  it('ends immediately if it does not receive', async () => {
    const { clock, line } = start(({ connects }) => connects.push(FAILED));
    await settle();
    await line.finish(3_000);
    expect(clock.waits()).toEqual([]);
  });
});
