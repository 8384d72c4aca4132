import { describe, expect, it } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import type { ChannelOutcome } from '#lib/runtime/runtime.ts';
import { createFakeQueue, createManualClock, FAILED, type FakeQueue, type ManualClock, settle } from './channels-for-tests.ts';
import { createSendLoop, type SendLoop } from './send-loop.ts';

type Outcome = ChannelOutcome<void> | Promise<ChannelOutcome<void>>;

interface Started {
  readonly queue: FakeQueue;
  readonly clock: ManualClock;
  readonly line: SendLoop;
  /** Results of the sends, in order; success by default. */
  readonly outcomes: Outcome[];
  readonly sent: string[];
  connect(is: boolean): void;
}

function start(): Started {
  const queue = createFakeQueue();
  const clock = createManualClock();
  const outcomes: Outcome[] = [];
  const sent: string[] = [];
  let isConnected = true;
  const line = createSendLoop({
    channel: 'fake',
    store: queue,
    clock,
    random: () => 0,
    isConnected: () => isConnected,
    async send({ text }) {
      sent.push(text);
      return outcomes.shift() ?? { ok: true, value: undefined };
    },
    onEnd: () => undefined,
    onError(error) {
      throw error;
    },
  });
  return { queue, clock, line, outcomes, sent, connect: (is) => void (isConnected = is) };
}

describe('sending', () => {
  it('keeps the order per recipient, and failures delay no other recipient', async () => {
    const { queue, clock, line, outcomes, sent } = start();
    for (const [text, recipient] of [
      ['a1', 'Ada'],
      ['a2', 'Ada'],
      ['b1', 'Bob'],
      ['n1', null],
      ['a3', 'Ada'],
    ] as const)
      queue.put(text, recipient);
    outcomes.push(FAILED);
    line.wake();
    await settle();
    expect(sent).toEqual(['a1', 'b1', 'n1']);
    expect(line.trouble()).toMatchObject({ reason: 'Sending failed: refused', retryAt: clock.now() + 1_000 });
    await clock.advance(1_000);
    expect(sent).toEqual(['a1', 'b1', 'n1', 'a1', 'a2', 'a3']);
    expect(line.trouble()).toBeNull();
    expect(queue.get('a1')).toMatchObject({ state: 'sent', attempts: 2, error: null });
  });

  it('sends to others first when a message ended the process, because the next attempt may end it again', async () => {
    const { queue, clock, line, outcomes, sent, connect } = start();
    queue.put('fatal', 'Ada');
    queue.put('b1', 'Bob');
    queue.put('n1');
    const ending = Promise.withResolvers<ChannelOutcome<void>>();
    outcomes.push(ending.promise);
    line.wake();
    await settle();
    connect(false);
    ending.resolve({ ok: false, reason: 'ended', message: 'The process ended.' });
    await settle();
    // The delay of the message has passed when the channel is connected again.
    await clock.advance(1_500);
    connect(true);
    line.wake();
    await settle();
    expect(sent).toEqual(['fatal', 'b1', 'n1', 'fatal']);
    queue.put('a2', 'Ada');
    queue.put('b2', 'Bob');
    line.wake();
    await settle();
    expect(sent.slice(4)).toEqual(['a2', 'b2']);
  });

  it('gives up after its attempts with doubling delays, and continues with the next', async () => {
    const { queue, clock, line, outcomes, sent } = start();
    queue.put('dead', 'Ada');
    queue.put('next', 'Ada');
    outcomes.push(...Array.from({ length: LIMITS.messageAttempts }, () => FAILED));
    line.wake();
    await settle();
    for (const ms of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]) {
      expect(clock.waits()).toEqual([ms]);
      await clock.advance(ms);
    }
    expect(queue.get('dead')).toMatchObject({ state: 'failed', attempts: LIMITS.messageAttempts, error: 'Sending failed: refused' });
    expect(queue.get('next')?.state).toBe('sent');
    expect(sent.filter((text) => text === 'dead')).toHaveLength(LIMITS.messageAttempts);
  });

  it.each([-3_600_000, 3_600_000])('retries after its delay, with the clock set by %d ms meanwhile', async (byMs) => {
    const { queue, clock, line, outcomes, sent } = start();
    queue.put('a1', 'Ada');
    outcomes.push(FAILED);
    line.wake();
    await settle();
    clock.set(byMs);
    line.wake();
    await settle();
    expect(sent).toEqual(['a1']);
    expect(line.trouble()).toMatchObject({ reason: 'Sending failed: refused' });
    await clock.advance(1_000);
    expect(sent).toEqual(['a1', 'a1']);
    expect(line.trouble()).toBeNull();
  });

  it('marks an interrupted send as possibly sent', async () => {
    const { queue, line, outcomes } = start();
    queue.put('cut');
    outcomes.push({ ok: false, reason: 'ended', message: 'the process ended.' });
    line.wake();
    await settle();
    expect(queue.get('cut')).toMatchObject({
      state: 'queued',
      error: 'Sending failed: the process ended. It may have been sent all the same.',
    });
  });

  it('does not retry a permanent error', async () => {
    const { queue, line, outcomes } = start();
    queue.put('never');
    outcomes.push({ ok: false, reason: 'invalid', message: 'no chat' });
    line.wake();
    await settle();
    expect(queue.get('never')).toMatchObject({ state: 'failed', attempts: 1 });
  });

  it('sends nothing without a connection, and counts no attempt', async () => {
    const { queue, clock, line, sent, connect } = start();
    queue.put('waits');
    connect(false);
    line.wake();
    await clock.advance(100_000);
    expect([sent, queue.get('waits')?.attempts]).toEqual([[], 0]);
    connect(true);
    line.wake();
    await settle();
    expect(sent).toEqual(['waits']);
  });

  it('sends nothing while storage fails', async () => {
    const { queue, clock, line, sent } = start();
    queue.put('one');
    queue.put('two');
    queue.refusals.push('storage_full', 'storage_unavailable', 'storage_full');
    line.wake();
    await settle();
    expect(sent).toEqual([]);
    await clock.advance(1_000);
    expect(sent).toEqual([]);
    await clock.advance(500);
    expect(sent).toEqual(['one', 'two']);
  });

  it('pauses after the current send, and resumes', async () => {
    const { queue, line, outcomes, sent } = start();
    queue.put('slow');
    queue.put('later');
    const slow = Promise.withResolvers<ChannelOutcome<void>>();
    outcomes.push(slow.promise);
    line.wake();
    await settle();
    let isPaused = false;
    const paused = line.pause(8_000).then(() => {
      isPaused = true;
    });
    await settle();
    expect(isPaused).toBe(false);
    slow.resolve({ ok: true, value: undefined });
    await paused;
    expect(sent).toEqual(['slow']);
    line.resume();
    await settle();
    expect(sent).toEqual(['slow', 'later']);
  });
});
