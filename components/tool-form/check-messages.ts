import type { Issue } from './issues.ts';

/** The first message of a worker: its program is loaded, so the timeout of a check can start. */
export const READY = 0;

export interface CheckQuestion {
  readonly id: number;
  readonly schema: string;
  readonly payload: unknown;
}

export interface CheckAnswer {
  readonly id: number;
  /** Null if the schema cannot be used here; the server validates in any case. */
  readonly issues: readonly Issue[] | null;
}
