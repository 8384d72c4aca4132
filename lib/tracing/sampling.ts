import type { TraceContext } from './trace-context.ts';

/** Which traces are collected. `follows`: whoever began the trace has decided; `share` counts for those that begin here. */
export interface Sampling {
  readonly follows: boolean;
  /** 0 to 1. */
  readonly share: number;
}

const MOST = 2 ** 32;

/** By the id of the trace, so that all who see a trace decide alike. */
export function isSampled(sampling: Sampling, traceId: string, parent: TraceContext | null): boolean {
  if (parent !== null && (sampling.follows || !parent.isRemote)) return parent.isSampled;
  if (sampling.share >= 1) return true;
  return Number.parseInt(traceId.slice(-8), 16) < sampling.share * MOST;
}
