import { readDescription } from './build-record.ts';
import type { Candidate } from './build.ts';
import { NOTHING_LOADED } from './loaded-files.ts';
import type { Slot, Tried } from './extension-slot.ts';
import type { RevisionRow } from '#lib/store/store.ts';
import type { LoaderOptions } from './loader-state.ts';

/** The scan's result for one id, loadable or not. */
export type Located = Pick<Slot, 'id' | 'kind' | 'runtime' | 'folder' | 'entryFile'>;

/** A slot as the last run of the host left it: user settings and owned names, so that a restart changes no owner. */
export function createSlot(
  { id, kind, runtime, folder, entryFile }: Located,
  options: Pick<LoaderOptions, 'store' | 'excludedExtensions'>,
): Slot {
  const row = options.store.extensions.get(id);
  const served = row?.servingRevision == null ? null : options.store.revisions.get(id, row.servingRevision);
  const newest = row?.revision == null ? null : options.store.revisions.get(id, row.revision);
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
    serving: null,
    owned: served !== null && description !== null ? { revision: served.revision, contentHash: served.contentHash, description } : null,
    newest: row?.disabled === true && newest !== null ? triedBefore(newest) : null,
    breakdown: null,
    generation: 0,
    isUnstored: false,
    loading: null,
    realEntry: null,
    loadedAt: row?.loadedAt ?? null,
    vanishedAt: null,
    rolledBack: row?.rolledBackFrom == null || row.servingRevision === null ? null : { to: row.servingRevision, from: row.rolledBackFrom },
  };
}

/** Its names are free, as if it did not exist. */
export function createLeftOutSlot(candidate: Candidate, options: Pick<LoaderOptions, 'store' | 'excludedExtensions'>): Slot {
  return { ...createSlot(candidate, options), isLeftOut: true, owned: null, newest: null, loadedAt: null };
}

/** A disabled extension is not tried at a start; its last attempt stays visible. */
function triedBefore({ revision, contentHash }: RevisionRow): Tried {
  return { revision, contentHash, failure: null, scanFailure: null, awaitsOwner: null, inputs: [], missing: [], loaded: NOTHING_LOADED };
}
