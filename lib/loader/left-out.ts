import type { Candidate } from './build.ts';
import type { Slot } from './extension-slot.ts';
import type { LoaderState } from './loader-state.ts';
import { createLeftOutSlot } from './slot-creation.ts';
import type { StoredSlot } from './slot-creation.ts';

export interface LeftOut {
  /** Entries shown in place of slots to be withdrawn, by id. */
  readonly standIns: ReadonlyMap<string, Slot>;
  /** Whether a new entry is listed. */
  readonly hasMoved: boolean;
}

/** Creates slots for extensions disabled by their own file, so that they are shown. */
export function showLeftOut(state: LoaderState, candidates: readonly Candidate[], storedOf: (id: string) => StoredSlot): LeftOut {
  const standIns = new Map<string, Slot>();
  let hasMoved = false;
  for (const candidate of candidates) {
    const known = state.slots.get(candidate.id);
    if (known?.isLeftOut === true) {
      known.folder = candidate.folder;
      known.entryFile = candidate.entryFile;
      continue;
    }
    const slot = createLeftOutSlot(candidate, storedOf(candidate.id), state.options);
    if (known !== undefined) standIns.set(slot.id, slot);
    else {
      state.slots.set(slot.id, slot);
      hasMoved = true;
    }
  }
  return { standIns, hasMoved };
}
