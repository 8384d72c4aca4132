/**
 * Calls counted by classes of duration, each 10 % longer than the one before; a percentile is the middle of its class.
 */
export interface DurationCounts {
  add(group: { readonly class: number | null; readonly calls: number; readonly failed: number }): void;
  counts(): { readonly calls: number; readonly failed: number; readonly p50_ms: number | null; readonly p95_ms: number | null };
}

/** The class of a duration is `floor(ln(microseconds) × this)`. */
export const DURATION_CLASSES_PER_E = 1 / Math.log(1.1);

export function createDurationCounts(): DurationCounts {
  let calls = 0;
  let failed = 0;
  let timed = 0;
  const classes = new Map<number, number>();

  function percentile(share: number): number | null {
    let left = Math.ceil(timed * share);
    for (const [each, count] of [...classes].toSorted(([a], [b]) => a - b)) {
      left -= count;
      if (left <= 0) return round(Math.exp((each + 0.5) / DURATION_CLASSES_PER_E) / 1_000);
    }
    return null;
  }

  return {
    add(group) {
      calls += group.calls;
      failed += group.failed;
      if (group.class === null) return;
      timed += group.calls;
      classes.set(group.class, (classes.get(group.class) ?? 0) + group.calls);
    },
    counts: () => ({ calls, failed, p50_ms: percentile(0.5), p95_ms: percentile(0.95) }),
  };
}

/** Three significant figures; more would be false precision. */
function round(ms: number): number {
  return Number(ms.toPrecision(3));
}
