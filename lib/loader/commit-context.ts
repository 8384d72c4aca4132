import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import type { Incident } from '#lib/runtime/runtime.ts';
import type { Slot } from './extension-slot.ts';

/** Why the set changes, and since when. */
export interface CommitContext {
  readonly cause: SnapshotCause;
  /** From `performance.now()`; start of the work that leads to this commit. */
  readonly beganAt: number;
  /** The first load is still running: the set is usable, but not yet a version. */
  /** Extensions that this server loads because another one did. */
  readonly following?: ReadonlySet<string>;
  readonly isPartial: boolean;
  onIncident(slot: Slot, contentHash: string, incident: Incident): void;
}
