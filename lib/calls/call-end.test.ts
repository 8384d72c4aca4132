import { afterEach, expect, it, vi } from 'vitest';
import { createCallNotes } from './call-log-buffer.ts';
import { bothEnds, endOf, keepEnd } from './call-end.ts';

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

it('a call ends as one that could not be carried through when its end cannot be read', () => {
  const { end, stored } = bothEnds({ status: 'succeeded', resultText: '{"token": broken' }, createCallNotes(), 3, 0, []);
  expect(end).toMatchObject({ status: 'failed', revision: 3, resultText: null, error: { kind: 'execution_error' } });
  expect(stored).toEqual(end);
});

it('an end that cannot be written is on record as one that could not be carried through', async () => {
  const written: unknown[] = [];
  const ends = bothEnds({ status: 'succeeded', resultText: '1' }, createCallNotes(), 1, 0, []);
  const end = await keepEnd(ends, 0, async (stored) => {
    if (stored.status === 'succeeded') throw new RangeError('too large');
    written.push(stored);
  });
  expect(end).toMatchObject({ status: 'failed', error: { kind: 'execution_error', message: expect.stringContaining('RangeError') } });
  expect(written).toEqual([end]);
});
