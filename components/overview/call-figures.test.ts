import { expect, it } from 'vitest';
import type { Call } from '#lib/contract/call.ts';
import { countByHour, figuresOf, mostFailing, percentile, slowest } from './call-figures.ts';

function call(tool: string, status: Call['status'], duration: number | null, startedAt = '2026-11-21T12:00:00Z'): Call {
  return {
    id: `${tool}-${duration}`,
    tool,
    extension: 'x',
    revision: 1,
    snapshot_version: 1,
    source: 'api',
    actor: null,
    arguments: {},
    redacted: [],
    status,
    result: null,
    error: null,
    logs: [],
    logs_truncated: false,
    progress: null,
    started_at: startedAt,
    finished_at: null,
    duration_ms: duration,
    replay_of: null,
  };
}

const calls = [
  call('a', 'succeeded', 10),
  call('a', 'failed', 20),
  call('b', 'timed_out', 900),
  call('b', 'cancelled', 5),
  call('c', 'running', null),
];

it('counts failed and timed-out calls as failed, cancelled ones not', () => {
  const figures = figuresOf(calls);
  expect({ calls: figures.calls, failed: figures.failed, running: figures.running }).toEqual({ calls: 5, failed: 2, running: 1 });
});

it('names the failing and the slow tools, the worst first', () => {
  const figures = figuresOf(calls);
  expect(mostFailing(figures, 5).map(({ tool }) => tool)).toEqual(['a', 'b']);
  expect(slowest(figures, 1).map(({ tool, p95 }) => [tool, p95])).toEqual([['b', 900]]);
});

it('has no percentile of nothing', () => {
  expect(percentile([], 0.5)).toBeNull();
  expect(percentile([3, 1, 2], 0.5)).toBe(2);
  expect(percentile([1, 2, 3, 4], 0.95)).toBe(4);
});

it('counts the last hour and the one before apart', () => {
  const now = Date.parse('2026-11-21T12:59:00Z');
  const some = [
    call('a', 'succeeded', 1),
    call('b', 'succeeded', 1, '2026-11-21T11:58:00Z'),
    call('c', 'succeeded', 1, '2026-11-21T10:58:00Z'),
  ];
  expect(countByHour(some, now)).toEqual({ last: 1, before: 1 });
});
