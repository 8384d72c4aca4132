import { LIMITS } from '#lib/contract/limits.ts';

const SPREAD = 0.1;

/**
 * How long to wait after so many failures in a row, in milliseconds: 1 s, doubling to 60 s. A tenth at most is added, so that
 * channels that failed together do not come back together; never less than the figure, never more than 60 s.
 */
export function backoffMs(failures: number, random: () => number): number {
  const doubled = LIMITS.channelBackoffMs * 2 ** Math.min(failures - 1, 10);
  return Math.round(Math.min(doubled * (1 + SPREAD * random()), LIMITS.channelBackoffMostMs));
}
