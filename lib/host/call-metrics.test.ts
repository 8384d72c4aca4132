import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createCallMetrics, MOST_UNCALLED, OTHER_TOOLS } from './host-metrics.ts';

const call = { tool: 'a', status: 'succeeded', source: 'api', durationMs: 7 } as const;

interface Sample {
  readonly labels: Partial<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

function metricsOf(tools: readonly string[] = [], mostNames?: number) {
  const registry = new Registry();
  let known = tools;
  const metrics = createCallMetrics({ registry, tools: () => known, ...(mostNames === undefined ? {} : { mostNames }) });
  return {
    ...metrics,
    know: (names: readonly string[]) => void (known = names),
    samplesOf: async (name: string): Promise<Sample[]> => (await registry.getSingleMetric(name)?.get())?.values ?? [],
  };
}

describe('the counts of calls', () => {
  it('are by tool, status and source, and start at 0 for each source', async () => {
    const metrics = metricsOf(['a', 'b']);
    metrics.ended(call);
    metrics.ended(call);
    metrics.ended({ ...call, status: 'failed', source: 'mcp' });
    const counted = await metrics.samplesOf('switchboard_calls_total');
    expect(counted.filter(({ value }) => value > 0)).toEqual([
      { labels: { tool: 'a', status: 'succeeded', source: 'api' }, value: 2 },
      { labels: { tool: 'a', status: 'failed', source: 'mcp' }, value: 1 },
    ]);
    const ends = ['succeeded', 'failed', 'timed_out', 'cancelled'];
    const textOf = (...parts: unknown[]): string => parts.join(' ');
    expect(counted.map(({ labels }) => textOf(labels['tool'], labels['source'], labels['status'])).toSorted()).toEqual(
      ['a', 'b'].flatMap((tool) => ['api', 'mcp'].flatMap((source) => ends.map((status) => textOf(tool, source, status)))).toSorted(),
    );
    metrics.know(['a', 'c']);
    expect(new Set((await metrics.samplesOf('switchboard_calls_total')).map(({ labels }) => labels['tool']))).toEqual(new Set(['a', 'c']));
    metrics.know(Array.from({ length: MOST_UNCALLED + 1 }, (_, at) => `t${at}`));
    expect(await metrics.samplesOf('switchboard_calls_total')).toHaveLength(8);
  });

  it('include rejected calls', async () => {
    const metrics = metricsOf();
    metrics.refused('too_many_calls');
    expect(await metrics.samplesOf('switchboard_calls_refused_total')).toEqual([
      { labels: { reason: 'too_many_calls' }, value: 1 },
      { labels: { reason: 'storage' }, value: 0 },
    ]);
  });

  it('have durations in buckets that include the smaller ones', async () => {
    const metrics = metricsOf();
    for (const durationMs of [1, 5, 7, 400, 90_000]) metrics.ended({ ...call, durationMs });
    const samples = await metrics.samplesOf('switchboard_call_duration_seconds');
    const bucket = (le: number | string) => samples.find((sample) => sample.labels['le'] === le)?.value;
    expect([bucket(0.005), bucket(0.01), bucket(0.25), bucket(0.5), bucket(60), bucket('+Inf')]).toEqual([2, 3, 3, 4, 4, 5]);
    const value = (part: string) => samples.find((sample) => sample.metricName?.endsWith(part))?.value;
    expect([value('_count'), value('_sum')]).toEqual([5, expect.closeTo(90.413)]);
  });

  it('combine tools above the limit', async () => {
    const metrics = metricsOf([], 2);
    for (const tool of ['a', 'b', 'c', 'd', 'a']) metrics.ended({ ...call, tool });
    const counted = (await metrics.samplesOf('switchboard_calls_total'))
      .filter(({ value }) => value > 0)
      .map((sample) => [sample.labels['tool'], sample.value]);
    expect(counted).toEqual([
      ['a', 2],
      ['b', 1],
      [OTHER_TOOLS, 2],
    ]);
  });
});
