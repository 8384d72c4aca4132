import { afterEach, expect, it, vi } from 'vitest';
import { createCallNotes } from './call-hooks.ts';
import { bothEnds, endOf, storeEnd } from './call-end.ts';
import { createRedactor } from './redact.ts';

const BEGAN = { startedAt: '2026-03-01T12:00:00.000Z', beganAt: 0 };

afterEach(() => vi.useRealTimers());

it.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])('the duration and the end of a call are unaffected by a clock that is set an hour %s', (_, byMs) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T12:00:00Z') });
  const began = { startedAt: new Date().toISOString(), beganAt: performance.now() - 250 };
  vi.setSystemTime(Date.now() + byMs);
  const end = endOf({ status: 'succeeded', resultText: '1' }, createCallNotes(), 1, began);
  expect(end.durationMs).toBeGreaterThanOrEqual(250);
  expect(end.durationMs).toBeLessThan(3_600_000);
  expect(Date.parse(end.finishedAt)).toBe(Date.parse(began.startedAt) + Math.floor(end.durationMs));
});

it('a call ends with an internal error when its end cannot be read', () => {
  const { end, stored } = bothEnds(
    { status: 'succeeded', resultText: '{"token": broken' },
    createCallNotes(),
    3,
    BEGAN,
    createRedactor(),
    [],
  );
  expect(end).toMatchObject({ status: 'failed', revision: 3, resultText: null, error: { kind: 'execution_error' } });
  expect(stored).toEqual(end);
});

it('an end that cannot be written is recorded as an internal error', async () => {
  const written: unknown[] = [];
  const ends = bothEnds({ status: 'succeeded', resultText: '1' }, createCallNotes(), 1, BEGAN, createRedactor(), []);
  const end = await storeEnd(ends, BEGAN, async (stored) => {
    if (stored.status === 'succeeded') throw new RangeError('too large');
    written.push(stored);
  });
  expect(end).toMatchObject({ status: 'failed', error: { kind: 'execution_error', message: expect.stringContaining('RangeError') } });
  expect(written).toEqual([end]);
});
