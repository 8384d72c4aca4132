import { LIMITS } from '#lib/contract/limits.ts';

const SPREAD = 0.1;

/**
 * Delay after consecutive failures in milliseconds: 1 s, doubling up to 60 s, plus up to a tenth as jitter, so that channels
 * that failed together do not reconnect together.
 */
export function backoffMs(failures: number, random: () => number): number {
  const doubled = LIMITS.channelBackoffMs * 2 ** Math.min(failures - 1, 10);
  return Math.round(Math.min(doubled * (1 + SPREAD * random()), LIMITS.channelBackoffMostMs));
}
