import { readDescription } from './build-record.ts';
import type { Slot } from './extension-slot.ts';
import type { ExtensionRow } from '#lib/store/store.ts';
import type { LoaderOptions } from './loader-state.ts';

/** A slot as the last run of the host left it: what people set, and which names were owned, so that a restart changes no owner. */
export function createSlot(id: string, options: Pick<LoaderOptions, 'store' | 'excludedExtensions'>): Slot {
  const row = options.store.extensions.get(id);
  const served = row?.servingRevision == null ? null : options.store.revisions.get(id, row.servingRevision);
  const description = readDescription(served?.description ?? null);
  return {
    id,
    kind: 'tools',
    runtime: 'node',
    path: id,
    candidate: null,
    isExcluded: options.excludedExtensions.has(id.toLowerCase()),
    disabled: row?.disabled ?? false,
    pinnedRevision: row?.pinnedRevision ?? null,
    serving: null,
    owned: served !== null && description !== null ? { revision: served.revision, contentHash: served.contentHash, description } : null,
    newest: null,
    breakdown: null,
    generation: 0,
    isUnstored: false,
    loading: null,
    loadedAt: row?.loadedAt ?? null,
    vanishedAt: null,
    chosen: row === null ? null : chosenRevision(row),
  };
}

function chosenRevision(row: ExtensionRow): Slot['chosen'] {
  if (row.pinnedRevision !== null) return { revision: row.pinnedRevision, instead: null };
  if (row.servingRevision === null || row.revision === null || row.servingRevision === row.revision) return null;
  return { revision: row.servingRevision, instead: row.revision };
}
