import type { Candidate } from './build.ts';
import type { Slot } from './extension-slot.ts';
import type { LoaderState } from './loader-state.ts';
import { createLeftOutSlot } from './slot-creation.ts';

export interface LeftOut {
  /** What is shown in the place of slots that are to be withdrawn, by id. */
  readonly standIns: ReadonlyMap<string, Slot>;
  /** Whether something is listed that was not. */
  readonly hasMoved: boolean;
}

/** Gives those a slot whose own file says that they are disabled, so that they are shown. */
export function showLeftOut(state: LoaderState, candidates: readonly Candidate[]): LeftOut {
  const standIns = new Map<string, Slot>();
  let hasMoved = false;
  for (const candidate of candidates) {
    const known = state.slots.get(candidate.id);
    if (known?.isLeftOut === true) {
      known.folder = candidate.folder;
      known.entryFile = candidate.entryFile;
      continue;
    }
    const slot = createLeftOutSlot(candidate, state.options);
    if (known !== undefined) standIns.set(slot.id, slot);
    else {
      state.slots.set(slot.id, slot);
      hasMoved = true;
    }
  }
  return { standIns, hasMoved };
}
