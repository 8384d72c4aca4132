import type { CommitContext } from './commit-context.ts';
import type { Slot } from './extension-slot.ts';
import { storeSlot } from './kept-revisions.ts';
import type { LoaderState } from './loader-state.ts';
import { publishSnapshot } from './publish-snapshot.ts';
import { drainReplaced, putBack, standOf } from './slot-stand.ts';

/**
 * Takes what is no longer in the folder out of the set; what its own file disables goes on standing there, by a stand-in. Runs between two commits. What goes wrong: it came back since the look
 * that missed it (it stays), storage that refuses (it throws, what was served goes on, and the next look withdraws it).
 */
export async function withdraw(
  state: LoaderState,
  vanished: readonly Slot[],
  context: Pick<CommitContext, 'cause' | 'beganAt' | 'isPartial'>,
  standIns: ReadonlyMap<string, Slot> = new Map(),
): Promise<readonly string[]> {
  const gone = vanished.filter((slot) => slot.vanishedAt !== null && state.slots.get(slot.id) === slot);
  const stands = gone.map((slot) => ({ slot, stand: standOf(slot) }));
  for (const slot of gone) {
    const standIn = standIns.get(slot.id);
    if (standIn === undefined) state.slots.delete(slot.id);
    else state.slots.set(slot.id, standIn);
    slot.generation += 1;
    slot.serving = null;
    slot.owned = null;
  }
  try {
    const changed = await publishSnapshot(state, context, (writes) => {
      for (const slot of gone) storeSlot(state, slot, writes);
    });
    for (const { slot, stand } of stands) drainReplaced(state, slot, stand);
    return changed;
  } catch (error) {
    for (const { slot, stand } of stands) {
      putBack(state, slot, stand);
      const now = state.slots.get(slot.id);
      if (now !== undefined && now !== standIns.get(slot.id)) drainReplaced(state, { ...slot, serving: null }, stand);
      else state.slots.set(slot.id, slot);
    }
    throw error;
  }
}
