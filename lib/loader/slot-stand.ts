import type { Slot } from './extension-slot.ts';
import type { LoaderState } from './loader-state.ts';
import { drain } from './loader-state.ts';

/**
 * What a change between two commits may alter of a slot. Calls are sent where the snapshot points until the next one is published,
 * so a process that was replaced lives until then; and when storage refuses, the slot is as it was, with the process that serves.
 */
export type SlotStand = Pick<
  Slot,
  'disabled' | 'pinnedRevision' | 'serving' | 'owned' | 'newest' | 'breakdown' | 'loadedAt' | 'rolledBack'
>;

export function standOf(slot: Slot): SlotStand {
  const { disabled, pinnedRevision, serving, owned, newest, breakdown, loadedAt, rolledBack } = slot;
  return { disabled, pinnedRevision, serving, owned, newest, breakdown, loadedAt, rolledBack };
}

/** The end of a process takes a processor for some milliseconds, which the first call of what replaces it has better use for. */
const AFTER_THE_FIRST_CALL_MS = 60;

/** The snapshot no longer points at what served before. A channel is to be let go of before the next one has it. */
export function drainReplaced(state: LoaderState, slot: Slot, { serving }: SlotStand): void {
  if (serving === null || serving.running === slot.serving?.running) return;
  drain(state, serving.running, slot.serving === null || slot.kind === 'channel' ? 0 : AFTER_THE_FIRST_CALL_MS);
}

/** Nothing was published: what was to serve is ended, and what served goes on. */
export function putBack(state: LoaderState, slot: Slot, stand: SlotStand): void {
  const { serving } = slot;
  Object.assign(slot, stand);
  if (serving !== null && serving.running !== stand.serving?.running) drain(state, serving.running);
}
