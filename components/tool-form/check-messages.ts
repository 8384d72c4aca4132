import type { Issue } from './issues.ts';

/** The id of what a worker says first, unasked: its program is there, and what follows takes no longer than the check itself. */
export const READY = 0;

export interface CheckQuestion {
  readonly id: number;
  /** JSON text of the tool's schema. */
  readonly schema: string;
  readonly payload: unknown;
}

export interface CheckAnswer {
  readonly id: number;
  /** Null when the schema cannot be used here; the server checks in any case. */
  readonly issues: readonly Issue[] | null;
}
