import path from 'node:path';
import type { Failure } from '#lib/contract/failure.ts';
import type { SnapshotCause, SnapshotRecord } from '#lib/contract/snapshot.ts';
import { settleClaims } from '#lib/registry/name-claims.ts';
import { buildSnapshot, snapshotChanges, snapshotIdentity, snapshotMembers } from '#lib/registry/snapshot.ts';
import type { Incident, RawFailure } from '#lib/runtime/runtime.ts';
import type { RevisionRow } from '#lib/store/store.ts';
import type { Served, Slot } from './extension-slot.ts';
import { entryOf, ownedTools } from './extension-slot.ts';
import { completeFailure } from './failure-occurrence.ts';
import type { LoadResult } from './load-candidate.ts';
import { reviveRevision } from './load-candidate.ts';
import type { LoaderState } from './loader-state.ts';
import { drain, runtimeFor } from './loader-state.ts';

/**
 * Turns finished loads into the next snapshot: who owns which name, what serves, what failed; then stores, swaps, tells.
 * Runs one at a time. What goes wrong: a load that was overtaken (its process is ended, nothing else happens), a name that
 * somebody owns (that load fails and the last good one goes on), nothing to fall back on, storage that refuses (nothing is
 * swapped; the caller tries again).
 */
export interface FinishedLoad {
  readonly slot: Slot;
  readonly generation: number;
  readonly result: LoadResult;
}

export interface CommitContext {
  readonly cause: SnapshotCause;
  /** From `performance.now()`; when the work that leads to this commit began. */
  readonly beganAt: number;
  /** The first load goes on: what is there may be used, but it is not yet a version. */
  readonly isPartial: boolean;
  onIncident(slot: Slot, contentHash: string, incident: Incident): void;
}

/** @returns ids whose entry is not what it was */
export async function commitLoads(
  state: LoaderState,
  finished: readonly FinishedLoad[],
  context: CommitContext,
): Promise<readonly string[]> {
  const current: FinishedLoad[] = [];
  for (const load of finished) {
    if (load.slot.generation === load.generation && state.slots.get(load.slot.id) === load.slot) current.push(load);
    else if (load.result.kind === 'loaded') drain(state, load.result.running);
  }
  const retired: Served[] = [];
  const refusals = refuseTakenNames(state, current);
  const version = state.options.registry.current().version + 1;
  for (const load of current) {
    load.slot.loading?.finish();
    load.slot.loading = null;
    await applyResult(state, load, refusals.get(load.slot.id) ?? null, version, retired, context);
  }
  const changed = await publishSnapshot(state, context);
  for (const served of retired) drain(state, served.running);
  return changed;
}

function refuseTakenNames(state: LoaderState, finished: readonly FinishedLoad[]): Map<string, RawFailure> {
  const { excludedTools } = state.options;
  const owned = new Map<string, string[]>();
  for (const slot of state.slots.values())
    if (!slot.isExcluded)
      owned.set(
        slot.id,
        ownedTools(slot, excludedTools).map((tool) => tool.name),
      );
  const claims = finished.flatMap(({ slot, result }) =>
    result.kind === 'loaded' && !isHeldBack(slot)
      ? [{ id: slot.id, names: result.description.tools.map((tool) => tool.name).filter((name) => !excludedTools.has(name.toLowerCase())) }]
      : [],
  );
  const refusals = new Map<string, RawFailure>();
  for (const { id, name, owner } of settleClaims(owned, claims).refused) {
    const load = finished.find((item) => item.slot.id === id);
    const tools = load?.result.kind === 'loaded' ? load.result.description.tools : [];
    const index = tools.findIndex((tool) => tool.name === name);
    refusals.set(id, {
      code: 'duplicate_tool_name',
      message: `The tool name “${name}” belongs to the extension “${owner}” already.`,
      hint: `Rename the tool here (for example “${id.replaceAll('/', '_')}_${name}”), or remove or rename it in ${owner}.`,
      ...(load?.slot.candidate == null ? {} : { file: load.slot.candidate.entryFile }),
      subject: ['TOOLS', index, 'name'],
    });
  }
  return refusals;
}

/** A pinned or disabled extension tries new content but does not serve it. */
function isHeldBack(slot: Slot): boolean {
  return slot.disabled || (slot.pinnedRevision !== null && slot.serving !== null);
}

async function applyResult(
  state: LoaderState,
  load: FinishedLoad,
  refusal: RawFailure | null,
  version: number,
  retired: Served[],
  context: CommitContext,
): Promise<void> {
  const { slot, result } = load;
  const { store } = state.options;
  if (result.kind === 'unchanged') {
    if (slot.newest !== null) slot.newest = { ...slot.newest, inputs: result.inputs, missing: result.missing };
    return;
  }
  if (result.kind === 'restored') {
    slot.newest = {
      revision: slot.serving?.revision ?? null,
      contentHash: result.contentHash,
      failure: null,
      scanFailure: null,
      inputs: result.inputs,
      missing: result.missing,
    };
    await storeSlot(state, slot);
    return;
  }
  const failure = result.kind === 'failed' ? result.failure : refusal;
  const known = result.contentHash === null ? null : store.revisions.find(slot.id, result.contentHash);
  const row = result.contentHash === null ? null : (known ?? (await insertRevision(state, slot, result, failure === null, context)));
  const record = failure === null ? null : await recordFailure(state, slot, failure, row?.revision ?? null, version, result.sources);
  if (row !== null && (known !== null || record !== null)) {
    await store.revisions.update(slot.id, row.revision, {
      outcome: failure === null ? 'loaded' : 'failed',
      failureId: record?.id ?? null,
      ...(result.build === null ? {} : { build: result.build }),
      ...(Object.keys(result.sources).length === 0 ? {} : { sources: result.sources }),
      ...(result.kind === 'loaded' ? { description: JSON.stringify(result.description), runnable: true } : {}),
    });
  }
  slot.newest = {
    revision: row?.revision ?? null,
    contentHash: result.contentHash,
    failure: record,
    scanFailure: result.kind === 'failed' && result.contentHash === null ? scanIdentity(result.failure) : null,
    inputs: result.inputs,
    missing: result.missing,
  };
  slot.breakdown = null;
  const chosen = failure === null && row !== null ? await reviveChosen(state, slot, row.revision, context) : null;
  if (chosen !== null) {
    slot.serving = chosen;
    if (result.kind === 'loaded') drain(state, result.running);
  } else if (result.kind === 'loaded' && failure === null && row !== null && !isHeldBack(slot)) {
    if (slot.serving !== null) retired.push(slot.serving);
    slot.serving = { revision: row.revision, contentHash: result.contentHash, description: result.description, running: result.running };
    slot.owned = { revision: row.revision, contentHash: result.contentHash, description: result.description };
    slot.loadedAt = new Date().toISOString();
  } else {
    if (result.kind === 'loaded') drain(state, result.running);
    if (failure !== null) await fallBack(state, slot, retired, context);
  }
  await storeSlot(state, slot);
}

async function insertRevision(
  state: LoaderState,
  slot: Slot,
  result: Extract<LoadResult, { kind: 'loaded' | 'failed' }>,
  isLoaded: boolean,
  context: CommitContext,
): Promise<RevisionRow> {
  return state.options.store.revisions.insert({
    extension: slot.id,
    contentHash: result.contentHash ?? '',
    createdAt: new Date().toISOString(),
    trigger: context.cause.kind,
    outcome: isLoaded ? 'loaded' : 'failed',
    description: result.kind === 'loaded' ? JSON.stringify(result.description) : null,
    build: result.build,
    sources: result.sources,
    runnable: result.kind === 'loaded',
    failureId: null,
  });
}

/** Tells one failure found by the scan from another; there is no content to compare. */
export function scanIdentity(failure: RawFailure): string {
  return JSON.stringify([failure.code, failure.message]);
}

/** Keep last good: what serves goes on; after a restart the last good revision is brought back from its kept artifact. */
async function fallBack(state: LoaderState, slot: Slot, retired: Served[], context: CommitContext): Promise<void> {
  if (!state.options.keepLastGood) {
    if (slot.serving !== null) retired.push(slot.serving);
    slot.serving = null;
    return;
  }
  if (slot.serving !== null || slot.owned === null || slot.disabled) return;
  slot.serving = await reviveKept(state, slot, slot.owned.revision, context);
}

/** After a restart: what people pinned or rolled back to goes on serving, as long as the content they rolled back from is still there. */
async function reviveChosen(state: LoaderState, slot: Slot, newest: number, context: CommitContext): Promise<Served | null> {
  const { chosen, candidate } = slot;
  if (chosen === null || slot.serving !== null || slot.disabled || candidate === null || chosen.revision === newest) return null;
  if (chosen.instead !== null && chosen.instead !== newest) return null;
  return reviveKept(state, slot, chosen.revision, context);
}

export async function reviveKept(
  state: LoaderState,
  slot: Slot,
  revision: number,
  context: Pick<CommitContext, 'onIncident'>,
): Promise<Served | null> {
  if (slot.candidate === null) return null;
  const runtime = runtimeFor(state, slot.candidate);
  const row = state.options.store.revisions.get(slot.id, revision);
  if (runtime === null || row === null) return null;
  const revived = await reviveRevision(runtime, slot.candidate, row, (incident) => context.onIncident(slot, row.contentHash, incident));
  return revived === null ? null : { revision: row.revision, contentHash: row.contentHash, ...revived };
}

export async function recordFailure(
  state: LoaderState,
  slot: Slot,
  raw: RawFailure,
  revision: number | null,
  version: number,
  sources: Readonly<Record<string, string>> = {},
): Promise<Failure> {
  const { options } = state;
  const occurrence = completeFailure(raw, {
    extension: slot.id,
    revision,
    extensionsDir: options.extensionsDir,
    entryFile: slot.candidate?.entryFile ?? path.join(options.extensionsDir, slot.path),
    sources,
    snapshotVersion: version,
    seenAt: new Date().toISOString(),
  });
  const record = await options.store.failures.record(occurrence);
  options.log('error', `extension ${slot.id} failed (${record.code}): ${record.error.replace(/\.$/, '')}. ${record.hint}`, {
    extension: slot.id,
    revision,
    code: record.code,
  });
  options.publish('failure.changed', { snapshot_version: version, group_id: record.group_id, extension: slot.id });
  return record;
}

export async function storeSlot(state: LoaderState, slot: Slot): Promise<void> {
  await state.options.store.extensions.put({
    extension: slot.id,
    disabled: slot.disabled,
    pinnedRevision: slot.pinnedRevision,
    revision: slot.newest?.revision ?? null,
    servingRevision: slot.serving?.revision ?? slot.owned?.revision ?? null,
    loadedAt: slot.loadedAt,
  });
}

/**
 * Swaps in the set as the slots now stand. A version is minted when the set differs from the newest one on disk, so a restart
 * that finds everything as it was mints none; while the first load is not through (`isPartial`) none is minted either.
 */
export async function publishSnapshot(
  state: LoaderState,
  context: Pick<CommitContext, 'cause' | 'beganAt' | 'isPartial'>,
): Promise<readonly string[]> {
  const { options } = state;
  const before = options.registry.current();
  const shown = [...state.slots.values()].filter((slot) => slot.isExcluded || slot.disabled || slot.newest !== null || slot.owned !== null);
  const draft = buildSnapshot(
    before.version,
    shown.map((slot) => entryOf(slot, options)),
  );
  const digest = snapshotIdentity(draft.entries.values());
  const stored = options.store.snapshots.latest();
  if (context.isPartial || digest === stored?.digest) {
    options.registry.replace(draft);
    return [];
  }
  const members = snapshotMembers(draft.entries.values());
  const changes = snapshotChanges(stored?.record.extensions ?? [], members);
  const record: SnapshotRecord = {
    version: Math.max(before.version, stored?.record.version ?? 0) + 1,
    created_at: new Date().toISOString(),
    cause: context.cause,
    changes,
    duration_ms: Math.round((performance.now() - context.beganAt) * 10) / 10,
    calls_in_flight: [...before.entries.values()].reduce((sum, entry) => sum + (entry.running?.callsInFlight() ?? 0), 0),
    extensions: members,
  };
  await options.store.snapshots.insert(record, digest);
  options.registry.replace({ ...draft, version: record.version });
  announce(state, record);
  return [...new Set([...changes.added, ...changes.changed, ...changes.removed])];
}

function announce(state: LoaderState, { version, changes }: SnapshotRecord): void {
  const { publish, log, registry } = state.options;
  const entries = registry.current().entries;
  publish('snapshot.changed', { snapshot_version: version });
  for (const id of new Set([...changes.added, ...changes.changed])) {
    const extension = entries.get(id)?.extension;
    if (extension === undefined) continue;
    const isFailed = extension.state === 'failed' || extension.state === 'degraded';
    publish(isFailed ? 'extension.failed' : 'extension.loaded', {
      snapshot_version: version,
      extension: id,
      revision: extension.revision,
      status: extension.state,
    });
  }
  for (const id of changes.removed) publish('extension.removed', { snapshot_version: version, extension: id });
  for (const id of changes.recovered)
    log('info', `extension ${id} works again (revision ${entries.get(id)?.extension.revision ?? '?'})`, { extension: id });
}
