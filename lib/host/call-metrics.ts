import { CALL_SOURCES, CALL_STATUSES } from '#lib/contract/call.ts';
import type { CallSource, CallStatus } from '#lib/contract/call.ts';
import type { RefusedCall } from '#lib/calls/call-outcomes.ts';
import type { MetricFamily, MetricSample } from '#lib/contract/metrics.ts';

/**
 * Counts calls since the start, by tool, status and source, and how long they took. On the path of each call, so one look-up
 * and a few additions. What can go wrong:
 * - tools that come and go under ever new names would fill the memory here and in whatever stores the series, so names beyond
 *   the first thousand are counted together;
 * - who asks how much a series grew never learns of the call that it began with, so it begins at 0: with each source by which
 *   calls come, for every tool that there is, unless these are very many.
 */
export interface CallMetrics {
  ended(call: EndedCall): void;
  refused(reason: RefusedCall): void;
  /** @param known names of the tools that there are */
  families(known?: readonly string[]): readonly MetricFamily[];
}

export interface EndedCall {
  readonly tool: string;
  readonly status: CallStatus;
  readonly source: CallSource;
  readonly durationMs: number;
}

interface ToolCounts {
  readonly byKind: Float64Array;
  readonly buckets: Float64Array;
  seconds: number;
}

export const MOST_TOOL_NAMES = 1_000;
export const OTHER_TOOLS = '(other)';
/** Tools that there may be for those that nobody called to be shown. */
export const MOST_UNCALLED = 200;
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createCallMetrics(mostNames: number = MOST_TOOL_NAMES): CallMetrics {
  const tools = new Map<string, ToolCounts>();
  const sources = new Set<CallSource>();
  const refusals: Record<RefusedCall, number> = { too_many_calls: 0, storage: 0 };

  function countsOf(tool: string): ToolCounts {
    const name = tools.has(tool) || tools.size < mostNames ? tool : OTHER_TOOLS;
    const known = tools.get(name);
    if (known !== undefined) return known;
    const fresh = emptyCounts();
    tools.set(name, fresh);
    return fresh;
  }

  function withUncalled(known: readonly string[]): Map<string, ToolCounts> {
    const uncalled = known.length > MOST_UNCALLED ? [] : known.filter((name) => !tools.has(name));
    return new Map([...tools, ...uncalled.map((name) => [name, emptyCounts()] as const)]);
  }

  return {
    ended({ tool, status, source, durationMs }) {
      const counts = countsOf(tool);
      if (!sources.has(source)) sources.add(source);
      const kind = CALL_SOURCES.indexOf(source) * CALL_STATUSES.length + CALL_STATUSES.indexOf(status);
      counts.byKind[kind] = (counts.byKind[kind] ?? 0) + 1;
      const seconds = durationMs / 1_000;
      const found = BUCKETS.findIndex((most) => seconds <= most);
      const bucket = found === -1 ? BUCKETS.length : found;
      counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
      counts.seconds += seconds;
    },
    refused(reason) {
      refusals[reason] += 1;
    },
    families: (known = []) => [
      {
        name: 'switchboard_calls_total',
        help: 'Calls that have ended since the start.',
        type: 'counter',
        samples: [...withUncalled(known)].flatMap(([tool, counts]) =>
          KINDS.flatMap(({ status, source }, at) => {
            const value = counts.byKind[at] ?? 0;
            return value === 0 && (!sources.has(source) || status === 'running') ? [] : [{ labels: { tool, status, source }, value }];
          }),
        ),
      },
      {
        name: 'switchboard_calls_refused_total',
        help: 'Calls since the start that were not taken, and so are not on record, by reason.',
        type: 'counter',
        samples: Object.entries(refusals).map(([reason, value]) => ({ labels: { reason }, value })),
      },
      {
        name: 'switchboard_call_duration_seconds',
        help: 'From the taking of a call to its end, waiting for its turn included.',
        type: 'histogram',
        samples: [...tools].flatMap(([tool, counts]) => histogram(tool, counts)),
      },
    ],
  };
}

function emptyCounts(): ToolCounts {
  return { byKind: new Float64Array(KINDS.length), buckets: new Float64Array(BUCKETS.length + 1), seconds: 0 };
}

const KINDS = CALL_SOURCES.flatMap((source) => CALL_STATUSES.map((status) => ({ source, status })));

function histogram(tool: string, counts: ToolCounts): MetricSample[] {
  let below = 0;
  const buckets = [...BUCKETS.map(String), '+Inf'].map((le, at): MetricSample => {
    below += counts.buckets[at] ?? 0;
    return { part: '_bucket', labels: { tool, le }, value: below };
  });
  return [...buckets, { part: '_sum', labels: { tool }, value: counts.seconds }, { part: '_count', labels: { tool }, value: below }];
}
