import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallOutcome } from './runtime.ts';
import { createPendingCall } from './pending-call.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function begin(limits: { readonly timeoutMs: number; readonly extendedMs?: number }) {
  const outcomes: CallOutcome[] = [];
  const call = createPendingCall({
    tool: 'work',
    hooks: { callId: 'c', signal: new AbortController().signal, onLog: () => undefined, onProgress: () => undefined, ...limits },
    onSettled: (outcome) => void outcomes.push(outcome),
    onInterrupt: () => undefined,
    waitsFor: () => null,
  });
  return { call, outcomes, step: () => call.progress({ done: 1, total: null, message: null }) };
}

const messageOf = ([outcome]: readonly CallOutcome[]) => (outcome?.status === 'timed_out' ? outcome.error.message : outcome?.status);

describe('the time limit of a call', () => {
  it('is not extended by progress by default', () => {
    const { outcomes, step } = begin({ timeoutMs: 1_000 });
    vi.advanceTimersByTime(900);
    step();
    vi.advanceTimersByTime(101);
    expect(messageOf(outcomes)).toContain('did not answer within 1,000 ms');
  });

  it('counts from the last progress if it may be extended', () => {
    const { outcomes, step } = begin({ timeoutMs: 1_000, extendedMs: 60_000 });
    for (let count = 0; count < 10; count += 1) {
      vi.advanceTimersByTime(900);
      step();
    }
    vi.advanceTimersByTime(990);
    expect(outcomes).toEqual([]);
    vi.advanceTimersByTime(20);
    expect(messageOf(outcomes)).toMatch(/nor reported progress for 1,000 ms.*`timeout` \(seconds\).*mcp\.json/);
  });

  it('ends at the maximum, however much progress is reported', () => {
    const { outcomes, step } = begin({ timeoutMs: 1_000, extendedMs: 5_000 });
    for (let count = 0; count < 20; count += 1) {
      vi.advanceTimersByTime(500);
      step();
    }
    expect(outcomes).toHaveLength(1);
    expect(messageOf(outcomes)).toContain('did not answer within 5,000 ms, the most that a call may take');
  });

  it('ends at the limit without progress', () => {
    const { outcomes } = begin({ timeoutMs: 1_000, extendedMs: 5_000 });
    vi.advanceTimersByTime(1_001);
    expect(messageOf(outcomes)).toMatch(/did not answer within 1,000 ms\. .*mcp\.json/);
  });

  it('does not count while the caller is asked', async () => {
    const { call, outcomes } = begin({ timeoutMs: 1_000 });
    vi.advanceTimersByTime(600);
    const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const;
    const asked = answers.map(({ promise }) => call.waitFor(promise));
    vi.advanceTimersByTime(5_000);
    answers[0].resolve('first');
    await asked[0];
    vi.advanceTimersByTime(5_000);
    answers[1].resolve('second');
    expect(await Promise.all(asked)).toEqual(['first', 'second']);
    vi.advanceTimersByTime(390);
    expect(outcomes).toEqual([]);
    vi.advanceTimersByTime(20);
    expect(messageOf(outcomes)).toContain('did not answer within 1,000 ms');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps no timer after the call has ended', () => {
    const { call, outcomes, step } = begin({ timeoutMs: 1_000, extendedMs: 5_000 });
    step();
    call.settle({ status: 'succeeded', resultText: '1' });
    vi.advanceTimersByTime(10_000);
    expect(outcomes).toEqual([{ status: 'succeeded', resultText: '1' }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
