import type { Compilable } from 'kysely';
import { snapshotMemberSchema, snapshotSchema } from '#lib/contract/snapshot.ts';
import type { SnapshotMember, SnapshotRecord } from '#lib/contract/snapshot.ts';
import type { Db } from './database.ts';
import type { NewestSnapshot } from './store.ts';
import { strictTable } from './dialect.ts';

/**
 * A version stores the extensions that differ from the version before (`snapshot_parts`), so a save costs what it changed. Every
 * FULL_EVERY versions one is stored in full: reading a version begins there. Versions of earlier releases are all in full.
 *
 * What can go wrong: another server wrote the version before (the writer reads it first), or an earlier release did (it is in
 * full); retention removes the full version that later ones need (the oldest that stays becomes full first).
 */
const FULL_EVERY = 100;

/** JSON texts by id. */
type Parts = ReadonlyMap<string, string>;

/** The extensions of a version, and the parts of its digest. */
export interface SnapshotState {
  readonly version: number;
  /** An extension that stays the same is one object in all versions that are read together. */
  readonly members: ReadonlyMap<string, SnapshotMember>;
  readonly digests: Parts;
}

/** A row of `snapshots`. `base_version` is the full version that it needs; null: it is full itself. */
export interface StoredVersion {
  readonly version: number;
  readonly record_json: string;
  /** Absent: only the record is wanted. */
  readonly digest?: string;
  readonly base_version: number | null;
}

export interface SnapshotPartsTable {
  version: number;
  extension: string;
  /** Both null: it is no longer in the set. */
  member_json: string | null;
  digest_json: string | null;
}

/** Writes the version: its differences from the previous one, or in full. */
export async function insertVersion(
  db: Db,
  record: SnapshotRecord,
  digest: Parts,
  previous: NewestSnapshot | null,
  differing: ReadonlySet<string> | null,
): Promise<void> {
  const base = previous === null ? null : await baseFor(db, record.version, previous.record.version);
  if (base === null || previous === null) {
    const row = { version: record.version, digest: digestText(digest), record_json: JSON.stringify(record), base_version: null };
    await db.insertInto('snapshots').values(row).execute();
    return;
  }
  const { extensions, ...short } = record;
  const row = { version: record.version, digest: '', record_json: JSON.stringify(short), base_version: base };
  await db.insertInto('snapshots').values(row).execute();
  const isWanted = ({ id }: SnapshotMember): boolean => differing?.has(id) !== false;
  const [before, after] = [byId(previous.record.extensions.filter(isWanted)), byId(extensions.filter(isWanted))];
  for (const extension of differing ?? new Set([...keysOfOther(before, after), ...keysOfOther(previous.digest, digest)])) {
    const [member, part] = [textOf(after.get(extension)), digest.get(extension) ?? null];
    if (member === textOf(before.get(extension)) && part === (previous.digest.get(extension) ?? null)) continue;
    await db.insertInto('snapshot_parts').values({ version: record.version, extension, member_json: member, digest_json: part }).execute();
  }
}

function byId(members: readonly SnapshotMember[]): ReadonlyMap<string, SnapshotMember> {
  return new Map(members.map((member) => [member.id, member]));
}

function textOf(member: SnapshotMember | undefined): string | null {
  return member === undefined ? null : JSON.stringify(member);
}

/** Keys whose values are not the same. Of an extension that stays the same, the member is the same object in many versions. */
function keysOfOther<Value>(before: ReadonlyMap<string, Value>, after: ReadonlyMap<string, Value>): readonly string[] {
  const keys: string[] = [];
  for (const [key, value] of after) if (before.get(key) !== value) keys.push(key);
  for (const key of before.keys()) if (!after.has(key)) keys.push(key);
  return keys;
}

/** Null: the new version must be stored in full. */
async function baseFor(db: Db, version: number, previous: number): Promise<number | null> {
  const row = await db
    .selectFrom('snapshots')
    .select(['version', 'base_version'])
    .where('version', '<', version)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row?.version !== previous) return null;
  const base = row.base_version ?? row.version;
  return version - base >= FULL_EVERY ? null : base;
}

/** The form of a complete version. */
function digestText(parts: Parts): string {
  return `[${inOrder(parts).join(',')}]`;
}

function digestParts(text: string): Parts {
  const parts: unknown = text === '' ? [] : JSON.parse(text);
  return new Map(
    (Array.isArray(parts) ? parts : []).flatMap((part: unknown): [string, string][] => {
      const id: unknown = Array.isArray(part) ? part[0] : null;
      return typeof id === 'string' ? [[id, JSON.stringify(part)]] : [];
    }),
  );
}

/** By id; ids are ASCII. */
function inOrder(parts: Parts): readonly string[] {
  return [...parts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text);
}

/**
 * The sets of these versions, in ascending order. All of them are read at first: during the turns of the event loop that a
 * consumer inserts, retention may remove versions.
 */
export async function* readStates<Row extends StoredVersion>(db: Db, rows: readonly Row[]): AsyncGenerator<readonly [Row, SnapshotState]> {
  const chains: { readonly rows: readonly Row[]; readonly full: StoredVersion; readonly parts: readonly SnapshotPartsTable[] }[] = [];
  const ascending = rows.toSorted((one, other) => one.version - other.version);
  for (const [base, some] of Map.groupBy(ascending, (row) => row.base_version ?? row.version)) {
    const full = some[0]?.version === base ? some[0] : await readVersion(db, base);
    chains.push({ rows: some, full, parts: await readParts(db, base, some.at(-1)?.version ?? base) });
  }
  for (const { rows: some, full, parts } of chains) {
    let state = fullState(full);
    let applied = 0;
    for (const row of some) {
      let end = applied;
      while ((parts[end]?.version ?? Infinity) <= row.version) end += 1;
      if (row.version > state.version) state = applyParts(state, row.version, parts.slice(applied, end));
      applied = end;
      yield [row, state];
    }
  }
}

export async function readState(db: Db, row: StoredVersion): Promise<SnapshotState> {
  for await (const [, state] of readStates(db, [row])) return state;
  throw new Error(`version ${row.version} has no state`);
}

async function readVersion(db: Db, version: number): Promise<StoredVersion> {
  return db.selectFrom('snapshots').selectAll().where('version', '=', version).executeTakeFirstOrThrow();
}

/** The differences after the full version, in order. */
async function readParts(db: Db, base: number, last: number): Promise<readonly SnapshotPartsTable[]> {
  if (base === last) return [];
  const parts = db.selectFrom('snapshot_parts').selectAll().where('version', '>', base).where('version', '<=', last);
  return parts.orderBy('version').execute();
}

function fullState({ version, record_json, digest }: StoredVersion): SnapshotState {
  const record: unknown = JSON.parse(record_json);
  const list = typeof record === 'object' && record !== null && 'extensions' in record ? record.extensions : [];
  return { version, members: byId(snapshotMemberSchema.array().parse(list)), digests: digestParts(digest ?? '') };
}

function applyParts(from: SnapshotState, version: number, parts: readonly SnapshotPartsTable[]): SnapshotState {
  const members = new Map(from.members);
  const digests = new Map(from.digests);
  for (const { extension, member_json: member, digest_json: digest } of parts) {
    if (member === null) members.delete(extension);
    else members.set(extension, snapshotMemberSchema.parse(JSON.parse(member)));
    if (digest === null) digests.delete(extension);
    else digests.set(extension, digest);
  }
  return { version, members, digests };
}

/** Without a state it has no extensions. */
export function recordOf(row: StoredVersion, state: SnapshotState | null): SnapshotRecord {
  const record: unknown = JSON.parse(row.record_json);
  const parsed = snapshotSchema.parse(typeof record === 'object' ? { ...record, extensions: [] } : record);
  const extensions = state === null ? [] : [...state.members.values()];
  return {
    ...parsed,
    extensions: row.base_version === null ? extensions : extensions.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  };
}

/** Before all versions up to `last` are removed: the next one becomes full. */
export async function cutVersions(db: Db, last: number): Promise<void> {
  const next = await db.selectFrom('snapshots').selectAll().where('version', '>', last).orderBy('version').limit(1).executeTakeFirst();
  if (next === undefined) return;
  if (next.base_version !== null) {
    const state = await readState(db, next);
    const full = { record_json: JSON.stringify(recordOf(next, state)), digest: digestText(state.digests), base_version: null };
    await db.updateTable('snapshots').set(full).where('version', '=', next.version).execute();
    await db.updateTable('snapshots').set({ base_version: next.version }).where('base_version', '=', next.base_version).execute();
  }
  await db.deleteFrom('snapshot_parts').where('version', '<=', next.version).execute();
}

export function snapshotParts(db: Db): readonly Compilable[] {
  return [
    db.schema.alterTable('snapshots').addColumn('base_version', 'integer'),
    strictTable(db)`snapshot_parts (version integer, extension text, member_json text?, digest_json text?)`.addPrimaryKeyConstraint(
      'snapshot_parts_key',
      ['version', 'extension'],
    ),
    db.schema.createIndex('snapshots_by_base').on('snapshots').columns(['base_version']),
  ];
}
