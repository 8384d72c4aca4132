import type { CommitContext } from './commit-context.ts';
import type { Slot } from './extension-slot.ts';
import { storeSlot } from './stored-revisions.ts';
import type { LoaderState } from './loader-state.ts';
import { publishSnapshot } from './publish-snapshot.ts';
import { drainReplaced, restoreSlot, slotStateOf } from './slot-state.ts';

/**
 * Removes extensions from the set that are no longer in the folder; those disabled by their own file get a placeholder.
 * Runs between two commits. What can go wrong: it returned since the scan that missed it (it stays); storage refuses
 * (it throws, the old set continues to serve, and the next scan withdraws it).
 */
export async function withdraw(
  state: LoaderState,
  vanished: readonly Slot[],
  context: Pick<CommitContext, 'cause' | 'beganAt' | 'isPartial'>,
  standIns: ReadonlyMap<string, Slot> = new Map(),
): Promise<readonly string[]> {
  const gone = vanished.filter((slot) => slot.vanishedAt !== null && state.slots.get(slot.id) === slot);
  const stands = gone.map((slot) => ({ slot, stand: slotStateOf(slot) }));
  for (const slot of gone) {
    const standIn = standIns.get(slot.id);
    if (standIn === undefined) state.slots.delete(slot.id);
    else state.slots.set(slot.id, standIn);
    slot.generation += 1;
    slot.serving = null;
    slot.owned = null;
  }
  try {
    const changed = await publishSnapshot(state, context, async (writes) => {
      for (const slot of gone) await storeSlot(slot, writes);
    });
    for (const { slot, stand } of stands) drainReplaced(state, slot, stand);
    return changed;
  } catch (error) {
    for (const { slot, stand } of stands) {
      restoreSlot(state, slot, stand);
      const now = state.slots.get(slot.id);
      if (now !== undefined && now !== standIns.get(slot.id)) drainReplaced(state, { ...slot, serving: null }, stand);
      else state.slots.set(slot.id, slot);
    }
    throw error;
  }
}
