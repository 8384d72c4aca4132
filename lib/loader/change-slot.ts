import type { Result } from '#lib/contract/result.ts';
import type { SetWrites } from '#lib/store/store.ts';
import type { CommitContext } from './commit-context.ts';
import { storeSlot } from './stored-revisions.ts';
import type { LoaderState } from './loader-state.ts';
import { publishSnapshot } from './publish-snapshot.ts';
import { drainReplaced, restoreSlot, slotStateOf } from './slot-state.ts';

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
      if (slot !== undefined) await storeSlot(slot, writes);
    };
    if (result.ok) await publishSnapshot(state, context, store, onCommitted);
  } catch (error) {
    if (slot !== undefined && stand !== null) restoreSlot(state, slot, stand);
    throw error;
  }
  if (slot !== undefined && stand !== null) drainReplaced(state, slot, stand);
  return result;
}
