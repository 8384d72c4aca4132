import type { Call } from '#lib/contract/call.ts';

export interface ToolFigures {
  readonly tool: string;
  readonly calls: number;
  /** Failed and timed out; cancelled calls are nobody's fault. */
  readonly failed: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface CallFigures extends Omit<ToolFigures, 'tool'> {
  readonly running: number;
  readonly tools: readonly ToolFigures[];
}

export function isBad(call: Call): boolean {
  return call.status === 'failed' || call.status === 'timed_out';
}

const HOUR_MS = 3_600_000;

/** How many of the newest-first calls began within the last hour, and within the one before. */
export function countByHour(calls: readonly Call[], now: number): { readonly last: number; readonly before: number } {
  const ages = calls.map((call) => now - Date.parse(call.started_at));
  const last = ages.filter((age) => age <= HOUR_MS).length;
  return { last, before: ages.filter((age) => age > HOUR_MS && age <= 2 * HOUR_MS).length };
}

/** Counts and percentiles of some calls, as a whole and by tool. */
export function figuresOf(calls: readonly Call[]): CallFigures {
  const byTool = Map.groupBy(calls, (call) => call.tool);
  return {
    ...sum(calls),
    running: calls.filter((call) => call.status === 'running').length,
    tools: [...byTool].map(([tool, its]) => ({ tool, ...sum(its) })),
  };
}

/** The tools that fail, most failures first. */
export function mostFailing(figures: CallFigures, most: number): readonly ToolFigures[] {
  return figures.tools
    .filter((tool) => tool.failed > 0)
    .toSorted((a, b) => b.failed - a.failed || a.tool.localeCompare(b.tool))
    .slice(0, most);
}

/** The tools whose slow calls are the slowest. */
export function slowest(figures: CallFigures, most: number): readonly ToolFigures[] {
  return figures.tools
    .filter((tool) => tool.p95 !== null)
    .toSorted((a, b) => (b.p95 ?? 0) - (a.p95 ?? 0))
    .slice(0, most);
}

/** The value below which the share of the sorted values lies (nearest rank); null for none. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

function sum(calls: readonly Call[]): Omit<ToolFigures, 'tool'> {
  const durations = calls.map((call) => call.duration_ms).filter((ms) => ms !== null);
  return { calls: calls.length, failed: calls.filter(isBad).length, p50: percentile(durations, 0.5), p95: percentile(durations, 0.95) };
}
