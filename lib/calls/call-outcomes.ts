import type { CallSource, CallStatus } from '#lib/contract/call.ts';

/** Why a call was rejected. */
export type RefusedCall = 'too_many_calls' | 'storage';

/** A call whose end is on record. */
export interface EndedCall {
  readonly id: string;
  readonly tool: string;
  readonly extension: string;
  readonly revision: number | null;
  readonly source: CallSource;
  readonly status: CallStatus;
  readonly errorKind: string | null;
  readonly durationMs: number;
  /** Of its span; null without one. */
  readonly traceId: string | null;
}
