import { readBuildRecord, readDescription } from './build-record.ts';
import type { Candidate } from './build.ts';
import { NOTHING_LOADED } from './loaded-files.ts';
import type { Slot, Tried } from './extension-slot.ts';
import type { ExtensionRow, RevisionRow, Store } from '#lib/store/store.ts';
import type { LoaderOptions, LoaderState } from './loader-state.ts';

/** The scan's result for one id, loadable or not. */
export type Located = Pick<Slot, 'id' | 'kind' | 'runtime' | 'folder' | 'entryFile'>;

/** The stored state of an extension from the last run of the host. */
export interface StoredSlot {
  readonly row: ExtensionRow | null;
  readonly served: RevisionRow | null;
  readonly newest: RevisionRow | null;
}

export async function readStoredSlot(store: Pick<Store, 'extensions' | 'revisions'>, id: string): Promise<StoredSlot> {
  const row = await store.extensions.get(id);
  if (row === null) return { row, served: null, newest: null };
  const revision = async (number: number | null): Promise<RevisionRow | null> => (number === null ? null : store.revisions.get(id, number));
  const newest = await revision(row.revision);
  return { row, served: row.servingRevision === row.revision ? newest : await revision(row.servingRevision), newest };
}

/** A slot as the last run of the host left it: user settings and owned names, so that a restart changes no owner. */
export function createSlot(
  { id, kind, runtime, folder, entryFile }: Located,
  { row, served, newest }: StoredSlot,
  options: Pick<LoaderOptions, 'excludedExtensions'>,
): Slot {
  const description = readDescription(served?.description ?? null);
  return {
    id,
    kind,
    runtime,
    folder,
    entryFile,
    candidate: null,
    isExcluded: options.excludedExtensions.has(id.toLowerCase()),
    isLeftOut: false,
    disabled: row?.disabled ?? false,
    pinnedRevision: row?.pinnedRevision ?? null,
    keepAlive: row?.keepAlive ?? null,
    serving: null,
    owned: served !== null && description !== null ? { revision: served.revision, contentHash: served.contentHash, description } : null,
    newest: row?.disabled === true && newest !== null ? triedBefore(newest) : null,
    breakdown: null,
    generation: 0,
    isUnstored: false,
    isOutdated: false,
    secrets: readBuildRecord(newest?.build ?? null)?.secrets ?? [],
    loading: null,
    realEntry: null,
    loadedAt: row?.loadedAt ?? null,
    vanishedAt: null,
    rolledBack: row?.rolledBackFrom == null || row.servingRevision === null ? null : { to: row.servingRevision, from: row.rolledBackFrom },
  };
}

/** Its names are released, as if it did not exist. */
function createLeftOutSlot(candidate: Candidate, stored: StoredSlot, options: Pick<LoaderOptions, 'excludedExtensions'>): Slot {
  return { ...createSlot(candidate, stored, options), isLeftOut: true, owned: null, newest: null, loadedAt: null };
}

/** A disabled extension is not tried at a start; its last attempt stays visible. */
function triedBefore({ revision, contentHash }: RevisionRow): Tried {
  return { revision, contentHash, failure: null, scanFailure: null, awaitsOwner: null, inputs: [], missing: [], loaded: NOTHING_LOADED };
}

interface LeftOut {
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
      if (known.folder !== candidate.folder || known.entryFile !== candidate.entryFile) state.unpublished.add(known);
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
