import type { Result } from '#lib/contract/result.ts';
import type { SetWrites } from '#lib/store/store.ts';
import type { CommitContext } from './commit-context.ts';
import { storeSlot } from './kept-revisions.ts';
import type { LoaderState } from './loader-state.ts';
import { publishSnapshot } from './publish-snapshot.ts';
import { drainReplaced, putBack, standOf } from './slot-stand.ts';

/**
 * Work of people on one slot, and the snapshot that says what came of it. Runs between two commits. What goes wrong: storage that
 * refuses (it throws, and everything is as it was).
 * @param onCommitted before anybody is told of it
 */
export async function changeSlot<Value>(
  state: LoaderState,
  id: string | null,
  context: CommitContext,
  work: (context: CommitContext) => Promise<Result<Value>>,
  onCommitted?: () => void,
): Promise<Result<Value>> {
  const slot = id === null ? undefined : state.slots.get(id);
  const stand = slot === undefined ? null : standOf(slot);
  let result: Result<Value>;
  try {
    result = await work(context);
    const store = (writes: SetWrites): void => {
      if (slot !== undefined) storeSlot(state, slot, writes);
    };
    if (result.ok) await publishSnapshot(state, context, store, onCommitted);
  } catch (error) {
    if (slot !== undefined && stand !== null) putBack(state, slot, stand);
    throw error;
  }
  if (slot !== undefined && stand !== null) drainReplaced(state, slot, stand);
  return result;
}
