import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import { CALL_SOURCES, CALL_STATUSES } from '#lib/contract/call.ts';
import type { CallSource, CallStatus } from '#lib/contract/call.ts';
import type { RefusedCall } from '#lib/calls/call-outcomes.ts';

/**
 * Counts calls since the start, by tool, status and source, and how long they took. What can go wrong:
 * - tools that come and go under new names would fill the memory here and in Prometheus, so names beyond the first thousand
 *   are counted together;
 * - `increase()` misses the call that a series begins with, so every series of a tool begins at 0: with each source by which
 *   calls came, for every tool, unless there are very many.
 */
export interface CallMetrics {
  ended(call: EndedCall): void;
  refused(reason: RefusedCall): void;
}

export interface EndedCall {
  readonly tool: string;
  readonly status: CallStatus;
  readonly source: CallSource;
  readonly durationMs: number;
}

export interface CallMetricsOptions {
  readonly registry: Registry;
  /** Names of the present tools. */
  tools(): readonly string[];
  readonly mostNames?: number;
}

export const MOST_TOOL_NAMES = 1_000;
export const OTHER_TOOLS = '(other)';
/** With more tools than this, those without a call are not shown. */
export const MOST_UNCALLED = 200;
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const ENDS = CALL_STATUSES.filter((status) => status !== 'running');
const REASONS: readonly RefusedCall[] = ['too_many_calls', 'storage'];

export function createCallMetrics({ registry, tools, mostNames = MOST_TOOL_NAMES }: CallMetricsOptions): CallMetrics {
  const registers = [registry];
  const called = new Set<string>();
  const sources = new Set<CallSource>();
  let uncalled: readonly string[] = [];

  const calls = new Counter({
    name: 'switchboard_calls_total',
    help: 'Calls that have ended since the start.',
    labelNames: ['tool', 'status', 'source'],
    registers,
    collect() {
      for (const labels of seriesOf(uncalled)) if (!called.has(labels.tool)) calls.remove(labels);
      const known = tools();
      uncalled = known.length > MOST_UNCALLED ? [] : known.filter((name) => !called.has(name));
      for (const labels of seriesOf([...called, ...uncalled])) calls.inc(labels, 0);
    },
  });
  const refusals = new Counter({
    name: 'switchboard_calls_refused_total',
    help: 'Calls since the start that were not taken, and so are not on record, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const durations = new Histogram({
    name: 'switchboard_call_duration_seconds',
    help: 'From the taking of a call to its end, waiting for its turn included.',
    labelNames: ['tool'],
    buckets: BUCKETS,
    registers,
  });
  for (const reason of REASONS) refusals.inc({ reason }, 0);

  function seriesOf(names: readonly string[]): { tool: string; status: CallStatus; source: CallSource }[] {
    const kinds = CALL_SOURCES.filter((source) => sources.has(source)).flatMap((source) => ENDS.map((status) => ({ status, source })));
    return names.flatMap((tool) => kinds.map((kind) => ({ tool, ...kind })));
  }

  return {
    ended({ tool: name, status, source, durationMs }) {
      const tool = called.has(name) || called.size < mostNames ? name : OTHER_TOOLS;
      called.add(tool);
      sources.add(source);
      calls.inc({ tool, status, source });
      durations.observe({ tool }, durationMs / 1_000);
    },
    refused: (reason) => refusals.inc({ reason }),
  };
}
