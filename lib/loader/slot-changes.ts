import type { Result } from '#lib/contract/result.ts';
import type { SetWrites } from '#lib/store/store.ts';
import type { Slot } from './extension-slot.ts';
import { type CommitContext, drain, type LoaderState } from './loader-state.ts';
import { storeSlot } from './stored-revisions.ts';
import { publishSnapshot } from './publish-snapshot.ts';

/**
 * The saved state of a slot, for undoing a change between two commits. Calls follow the current snapshot until the
 * next one is published, so a replaced process runs until then; when storage refuses, the slot is restored with its
 * serving process.
 */
type SlotState = Pick<
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
function restoreSlot(state: LoaderState, slot: Slot, stand: SlotState): void {
  const { serving } = slot;
  Object.assign(slot, stand);
  if (serving !== null && serving.running !== stand.serving?.running) drain(state, serving.running);
}

/**
 * A user's change of one slot, followed by the snapshot that shows it. Runs between two commits. What can go wrong:
 * storage refuses; it throws and nothing has changed.
 * @param onCommitted called before subscribers are notified
 */
export async function changeSlot<Value>(
  state: LoaderState,
  id: string | null,
  context: CommitContext,
  work: (context: CommitContext) => Promise<Result<Value>>,
  onCommitted?: () => void,
): Promise<Result<Value>> {
  const slot = id === null ? undefined : state.slots.get(id);
  const stand = slot === undefined ? null : slotStateOf(slot);
  let result: Result<Value>;
  try {
    result = await work(context);
    const store = async (writes: SetWrites): Promise<void> => {
      if (slot !== undefined) await storeSlot(slot, writes, stand ?? slot);
    };
    if (result.ok) await publishSnapshot(state, null, context, store, onCommitted);
  } catch (error) {
    if (slot !== undefined && stand !== null) restoreSlot(state, slot, stand);
    throw error;
  }
  if (slot !== undefined && stand !== null) drainReplaced(state, slot, stand);
  return result;
}

/**
 * Removes extensions that are no longer in the folder from the snapshot; those disabled by their own file get a placeholder.
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
    const changed = await publishSnapshot(state, null, context, async (writes) => {
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
