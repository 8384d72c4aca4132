import type { Slot } from './extension-slot.ts';
import type { LoaderState } from './loader-state.ts';
import { drain } from './loader-state.ts';

/**
 * The saved state of a slot, for undoing a change between two commits. Calls go where the snapshot points until the
 * next one is published, so a replaced process lives until then; when storage refuses, the slot is restored with its
 * serving process.
 */
export type SlotState = Pick<
  Slot,
  'disabled' | 'pinnedRevision' | 'keepAlive' | 'serving' | 'owned' | 'newest' | 'breakdown' | 'loadedAt' | 'rolledBack'
>;

export function slotStateOf(slot: Slot): SlotState {
  const { disabled, pinnedRevision, keepAlive, serving, owned, newest, breakdown, loadedAt, rolledBack } = slot;
  return { disabled, pinnedRevision, keepAlive, serving, owned, newest, breakdown, loadedAt, rolledBack };
}

/** Ending a process takes some milliseconds of processor time, which the first call of the new revision needs more. */
const AFTER_THE_FIRST_CALL_MS = 60;

/** The snapshot no longer points at the old revision. A channel must be released before the next one gets it. */
export function drainReplaced(state: LoaderState, slot: Slot, { serving }: SlotState): void {
  if (serving === null || serving.running === slot.serving?.running) return;
  drain(state, serving.running, slot.serving === null || slot.kind === 'channel' ? 0 : AFTER_THE_FIRST_CALL_MS);
}

/** Nothing was published: the new process ends, and the old one continues to serve. */
export function restoreSlot(state: LoaderState, slot: Slot, stand: SlotState): void {
  const { serving } = slot;
  Object.assign(slot, stand);
  if (serving !== null && serving.running !== stand.serving?.running) drain(state, serving.running);
}
