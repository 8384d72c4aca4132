import { describe, expect, it } from 'vitest';
import type { ChannelOutcome } from '#lib/runtime/runtime.ts';
import { type ChannelSupervisor, type ChannelSupervisorOptions, createChannelSupervisor, type IdleState } from './channel-supervisor.ts';
import { createFakeChannel, createManualClock, settle, createFakeQueue } from './channels-for-tests.ts';
import type { FakeChannel, ManualClock, FakeQueue } from './channels-for-tests.ts';

const IDLE: IdleState = { state: 'stopped', reason: 'It is disabled.' };

interface Started {
  readonly supervisor: ChannelSupervisor;
  readonly clock: ManualClock;
  readonly queue: FakeQueue;
  readonly taken: string[];
  serve(fake: FakeChannel | null): void;
}

function start(change: Partial<ChannelSupervisorOptions> = {}): Started {
  const clock = createManualClock();
  const queue = createFakeQueue();
  const taken: string[] = [];
  const supervisor = createChannelSupervisor({
    channel: 'fake',
    store: queue,
    clock,
    random: () => 0,
    handOverMs: 8_000,
    take: async ({ text }) => void taken.push(text),
    send: (functions, message) => functions.send({ text: message.text, sender: 'host', channel: 'fake', metadata: {} }, null),
    onChange: () => undefined,
    onEnd: () => undefined,
    onTrouble: () => undefined,
    onError(error) {
      throw error;
    },
    ...change,
  });
  const serve = (fake: FakeChannel | null): void =>
    supervisor.serve(fake === null ? null : { functions: fake, givenUp: () => null, disconnect: () => undefined }, IDLE);
  return { supervisor, clock, queue, taken, serve };
}

describe('a channel across its revisions', () => {
  it('connects the new one only when the old one is silent, has sent its message, and is released', async () => {
    const { clock, queue, taken, serve, supervisor } = start();
    const [first, second] = [createFakeChannel(), createFakeChannel()];
    serve(first);
    await settle();
    const slow = Promise.withResolvers<ChannelOutcome<void>>();
    first.sends.push(slow.promise);
    queue.put('in flight');
    queue.put('after it');
    supervisor.wake();
    await settle();
    serve(second);
    first.bring('held by the old one');
    await clock.advance(1_000);
    expect(taken).toEqual(['held by the old one']);
    expect([first.isReleased(), second.asked]).toEqual([false, []]);
    slow.resolve({ ok: true, value: undefined });
    await settle();
    expect(first.asked.filter((step) => step.startsWith('send'))).toEqual(['send in flight']);
    expect(first.isReleased()).toBe(true);
    expect(second.asked).toEqual(['connect', 'recv', 'send after it']);
  });

  it('releases one that never served', async () => {
    const { clock, serve } = start();
    const [first, second, third] = [createFakeChannel(), createFakeChannel(), createFakeChannel()];
    serve(first);
    await settle();
    serve(second);
    serve(third);
    await clock.advance(500);
    expect([first.isReleased(), second.asked, third.asked]).toEqual([true, ['release'], ['connect', 'recv']]);
  });

  it('is unchanged when the serving revision is set again', async () => {
    const { serve } = start();
    const fake = createFakeChannel();
    serve(fake);
    await settle();
    serve(fake);
    await settle();
    expect(fake.asked).toEqual(['connect', 'recv']);
  });

  it('reports the stop immediately, and still receives pending messages', async () => {
    const { clock, taken, serve, supervisor } = start();
    const fake = createFakeChannel();
    serve(fake);
    await settle();
    serve(null);
    expect(supervisor.shown()).toEqual({ state: 'stopped', reason: 'It is disabled.', retryAt: null });
    fake.bring('late');
    await clock.advance(1_000);
    expect(taken).toEqual(['late']);
    expect(fake.isReleased()).toBe(true);
    serve(createFakeChannel());
    await settle();
    expect(supervisor.shown().state).toBe('connected');
  });

  it('shows that sending fails, although it receives', async () => {
    const { clock, queue, serve, supervisor } = start();
    const fake = createFakeChannel();
    fake.sends.push({ ok: false, reason: 'threw', message: 'full' });
    queue.put('x');
    serve(fake);
    await settle();
    expect(supervisor.shown()).toEqual({ state: 'retrying', reason: 'Sending failed: full', retryAt: clock.now() + 1_000 });
    await clock.advance(1_000);
    expect(supervisor.shown()).toEqual({ state: 'connected', reason: null, retryAt: null });
  });

  it('releases everything when it is closed', async () => {
    const { clock, serve, supervisor } = start();
    const fake = createFakeChannel();
    serve(fake);
    await settle();
    const closed = supervisor.close();
    await clock.advance(500);
    await closed;
    expect(fake.isReleased()).toBe(true);
    expect(clock.waits()).toEqual([]);
    serve(createFakeChannel());
    expect(supervisor.shown()).toMatchObject({ state: 'stopped', reason: 'The server is stopping.' });
  });

  it('releases the process when it is closed during a send that does not end', async () => {
    const { clock, queue, serve, supervisor } = start();
    const fake = createFakeChannel();
    fake.sends.push(new Promise(() => undefined));
    queue.put('x');
    serve(fake);
    await settle();
    const closed = supervisor.close();
    await clock.advance(2_000);
    await closed;
    expect(fake.isReleased()).toBe(true);
  });

  it('does not wait for silence when messages are injected', async () => {
    const { serve, supervisor } = start({ isLocal: true });
    const fake = createFakeChannel();
    serve(fake);
    await settle();
    await supervisor.close();
    expect(fake.isReleased()).toBe(true);
  });
});
