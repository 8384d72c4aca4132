import { isDeepStrictEqual } from 'node:util';
import type { Failure } from '#lib/contract/failure.ts';
import { settleClaims } from '#lib/registry/name-claims.ts';
import type { ExtensionDescription, RawFailure, ToolDescription } from '#lib/runtime/runtime.ts';
import type { RevisionRow, SetWrites } from '#lib/store/store.ts';
import { readDescription } from './build.ts';
import { type CommitContext, drain, type LoaderState } from './loader-state.ts';
import { ownedTools, ownToolsOf, type Served, type Slot } from './extension-slot.ts';
import { nextVersion, announceFailure, prepareFailure, writeFailure } from './record-failure.ts';
import type { FailureVersion } from './record-failure.ts';
import { reviveChosen, reviveStored, storeSlot } from './stored-revisions.ts';
import type { LoadResult } from './load-candidate.ts';
import { publishSnapshot } from './publish-snapshot.ts';
import type { PreparedFailure } from './failure-occurrence.ts';
import { drainReplaced, slotStateOf } from './slot-changes.ts';
import { createTurns } from './load-batch.ts';

/**
 * Commits finished loads as the next snapshot: decides name owners, serving revisions and failures; then stores, swaps
 * and notifies. Runs one at a time. What can go wrong:
 * - a newer load replaced this one: its process ends, nothing else happens;
 * - another extension owns a name, or a check failed: that load fails and the last good revision keeps serving;
 * - there is no last good revision;
 * - storage refuses: nothing is swapped, every slot is unchanged, and the caller retries.
 */
export interface FinishedLoad {
  readonly slot: Slot;
  readonly generation: number;
  readonly result: LoadResult;
  /** Why a loaded revision must not get calls. */
  readonly refusal: RawFailure | null;
}

const PREPARED_AT_ONCE = 16;

/** @returns ids whose entry changed */
export async function commitLoads(
  state: LoaderState,
  finished: readonly FinishedLoad[],
  context: CommitContext,
): Promise<readonly string[]> {
  const current = finished.filter((load) => !isSuperseded(state, load));
  const stands = current.map(({ slot }) => ({ slot, stand: slotStateOf(slot) }));
  const refusals = refuseTakenNames(state, current);
  const versionOf = nextVersion(state);
  const revived: Served[] = [];
  const failures: Failure[] = [];
  const restoreSlots = (): void => {
    failures.length = 0;
    for (const { slot, stand } of stands) Object.assign(slot, stand);
  };
  let changed: readonly string[];
  try {
    const prepared: PreparedLoad[] = [];
    const turn = createTurns();
    for (let at = 0; at < current.length; at += PREPARED_AT_ONCE) {
      const some = current.slice(at, at + PREPARED_AT_ONCE);
      const done = some.map((load) => prepareLoad(state, load, refusals.get(load.slot.id) ?? load.refusal, revived, context));
      prepared.push(...(await Promise.all(done)));
      await turn();
    }
    const following = new Set(prepared.filter((one) => one.isFollowing).map(({ load }) => load.slot.id));
    changed = await publishSnapshot(
      state,
      current.map(({ slot }) => slot),
      { ...context, following },
      async (writes) => {
        restoreSlots();
        for (const load of prepared) {
          await applyLoad(state, load, versionOf, context, writes, failures);
          await turn();
        }
      },
      () => failures.forEach((failure) => announceFailure(state, failure)),
    );
  } catch (error) {
    restoreSlots();
    for (const { running } of revived) drain(state, running);
    throw error;
  }
  for (const { slot, stand } of stands) drainReplaced(state, slot, stand);
  const serving = new Set(finished.map(({ slot }) => state.slots.get(slot.id)?.serving?.running));
  const loaded = finished.flatMap(({ result }) => (result.kind === 'loaded' ? [result.running] : []));
  for (const running of [...loaded, ...revived.map((served) => served.running)]) if (!serving.has(running)) drain(state, running);
  return changed;
}

function refuseTakenNames(state: LoaderState, finished: readonly FinishedLoad[]): Map<string, RawFailure> {
  const { excludedTools } = state.options;
  const claims = finished.flatMap(({ slot, result, refusal }) =>
    result.kind === 'loaded' && refusal === null && !isPinnedOrDisabled(slot)
      ? [{ id: slot.id, names: namesOf(ownToolsOf(result.description, excludedTools)) }]
      : [],
  );
  const own = new Map(finished.map(({ slot }) => [slot.id, namesOf(ownedTools(slot, excludedTools))]));
  // Most saves change no name, and no one else owns one of these.
  if (claims.every(({ id, names }) => names.every((name) => own.get(id)?.includes(name) === true))) return new Map();
  const owned = new Map<string, readonly string[]>();
  const removed = new Set(finished.filter(({ result }) => isRemoved(result)).map(({ slot }) => slot));
  for (const slot of state.slots.values())
    if (!slot.isExcluded && !removed.has(slot)) owned.set(slot.id, namesOf(ownedTools(slot, excludedTools)));
  const refusals = new Map<string, RawFailure>();
  for (const { id, name, owner } of settleClaims(owned, claims).refused) {
    const load = finished.find((item) => item.slot.id === id);
    const tools = load?.result.kind === 'loaded' ? load.result.description.tools : [];
    const index = tools.findIndex((tool) => tool.name === name);
    const isOneFile = load?.slot.candidate?.kind === 'tool';
    refusals.set(id, {
      code: 'duplicate_tool_name',
      message: `The tool name “${name}” already belongs to the extension “${owner}”.`,
      hint: isOneFile
        ? `A one-file tool has the name of its file: rename the file, or remove or rename the tool in ${owner}.`
        : `Rename the tool here (for example “${id.replaceAll('/', '_')}_${name}”), or remove or rename it in ${owner}.`,
      ...(load?.slot.candidate == null ? {} : { file: load.slot.candidate.entryFile }),
      subject: isOneFile ? ['run'] : ['TOOLS', index, 'name'],
      taken: { name, owner },
    });
  }
  return refusals;
}

/** Loads with a tool name that another extension owns now. */
export function withTakenNames(state: LoaderState, finished: readonly FinishedLoad[]): readonly FinishedLoad[] {
  const refusals = refuseTakenNames(state, finished);
  return finished.filter(({ slot }) => refusals.has(slot.id));
}

const names = new WeakMap<readonly ToolDescription[], readonly string[]>();

function namesOf(tools: readonly ToolDescription[]): readonly string[] {
  const known = names.get(tools) ?? tools.map((tool) => tool.name);
  names.set(tools, known);
  return known;
}

/**
 * Its entry was removed: the extension stops serving and its names are free, even if its folder still has files.
 */
function isRemoved(result: LoadResult): boolean {
  return result.kind === 'failed' && result.failure.code === 'entry_missing';
}

/** A pinned or disabled extension tries new source but does not serve it. */
function isPinnedOrDisabled(slot: Slot): boolean {
  return slot.disabled || (slot.pinnedRevision !== null && slot.serving !== null);
}

/** The result of a load before it is stored. */
interface PreparedLoad {
  readonly load: FinishedLoad;
  readonly refusal: RawFailure | null;
  readonly failure: PreparedFailure | null;
  readonly chosen: Served | null;
  readonly fallback: Served | null;
  /** Another server loaded the same source first: its record does not change. */
  readonly isFollowing: boolean;
}

async function prepareLoad(
  state: LoaderState,
  load: FinishedLoad,
  refusal: RawFailure | null,
  revived: Served[],
  context: CommitContext,
): Promise<PreparedLoad> {
  const { slot, result } = load;
  if (result.kind === 'unchanged' || result.kind === 'restored')
    return { load, refusal: null, failure: null, chosen: null, fallback: null, isFollowing: isFollowing(state, load, true, context) };
  const failed = result.kind === 'failed' ? result.failure : refusal;
  const known = result.contentHash === null ? null : await state.options.store.revisions.find(slot.id, result.contentHash);
  const isFollower = isFollowing(state, load, known !== null, context);
  const failure = failed === null ? null : await prepareFailure(state, slot, failed, (known ?? result).build, result.sources);
  const isTried = result.contentHash !== null;
  const chosen = failed === null && isTried ? await reviveChosen(state, slot, known?.revision ?? null, context) : null;
  const isRolledBack = known !== null && slot.rolledBack?.from === known.revision;
  // Another server serves the same source, which fails here.
  const isOwned = isFollower && slot.owned?.contentHash === result.contentHash;
  const fallback = failed === null || isRemoved(result) || isOwned ? null : await reviveFallback(state, slot, isRolledBack, context);
  revived.push(...[chosen, fallback].filter((served) => served !== null));
  return { load, refusal, failure, chosen, fallback, isFollowing: isFollower };
}

function isFollowing(state: LoaderState, { result }: FinishedLoad, isKnown: boolean, { cause }: CommitContext): boolean {
  const { peers } = state.options;
  if (!isKnown || peers.others().length === 0) return false;
  return cause.kind === 'start' || peers.isFromOthers(result.inputs.map((input) => input.path));
}

/** Runs within the transaction, possibly more than once: its changes to a slot are part of the slot's saved state. */
async function applyLoad(
  state: LoaderState,
  { load, refusal, failure, chosen, fallback, isFollowing: isFollower }: PreparedLoad,
  versionOf: FailureVersion,
  context: CommitContext,
  writes: SetWrites,
  failures: Failure[],
): Promise<void> {
  if (isSuperseded(state, load)) return;
  const { slot, result } = load;
  if (result.kind === 'unchanged') {
    endLoading(load);
    // The serving source that it equals was dropped meanwhile.
    if (slot.isUnstored) return;
    if (slot.newest !== null) slot.newest = { ...slot.newest, inputs: result.inputs, missing: result.missing, loaded: result.loaded };
    return;
  }
  if (result.kind === 'restored') {
    endLoading(load);
    // A user chose another revision while this one was checked.
    slot.isUnstored ||= slot.serving?.contentHash !== result.contentHash;
    if (slot.isUnstored) return;
    slot.rolledBack = null;
    slot.newest = {
      revision: slot.serving?.revision ?? null,
      contentHash: result.contentHash,
      failure: null,
      scanFailure: null,
      awaitsOwner: null,
      inputs: result.inputs,
      missing: result.missing,
      loaded: result.loaded,
    };
    await storeSlot(slot, writes);
    return;
  }
  const known = result.contentHash === null ? null : await writes.revisions.find(slot.id, result.contentHash);
  const row =
    result.contentHash === null ? null : (known ?? (await writes.insertRevision(newRevision(slot, result, failure === null, context))));
  const record = failure === null ? null : await writeFailure(writes, failure, row?.revision ?? null, versionOf);
  if (record !== null) failures.push(record);
  const isRecorded = isFollower && known?.outcome === 'loaded';
  if (
    row !== null &&
    !isRecorded &&
    (known !== null || record !== null) &&
    !(failure === null && (await isSameAsStored(writes, row, result)))
  ) {
    await writes.updateRevision(slot.id, row.revision, {
      outcome: failure === null ? 'loaded' : 'failed',
      failureId: record?.id ?? null,
      // A working revision is stored with its package versions, to show the changes when it stops working.
      ...(result.build === null || (failure !== null && known !== null && known.build !== null) ? {} : { build: result.build }),
      ...(Object.keys(result.sources).length === 0 ? {} : { sources: result.sources }),
      ...(result.kind === 'loaded' ? { description: JSON.stringify(result.description), runnable: true } : {}),
    });
  }
  const isRolledBack = row !== null && slot.rolledBack?.from === row.revision;
  slot.newest = {
    revision: row?.revision ?? null,
    contentHash: result.contentHash,
    failure: record,
    scanFailure: result.kind === 'failed' && result.contentHash === null ? scanIdentity(result.failure) : null,
    awaitsOwner: (result.kind === 'loaded' ? refusal?.taken?.owner : null) ?? null,
    inputs: result.inputs,
    missing: result.missing,
    loaded: result.loaded,
  };
  slot.breakdown = null;
  if (!isRolledBack) slot.rolledBack = null;
  // It was rolled back before this server had loaded it.
  const isRejected = isRolledBack && slot.serving !== null && slot.serving.revision === slot.rolledBack?.to;
  if (result.kind === 'loaded' && failure === null && row !== null && chosen === null && !isRejected && !isPinnedOrDisabled(slot)) {
    const { description } = result;
    slot.serving = { revision: row.revision, contentHash: result.contentHash, description, running: result.running };
    slot.owned = { revision: row.revision, contentHash: result.contentHash, description };
    slot.loadedAt = new Date().toISOString();
    slot.rolledBack = null;
    // A server may have changed its description since.
    await updateDescription(state, slot, writes);
  } else {
    if (isRemoved(result)) slot.owned = null;
    else if (isRecorded && slot.owned === null) slot.owned = ownedElsewhere(known);
    if (isRemoved(result) || (failure !== null && !keepsServing(state, slot, isRolledBack))) slot.serving = null;
    else slot.serving = chosen ?? fallback ?? slot.serving;
  }
  if (failure === null || !isFollower) await storeSlot(slot, writes);
  endLoading(load);
}

/** Another server serves this source: its tools are known here, as unavailable. */
function ownedElsewhere({ revision, contentHash, description: stored }: RevisionRow): Slot['owned'] {
  const description = readDescription(stored);
  return description === null ? null : { revision, contentHash, description };
}

/**
 * Whether the serving revision stays when new source fails: always with a pin; after a rollback when the rejected
 * source is tried again.
 */
function keepsServing(state: LoaderState, slot: Slot, isRolledBack: boolean): boolean {
  return state.options.keepLastGood || isRolledBack || slot.pinnedRevision !== null;
}

/** Replaced by a newer load or aborted: its result is no longer wanted. */
function isSuperseded(state: LoaderState, { slot, generation }: FinishedLoad): boolean {
  return slot.generation !== generation || state.slots.get(slot.id) !== slot;
}

/** Until then a scan finds the running load with its files, and does not start another one. */
function endLoading({ slot, generation }: FinishedLoad): void {
  if (slot.generation !== generation) return;
  slot.loading?.finish();
  slot.loading = null;
}

/** A start that finds no changes writes nothing: with many extensions, the disk syncs would delay it. */
async function isSameAsStored(writes: SetWrites, row: RevisionRow, result: LoadResult): Promise<boolean> {
  if (result.kind !== 'loaded' || !result.isRevived || row.outcome !== 'loaded' || !row.runnable || row.failureId !== null) return false;
  return row.build === result.build && (await writes.revisions.latest(row.extension))?.revision === row.revision;
}

function newRevision(
  slot: Slot,
  result: Extract<LoadResult, { kind: 'loaded' | 'failed' }>,
  isLoaded: boolean,
  context: CommitContext,
): Omit<RevisionRow, 'revision'> {
  return {
    extension: slot.id,
    contentHash: result.contentHash ?? '',
    createdAt: new Date().toISOString(),
    trigger: context.cause.kind,
    actor: context.cause.actor,
    outcome: isLoaded ? 'loaded' : 'failed',
    description: result.kind === 'loaded' ? JSON.stringify(result.description) : null,
    build: result.build,
    sources: result.sources,
    runnable: result.kind === 'loaded',
    failureId: null,
  };
}

/** Distinguishes failures found by the scan, which have no source to compare. */
export function scanIdentity(failure: RawFailure): string {
  return JSON.stringify([failure.code, failure.message]);
}

/** The last good revision continues to serve; after a restart it is restored from the build cache. */
async function reviveFallback(state: LoaderState, slot: Slot, isRolledBack: boolean, context: CommitContext): Promise<Served | null> {
  if (!keepsServing(state, slot, isRolledBack) || slot.serving !== null || slot.owned === null || slot.disabled) return null;
  return reviveStored(state, slot, slot.owned.revision, context);
}

/**
 * An MCP server changed its tools while its entry is the same: the serving revision gets a new description, which the
 * next start trusts. A name owned by another extension stays there; the running server does not end because of it.
 */
export async function updateDescription(state: LoaderState, slot: Slot, writes: SetWrites): Promise<void> {
  const { serving } = slot;
  if (serving === null || serving.description === serving.running.description) return;
  const description = withoutTakenTools(state, slot, serving.running.description);
  slot.serving = { ...serving, description };
  slot.owned = { revision: serving.revision, contentHash: serving.contentHash, description };
  await writes.updateRevision(slot.id, serving.revision, { description: JSON.stringify(description) });
}

/** Servers that serve without some of their tools, and the owner of one of these names has changed since. */
export function withChangedOwners(state: LoaderState): readonly { readonly slot: Slot; readonly serving: Served }[] {
  return [...state.slots.values()].flatMap((slot) => {
    const { serving } = slot;
    if (serving === null || serving.description.tools.length >= serving.running.description.tools.length) return [];
    const { warnings } = withoutTakenTools(state, slot, serving.running.description);
    return isDeepStrictEqual(warnings, serving.description.warnings) ? [] : [{ slot, serving }];
  });
}

function withoutTakenTools(state: LoaderState, slot: Slot, described: ExtensionDescription): ExtensionDescription {
  const { excludedTools } = state.options;
  const owners = new Map<string, string>();
  for (const other of state.slots.values())
    if (other !== slot && !other.isExcluded) for (const tool of ownedTools(other, excludedTools)) owners.set(tool.name, other.id);
  const taken = described.tools.filter((tool) => owners.has(tool.name));
  if (taken.length === 0) return described;
  const leftOut = taken.map(({ name }) => `The tool name “${name}” belongs to the extension “${owners.get(name)}”; it was left out here.`);
  return {
    ...described,
    tools: described.tools.filter((tool) => !owners.has(tool.name)),
    warnings: [...described.warnings, ...leftOut],
  };
}
