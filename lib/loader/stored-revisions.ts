import { isDeepStrictEqual } from 'node:util';
import type { ExtensionRow, SetWrites } from '#lib/store/store.ts';
import { type CommitContext, type LoaderState, runtimeFor } from './loader-state.ts';
import type { Served, Slot } from './extension-slot.ts';
import { reviveRevision } from './load-candidate.ts';

/**
 * When nothing serves, after a restart or when an extension is enabled: the pinned or rolled-back revision continues to
 * serve, as long as the source that was rolled back is still there.
 * @param newest null: source that was never tried
 */
export async function reviveChosen(state: LoaderState, slot: Slot, newest: number | null, context: CommitContext): Promise<Served | null> {
  const { pinnedRevision, rolledBack } = slot;
  const chosen = pinnedRevision ?? (rolledBack?.from === newest ? rolledBack.to : null);
  if (chosen === null || chosen === newest || slot.serving !== null || slot.disabled) return null;
  return reviveStored(state, slot, chosen, context);
}

/** A stored revision, ready to start at its first call; null when it is no longer stored or never loaded. */
export async function reviveStored(
  state: LoaderState,
  slot: Slot,
  revision: number,
  context: Pick<CommitContext, 'onIncident'>,
): Promise<Served | null> {
  if (slot.candidate === null) return null;
  const runtime = runtimeFor(state, slot.candidate);
  const row = await state.options.store.revisions.get(slot.id, revision);
  if (row === null) return null;
  const revived = await reviveRevision(state.options, runtime, slot.candidate, row, (incident) =>
    context.onIncident(slot, row.contentHash, incident),
  );
  return revived === null ? null : { revision: row.revision, contentHash: row.contentHash, ...revived };
}

/** The settings of an extension that people choose. */
export type SlotSettings = Pick<Slot, 'disabled' | 'pinnedRevision' | 'keepAlive'>;

/**
 * Stores user settings and the serving revision for the next start. A change of the time alone is not written. Another server may
 * have stored settings that this one does not know yet: only those changed here are written. The same applies to a rollback of the
 * newest source.
 * @param before the settings before a person changed them; by default, nobody changed them
 */
export async function storeSlot(slot: Slot, writes: SetWrites, before: SlotSettings = slot): Promise<void> {
  const kept = await writes.extensions.get(slot.id);
  const setting = <Name extends keyof SlotSettings>(name: Name): SlotSettings[Name] =>
    kept === null || slot[name] !== before[name] ? slot[name] : kept[name];
  const revision = slot.newest?.revision ?? null;
  const isRolledBackElsewhere = before === slot && slot.rolledBack === null && kept?.revision === revision && kept.rolledBackFrom !== null;
  const servingRevision = isRolledBackElsewhere ? kept.servingRevision : (slot.serving?.revision ?? slot.owned?.revision ?? null);
  const rolledBackFrom = slot.rolledBack !== null && slot.rolledBack.to === servingRevision ? slot.rolledBack.from : null;
  const row: ExtensionRow = {
    extension: slot.id,
    disabled: setting('disabled'),
    pinnedRevision: setting('pinnedRevision'),
    revision,
    servingRevision,
    rolledBackFrom: isRolledBackElsewhere ? kept.rolledBackFrom : rolledBackFrom,
    loadedAt: slot.loadedAt,
    keepAlive: setting('keepAlive'),
  };
  if (kept !== null && isDeepStrictEqual({ ...kept, loadedAt: row.loadedAt }, row)) return;
  await writes.putExtension(row);
}
