import { describe, expect, it } from 'vitest';
import type { MetricFamily } from '#lib/contract/metrics.ts';
import { createCallMetrics, MOST_UNCALLED, OTHER_TOOLS } from './call-metrics.ts';

const call = { tool: 'a', status: 'succeeded', source: 'api', durationMs: 7 } as const;
const samplesOf = (families: readonly MetricFamily[], name: string) => families.find((family) => family.name === name)?.samples ?? [];

describe('the counts of calls', () => {
  it('are by tool, status and source, and begin at 0 for each source by which calls come', () => {
    const metrics = createCallMetrics();
    metrics.ended(call);
    metrics.ended(call);
    metrics.ended({ ...call, status: 'failed', source: 'mcp' });
    const counted = samplesOf(metrics.families(['a', 'b']), 'switchboard_calls_total');
    expect(counted.filter(({ value }) => value > 0)).toEqual([
      { labels: { tool: 'a', status: 'succeeded', source: 'api' }, value: 2 },
      { labels: { tool: 'a', status: 'failed', source: 'mcp' }, value: 1 },
    ]);
    const ends = ['succeeded', 'failed', 'timed_out', 'cancelled'];
    expect(counted.map(({ labels }) => [labels['tool'], labels['source'], labels['status']])).toEqual(
      ['a', 'b'].flatMap((tool) => ['api', 'mcp'].flatMap((source) => ends.map((status) => [tool, source, status]))),
    );
    const many = Array.from({ length: MOST_UNCALLED + 1 }, (_, at) => `t${at}`);
    expect(samplesOf(metrics.families(many), 'switchboard_calls_total')).toHaveLength(8);
  });

  it('tell of calls that were not taken', () => {
    const metrics = createCallMetrics();
    metrics.refused('too_many_calls');
    expect(samplesOf(metrics.families(), 'switchboard_calls_refused_total')).toEqual([
      { labels: { reason: 'too_many_calls' }, value: 1 },
      { labels: { reason: 'storage' }, value: 0 },
    ]);
  });

  it('have durations in buckets that include the smaller ones', () => {
    const metrics = createCallMetrics();
    for (const durationMs of [1, 5, 7, 400, 90_000]) metrics.ended({ ...call, durationMs });
    const samples = samplesOf(metrics.families(), 'switchboard_call_duration_seconds');
    const bucket = (le: string) => samples.find((sample) => sample.labels['le'] === le)?.value;
    expect([bucket('0.005'), bucket('0.01'), bucket('0.25'), bucket('0.5'), bucket('60'), bucket('+Inf')]).toEqual([2, 3, 3, 4, 4, 5]);
    expect(samples.find((sample) => sample.part === '_count')?.value).toBe(5);
    expect(samples.find((sample) => sample.part === '_sum')?.value).toBeCloseTo(90.413);
  });

  it('put tools beyond the most together', () => {
    const metrics = createCallMetrics(2);
    for (const tool of ['a', 'b', 'c', 'd', 'a']) metrics.ended({ ...call, tool });
    const counted = samplesOf(metrics.families(), 'switchboard_calls_total')
      .filter(({ value }) => value > 0)
      .map((sample) => [sample.labels['tool'], sample.value]);
    expect(counted).toEqual([
      ['a', 2],
      ['b', 1],
      [OTHER_TOOLS, 2],
    ]);
  });
});
