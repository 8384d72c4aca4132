import { readDescription } from './build-record.ts';
import type { Candidate } from './build.ts';
import { NOTHING_LOADED } from './loaded-files.ts';
import type { Slot, Tried } from './extension-slot.ts';
import type { RevisionRow } from '#lib/store/store.ts';
import type { LoaderOptions } from './loader-state.ts';

/** What a scan knows of one id, whether it can be loaded or not. */
export type Located = Pick<Slot, 'id' | 'kind' | 'runtime' | 'folder' | 'entryFile'>;

/** A slot as the last run of the host left it: what people set, and which names were owned, so that a restart changes no owner. */
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

/** Its names are free, as if it were not there. */
export function createLeftOutSlot(candidate: Candidate, options: Pick<LoaderOptions, 'store' | 'excludedExtensions'>): Slot {
  return { ...createSlot(candidate, options), isLeftOut: true, owned: null, newest: null, loadedAt: null };
}

/** What is disabled is not tried at a start; it goes on showing what was tried last. */
function triedBefore({ revision, contentHash }: RevisionRow): Tried {
  return { revision, contentHash, failure: null, scanFailure: null, awaitsOwner: null, inputs: [], missing: [], loaded: NOTHING_LOADED };
}
