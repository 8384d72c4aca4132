import type { GroupFix, UnsettledGroup } from '#lib/store/failure-group-store.ts';
import { processOf, slotState } from './extension-slot.ts';
import type { LoaderState } from './loader-state.ts';

/**
 * Resolves failures that are over, based on the current folder and not on the last event, so it also finds fixes made
 * while the server was down. An extension is healthy when its newest source loaded; a removed one has no failures. An
 * incident of a running revision is over when a different source loaded, not when the same one was restarted; a
 * server's refusal is over when the server answers.
 */
export async function settleFailures(state: LoaderState): Promise<void> {
  const { store, registry, publish, log } = state.options;
  const version = registry.current().version;
  try {
    const fixes: GroupFix[] = [];
    for (const group of await store.failureGroups.unsettled()) {
      const revision = fixOf(state, group);
      if (revision !== undefined) fixes.push({ id: group.id, by: { revision, snapshot_version: version } });
    }
    if (fixes.length === 0) return;
    for (const id of await store.failureGroups.resolve(fixes, new Date().toISOString()))
      publish('failure.changed', { snapshot_version: version, group_id: id, status: 'resolved' });
  } catch (error) {
    log('warn', 'could not resolve failures; the next change retries it', { error: String(error) });
  }
}

/** Faults of a server that are over when it answers again, without a change of `mcp.json`. */
const OUTSIDE = new Set<UnsettledGroup['code']>(['mcp_error', 'crash_loop']);

/** The working revision; null when the extension is removed, undefined while the failure is not over. */
function fixOf(state: LoaderState, group: UnsettledGroup): number | null | undefined {
  const slot = state.slots.get(group.extension);
  // It is over when the extension works on that server.
  if (slot !== undefined && group.instance !== null && state.options.peers.others().includes(group.instance)) return undefined;
  if (slot === undefined || slot.isLeftOut) return null;
  if (slotState(slot) !== 'ready' || slot.loading !== null) return undefined;
  const revision = slot.newest?.revision ?? null;
  const isOfItsProcess = group.stage === 'run' || group.code === 'mcp_error';
  if (!isOfItsProcess || group.revision !== revision) return revision;
  if (slot.kind !== 'mcp' || !OUTSIDE.has(group.code)) return undefined;
  return processOf(slot.serving?.running ?? null).state === 'running' ? revision : undefined;
}
