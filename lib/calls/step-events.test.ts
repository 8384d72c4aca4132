import { expect, it, vi } from 'vitest';
import type { RunningCallRow } from '#lib/store/store.ts';
import { createStepEvents } from './step-events.ts';

const ROW: RunningCallRow = {
  id: 'one',
  tool: 'get_weather',
  extension: 'weather',
  revision: 1,
  snapshotVersion: 3,
  source: 'api',
  actor: null,
  argumentsText: '{}',
  redacted: [],
  startedAt: '2026-11-23T10:00:00.000Z',
  replayOf: null,
  instance: 'one',
};

it('emits the pending events of a call once, at its end, and no events of other calls', () => {
  vi.useFakeTimers();
  const emitted: unknown[] = [];
  const steps = createStepEvents((type, { call_id: id }) => emitted.push([type, id]));
  steps.tellSoon('call.log', ROW);
  steps.tellSoon('call.log', ROW);
  steps.tellSoon('call.progress', ROW);
  steps.tellSoon('call.log', { ...ROW, id: 'other' });
  expect(emitted).toEqual([]);
  steps.tellRest(ROW);
  expect(emitted).toEqual([
    ['call.log', 'one'],
    ['call.progress', 'one'],
  ]);
  vi.runAllTimers();
  expect(emitted.slice(2)).toEqual([['call.log', 'other']]);
  vi.useRealTimers();
});
