import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import type { Incident } from '#lib/runtime/runtime.ts';
import type { Slot } from './extension-slot.ts';

/** Why and since when a change of the set is being made. */
export interface CommitContext {
  readonly cause: SnapshotCause;
  /** From `performance.now()`; when the work that leads to this commit began. */
  readonly beganAt: number;
  /** The first load goes on: what is there may be used, but it is not yet a version. */
  readonly isPartial: boolean;
  onIncident(slot: Slot, contentHash: string, incident: Incident): void;
}
