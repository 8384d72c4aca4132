import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { SnapshotMember, SnapshotRecord } from '#lib/contract/snapshot.ts';
import {
  buildSnapshot,
  compareCodePoints,
  isSameIdentity,
  snapshotChanges,
  snapshotIdentity,
  snapshotMembers,
} from '#lib/registry/snapshot.ts';
import type { Snapshot } from '#lib/registry/snapshot.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import type { SetWrites } from '#lib/store/store.ts';
import type { CommitContext, LoaderState, StoredSnapshot } from './loader-state.ts';
import { newestSnapshot } from './loader-state.ts';
import { entryOf } from './extension-slot.ts';
import { settleFailures } from './settle-failures.ts';

type Draft = Pick<CommitContext, 'cause' | 'beganAt' | 'isPartial' | 'following'>;

/** A set made from the slots; `record` is the version created for it, if any. */
interface Drafted {
  readonly set: Snapshot<RunningExtension>;
  readonly record: SnapshotRecord | null;
  /** What is stored after the commit. */
  readonly newest: StoredSnapshot | null;
}

/**
 * Swaps in the set made from the slots after `change`, which is committed together with its version or not at all. A
 * version is created when the set differs from the newest stored one, so an unchanged restart creates none; nor does
 * the first load before it is complete (`isPartial`). `change` may run several times; when the promise rejects, the
 * slots keep its changes.
 * @param onCommitted called before subscribers are notified
 */
export async function publishSnapshot(
  state: LoaderState,
  context: Draft,
  change: (writes: SetWrites) => Promise<void>,
  onCommitted: () => void = () => undefined,
): Promise<readonly string[]> {
  const { options } = state;
  const { set, record, newest } = await options.store.commitSet(async (writes) => {
    await change(writes);
    return draftSnapshot(state, context, writes);
  });
  state.newest = newest;
  onCommitted();
  const before = options.registry.current();
  for (const [id, entry] of set.entries) if (before.entries.get(id) !== entry) keepAliveAsChosen(state, id);
  options.registry.replace(set);
  if (record === null) {
    // Nothing new for the team, but this server serves something else.
    if (!isSameIdentity(snapshotIdentity(before.entries.values()), snapshotIdentity(set.entries.values())))
      options.publish('snapshot.changed', { snapshot_version: set.version });
    if (!context.isPartial) await settleFailures(state);
    return [];
  }
  announce(state, record);
  // The events are sent first; settling failures can wait a turn.
  await setImmediate();
  await settleFailures(state);
  const { added, changed, removed } = record.changes;
  return [...new Set([...added, ...changed, ...removed])];
}

function keepAliveAsChosen({ slots }: LoaderState, id: string): void {
  const slot = slots.get(id);
  slot?.serving?.running.keepAlive(slot.keepAlive);
}

async function draftSnapshot(state: LoaderState, context: Draft, writes: SetWrites): Promise<Drafted> {
  const { options } = state;
  const before = options.registry.current();
  const shown = [...state.slots.values()].filter(
    (slot) => slot.isExcluded || slot.isLeftOut || slot.disabled || slot.newest !== null || slot.owned !== null,
  );
  const set = buildSnapshot(
    before.version,
    shown.map((slot) => entryOf(slot, options)),
    before,
  );
  const digest = snapshotIdentity(set.entries.values());
  const stored = await newestSnapshot(state, writes.snapshots);
  const version = Math.max(before.version, stored?.record.version ?? 0);
  if (context.isPartial) return { set, record: null, newest: stored };
  const own = snapshotMembers(set.entries.values());
  const isAlone = options.peers.others().length === 0 || stored === null;
  const members = isAlone ? own : mergeMembers(stored.record.extensions, snapshotMembers(before.entries.values()), own, context);
  const isSame = isAlone ? stored !== null && isSameIdentity(digest, stored.digest) : isDeepStrictEqual(members, stored.record.extensions);
  if (isSame) return { set: { ...set, version }, record: null, newest: stored };
  const record: SnapshotRecord = {
    version: version + 1,
    created_at: new Date().toISOString(),
    cause: context.cause,
    changes: snapshotChanges(stored?.record.extensions ?? [], members),
    duration_ms: Math.round((performance.now() - context.beganAt) * 10) / 10,
    calls_in_flight: options.callsInFlight(),
    extensions: members,
  };
  await writes.insertSnapshot(record, digest, stored);
  return { set: { ...set, version: record.version }, record, newest: { record, digest } };
}

const BY_PERSON: ReadonlySet<SnapshotRecord['cause']['kind']> = new Set(['disable', 'enable', 'pin', 'unpin', 'rollback']);
const RANK: Readonly<Partial<Record<SnapshotMember['state'], number>>> = { ready: 2, degraded: 1 };

/**
 * What several servers have together: of this one, only what it changed itself. A server that loads what another one
 * loaded changes nothing, unless it works here and did not there.
 */
function mergeMembers(
  stored: readonly SnapshotMember[],
  before: readonly SnapshotMember[],
  own: readonly SnapshotMember[],
  { cause, following }: Draft,
): SnapshotMember[] {
  const earlier = new Map(before.map((member) => [member.id, member]));
  const merged = new Map(stored.map((member) => [member.id, member]));
  // A crash and its end are of one server alone, and shown on its page; but what failed on all works again when it does on one.
  const isLocal = cause.kind === 'crash' || cause.kind === 'recovery';
  for (const member of own) {
    if (isDeepStrictEqual(earlier.get(member.id), member)) continue;
    const known = merged.get(member.id);
    const isNewer = known === undefined || (member.revision ?? 0) > (known.revision ?? 0);
    const isBetter = member.revision === known?.revision && (RANK[member.state] ?? 0) > (RANK[known.state] ?? 0);
    const isOwn = !isLocal && following?.has(member.id) !== true;
    if (isNewer || isBetter || BY_PERSON.has(cause.kind) || isOwn) merged.set(member.id, member);
  }
  const ids = new Set(own.map(({ id }) => id));
  for (const { id } of before) if (!ids.has(id)) merged.delete(id);
  return [...merged.values()].toSorted((a, b) => compareCodePoints(a.id, b.id));
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
