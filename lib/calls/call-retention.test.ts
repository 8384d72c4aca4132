import { afterEach, expect, it, vi } from 'vitest';
import { createCallRetention } from './call-retention.ts';
import type { CallRetention } from './call-retention.ts';

interface Asked {
  readonly keepNewest: number;
  readonly before: number;
  readonly most: number;
}

const errors: unknown[] = [];
let retention: CallRetention | null = null;

afterEach(() => retention?.close());

function start(left: number, more: { keepDays?: number } = {}) {
  const asked: Asked[] = [];
  const removeOld = async (limits: Asked) => {
    asked.push(limits);
    const count = Math.min(left, limits.most);
    left -= count;
    return count;
  };
  retention = createCallRetention({
    calls: { removeOld },
    onError: (error) => errors.push(error),
    everyMs: 5,
    keepNewest: 50,
    keepDays: more.keepDays ?? 0,
    now: () => 10 * 86_400_000,
    pauseMs: 0,
  });
  return { retention, asked };
}

it('drops piece by piece until nothing is left to drop', async () => {
  const started = start(250);
  expect(await started.retention.sweep()).toBe(250);
  expect(started.asked).toHaveLength(3);
  expect(await started.retention.sweep()).toBe(0);
});

it('asks for those of before so many days, and for none by age when age does not count', async () => {
  const aged = start(0, { keepDays: 3 });
  await aged.retention.sweep();
  expect(aged.asked).toEqual([{ keepNewest: 50, before: 7 * 86_400_000, most: 100 }]);
  const ageless = start(0);
  await ageless.retention.sweep();
  expect(ageless.asked[0]?.before).toBe(0);
});

it('is under way once only, and ends with the host', async () => {
  const started = start(100_000);
  const first = started.retention.sweep();
  expect(started.retention.sweep()).toBe(first);
  started.retention.close();
  await first;
  expect(started.asked).toHaveLength(1);
});

it('looks again and again by itself, and tells of a refusal', async () => {
  const { asked } = start(0);
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(1));
  retention?.close();
  retention = createCallRetention({
    calls: { removeOld: () => Promise.reject(new Error('locked')) },
    keepNewest: 1,
    keepDays: 0,
    everyMs: 5,
    onError: (error) => errors.push(error),
  });
  await vi.waitFor(() => expect(errors.length).toBeGreaterThan(1));
});
