import { afterEach, expect, it, vi } from 'vitest';
import { createCallNotes } from './call-log-buffer.ts';
import { endOf } from './call-end.ts';

afterEach(() => vi.useRealTimers());

it.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])('the duration of a call does not follow a clock that is set an hour %s', (_, byMs) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T12:00:00Z') });
  const began = performance.now();
  vi.setSystemTime(Date.now() + byMs);
  const end = endOf({ status: 'succeeded', resultText: '1' }, createCallNotes(), 1, began);
  expect(end.finishedAt).toBe(new Date(Date.parse('2026-03-01T12:00:00Z') + byMs).toISOString());
  expect(end.durationMs).toBeGreaterThanOrEqual(0);
  expect(end.durationMs).toBeLessThan(3_600_000);
});
