import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { SnapshotMember, SnapshotRecord } from '#lib/contract/snapshot.ts';
import {
  buildSnapshot,
  compareCodePoints,
  isSameIdentity,
  replaceEntries,
  snapshotChanges,
  snapshotIdentity,
  snapshotMembers,
} from '#lib/registry/snapshot.ts';
import type { Snapshot, SnapshotEntry, SnapshotIdentity } from '#lib/registry/snapshot.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import type { SetWrites } from '#lib/store/store.ts';
import { type CommitContext, type LoaderState, newestSnapshot, type StoredSnapshot } from './loader-state.ts';
import { entryOf, type Slot } from './extension-slot.ts';
import { settleFailures } from './settle-failures.ts';

type Draft = Pick<CommitContext, 'cause' | 'beganAt' | 'isPartial' | 'following'>;

/** A snapshot created from the slots; `record` is the version created for it, if any. */
interface Drafted {
  readonly set: Snapshot<RunningExtension>;
  /** The ids whose entries differ from the previous snapshot. */
  readonly changed: readonly string[];
  readonly record: SnapshotRecord | null;
  /** Data to store after the commit. */
  readonly newest: StoredSnapshot | null;
}

/**
 * Publishes the snapshot created from the slots after `change`, which is committed together with its version or not at all. A
 * version is created when the snapshot differs from the newest stored one, so an unchanged restart creates none; nor does
 * the first load before it is complete (`isPartial`). `change` may run several times; when the promise rejects, the
 * slots still have its changes.
 * @param slots those that `change` changes, so that the cost of a save depends on its changes; null: any
 * @param onCommitted called before subscribers are notified
 */
export async function publishSnapshot(
  state: LoaderState,
  slots: readonly Slot[] | null,
  context: Draft,
  change: (writes: SetWrites) => Promise<void>,
  onCommitted: () => void = () => undefined,
): Promise<readonly string[]> {
  const { options } = state;
  let scanned: readonly Slot[] = [];
  const { set, changed, record, newest } = await options.store.commitSet(async (writes) => {
    await change(writes);
    scanned = [...state.unpublished];
    const listed = scanned.filter((slot) => state.slots.get(slot.id) === slot);
    return draftSnapshot(state, slots === null ? null : new Set([...slots, ...listed]), context, writes);
  });
  for (const slot of scanned) state.unpublished.delete(slot);
  state.newest = newest;
  onCommitted();
  const before = options.registry.current();
  for (const id of changed) keepAliveAsChosen(state, id);
  options.registry.replace(set);
  if (!context.isPartial) logRecoveries(state, before, changed, record);
  if (record === null) {
    // No new version, but this server serves something else.
    if (!isSameIdentity(snapshotIdentity(before.entries.values()), snapshotIdentity(set.entries.values())))
      options.publish('snapshot.changed', { snapshot_version: set.version });
    if (!context.isPartial) await settleFailures(state);
    return [];
  }
  announce(state, before, record);
  // The events are sent first; failures are resolved in a later turn of the event loop.
  await setImmediate();
  await settleFailures(state);
  const { changes } = record;
  return [...new Set([...changes.added, ...changes.changed, ...changes.removed])];
}

function keepAliveAsChosen({ slots }: LoaderState, id: string): void {
  const slot = slots.get(id);
  slot?.serving?.running.keepAlive(slot.keepAlive);
}

async function draftSnapshot(state: LoaderState, slots: ReadonlySet<Slot> | null, context: Draft, writes: SetWrites): Promise<Drafted> {
  const { registry, peers, callsInFlight } = state.options;
  const before = registry.current();
  const { set, changed } = draftSet(state, slots, before);
  const ids = changed.map(({ extension }) => extension.id);
  const stored = await newestSnapshot(state, writes.snapshots);
  const version = Math.max(before.version, stored?.record.version ?? 0);
  if (context.isPartial) return { set, changed: ids, record: null, newest: stored };
  const isAlone = peers.others().length === 0 || stored === null;
  const next = isAlone ? ownContent(stored, set, stored?.set === before ? changed : null) : mergedContent(stored, set, before, context);
  if (stored !== null && next.differing?.size === 0) {
    const same = { ...set, version };
    return { set: same, changed: ids, record: null, newest: { ...stored, set: isAlone ? same : null } };
  }
  const { digest, members, differing } = next;
  const differ = (list: readonly SnapshotMember[]) => (differing === null ? list : list.filter(({ id }) => differing.has(id)));
  const record: SnapshotRecord = {
    version: version + 1,
    created_at: new Date().toISOString(),
    cause: context.cause,
    changes: snapshotChanges(differ(stored?.record.extensions ?? []), differ(members)),
    duration_ms: Math.round((performance.now() - context.beganAt) * 10) / 10,
    calls_in_flight: callsInFlight(),
    extensions: members,
  };
  await writes.insertSnapshot(record, digest, stored, differing);
  const made = { ...set, version: record.version };
  return { set: made, changed: ids, record, newest: { record, digest, set: isAlone ? made : null } };
}

/** The previous snapshot with the entries of these slots, or a new one of all slots. */
function draftSet(
  { slots: all, options }: LoaderState,
  slots: ReadonlySet<Slot> | null,
  before: Snapshot<RunningExtension>,
): { readonly set: Snapshot<RunningExtension>; readonly changed: readonly SnapshotEntry<RunningExtension>[] } {
  const isOther = (entry: SnapshotEntry<RunningExtension>): boolean => before.entries.get(entry.extension.id) !== entry;
  const entriesOf = (some: Iterable<Slot>) => [...some].filter(isShown).map((slot) => entryOf(slot, options));
  const entries = slots === null ? null : entriesOf(slots);
  if (entries !== null && entries.length === slots?.size) {
    const changed = entries.filter(isOther);
    const set = replaceEntries(before.version, changed, before);
    if (set !== null) return { set, changed };
  }
  const set = buildSnapshot(before.version, entriesOf(all.values()), before);
  return { set, changed: [...set.entries.values()].filter(isOther) };
}

function isShown(slot: Slot): boolean {
  return slot.isExcluded || slot.isLeftOut || slot.disabled || slot.newest !== null || slot.owned !== null;
}

/** The content of a version. */
interface Content {
  readonly digest: SnapshotIdentity;
  readonly members: SnapshotMember[];
  /** Ids of entries that differ from the previous version; null: not compared. */
  readonly differing: ReadonlySet<string> | null;
}

/** @param changed entries that differ from the snapshot of the previous version; null: any may differ */
function ownContent(
  stored: StoredSnapshot | null,
  set: Snapshot<RunningExtension>,
  changed: readonly SnapshotEntry<RunningExtension>[] | null,
): Content {
  const parts = snapshotIdentity(changed ?? []);
  const areSameIds = set.entries.size === stored?.digest.size && [...parts.keys()].every((id) => stored.digest.has(id));
  if (stored !== null && changed !== null && areSameIds) {
    const digest = new Map(stored.digest);
    for (const [id, part] of parts) digest.set(id, part);
    const members = new Map(snapshotMembers(changed).map((member) => [member.id, member]));
    return {
      digest,
      members: stored.record.extensions.map((member) => members.get(member.id) ?? member),
      differing: new Set([...parts].flatMap(([id, part]) => (stored.digest.get(id) === part ? [] : [id]))),
    };
  }
  const digest = snapshotIdentity(set.entries.values());
  const isSame = stored !== null && isSameIdentity(digest, stored.digest);
  return { digest, members: snapshotMembers(set.entries.values()), differing: isSame ? new Set() : null };
}

/** Several servers share one version list: this server records only its own changes. */
function mergedContent(
  stored: StoredSnapshot,
  set: Snapshot<RunningExtension>,
  before: Snapshot<RunningExtension>,
  context: Draft,
): Content {
  const own = snapshotMembers(set.entries.values());
  const members = mergeMembers(stored.record.extensions, snapshotMembers(before.entries.values()), own, context);
  const isSame = isDeepStrictEqual(members, stored.record.extensions);
  return { digest: snapshotIdentity(set.entries.values()), members, differing: isSame ? new Set() : null };
}

const BY_PERSON: ReadonlySet<SnapshotRecord['cause']['kind']> = new Set(['disable', 'enable', 'pin', 'unpin', 'rollback']);
const RANK: Readonly<Partial<Record<SnapshotMember['state'], number>>> = { ready: 2, degraded: 1 };

/**
 * The entries shared by several servers: this server records only its own changes. Loading a source that another server
 * already loaded changes nothing, unless it works here and failed there.
 */
function mergeMembers(
  stored: readonly SnapshotMember[],
  before: readonly SnapshotMember[],
  own: readonly SnapshotMember[],
  { cause, following }: Draft,
): SnapshotMember[] {
  const earlier = new Map(before.map((member) => [member.id, member]));
  const merged = new Map(stored.map((member) => [member.id, member]));
  // A crash and its end concern one server, and are shown on its page; but a failure on all servers is over when one recovers.
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

function announce(state: LoaderState, before: Snapshot<RunningExtension>, { version, changes }: SnapshotRecord): void {
  const { publish, registry } = state.options;
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
  for (const id of changes.removed) {
    const revision = before.entries.get(id)?.extension.revision ?? null;
    publish('extension.removed', { snapshot_version: version, extension: id, revision });
  }
}

/** The snapshot of this server, even when another one created the version. */
function logRecoveries(
  { options }: LoaderState,
  before: Snapshot<RunningExtension>,
  changed: readonly string[],
  record: SnapshotRecord | null,
): void {
  const { entries } = options.registry.current();
  const membersIn = (set: Snapshot<RunningExtension>) => snapshotMembers(changed.flatMap((id) => set.entries.get(id) ?? []));
  const { recovered } = snapshotChanges(membersIn(before), membersIn(options.registry.current()));
  for (const id of new Set([...recovered, ...(record?.changes.recovered ?? [])]))
    options.log('info', `extension ${id} works again (revision ${entries.get(id)?.extension.revision ?? '?'})`, { extension: id });
}
