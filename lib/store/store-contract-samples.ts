import { randomUUIDv7 } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SnapshotRecord } from '#lib/contract/snapshot.ts';
import type { CallEnd, ExtensionRow, FailureOccurrence, RevisionRow, RunningCallRow, SetWrites, Store } from './store.ts';
import { openStore } from './open-store.ts';
import { migrationsOf } from './migrations.ts';
import { createQueryBuilder } from './sqlite/database-file.ts';

/** Rows for tests of the store. */

export const START = Date.parse('2026-03-01T12:00:00.000Z');

export function runningCall(change: Partial<RunningCallRow> = {}): RunningCallRow {
  return {
    id: randomUUIDv7(),
    tool: 'get_weather',
    extension: 'weather',
    revision: 2,
    snapshotVersion: 7,
    source: 'api',
    actor: null,
    argumentsText: '{"city":"Berlin"}',
    redacted: [],
    startedAt: new Date(START).toISOString(),
    replayOf: null,
    instance: 'one',
    ...change,
  };
}

export function callEnd(change: Partial<CallEnd> = {}): CallEnd {
  return {
    revision: 2,
    status: 'succeeded',
    resultText: '{"degrees":12}',
    error: null,
    logs: [],
    logsTruncated: false,
    progress: null,
    finishedAt: new Date(START + 20).toISOString(),
    durationMs: 12.345,
    ...change,
  };
}

export async function finishedCall(store: Store, change: Partial<RunningCallRow> = {}, end: Partial<CallEnd> = {}): Promise<string> {
  const row = runningCall(change);
  await store.calls.insertRunning(row);
  await store.calls.finish(row.id, callEnd(end));
  return row.id;
}

export function occurrence(change: Partial<FailureOccurrence> = {}): FailureOccurrence {
  return {
    extension: 'weather',
    revision: 1,
    instance: 'one',
    error: 'weather: Unexpected "}"',
    stage: 'build',
    code: 'syntax_error',
    message: 'Unexpected "}"',
    hint: 'Fix the syntax.',
    file: 'weather/extension.ts',
    line: 3,
    column: 1,
    codeFrame: '> 3 | }',
    stack: null,
    output: 'a\u0000b',
    fingerprint: 'f1',
    basis: { extension: 'weather', stage: 'build', code: 'syntax_error', frame: 'weather/extension.ts', message: 'Unexpected "}"' },
    cause: 'c1',
    goodRevision: null,
    failedChecks: [],
    environment: null,
    snapshotVersion: 4,
    seenAt: '2026-03-01T12:00:00.000Z',
    ...change,
  };
}

export function revision(change: Partial<Omit<RevisionRow, 'revision'>> = {}): Omit<RevisionRow, 'revision'> {
  return {
    extension: 'weather',
    contentHash: randomUUIDv7(),
    createdAt: '2026-03-01T12:00:00.000Z',
    trigger: 'watch',
    actor: null,
    outcome: 'loaded',
    description: '{"name":"weather"}',
    build: '{"inputs":[]}',
    sources: { 'weather/extension.ts': 'export const TOOL = {};' },
    runnable: true,
    failureId: null,
    ...change,
  };
}

export function snapshot(version: number, change: Partial<SnapshotRecord> = {}): SnapshotRecord {
  return {
    version,
    created_at: '2026-03-01T12:00:00.000Z',
    cause: { kind: 'watch', actor: null, files: ['weather/extension.ts'] },
    changes: { added: ['weather'], changed: [], removed: [], failed: [], recovered: [], tools_added: [], tools_removed: [] },
    duration_ms: 4.5,
    calls_in_flight: 0,
    extensions: [{ id: 'weather', state: 'ready', revision: 1, serving_revision: 1, pinned_revision: null, tools: [] }],
    ...change,
  };
}

export function digestOf(version: number): ReadonlyMap<string, string> {
  return new Map([['weather', JSON.stringify(['weather', 'ready', version])]]);
}

/** A failed load, write by write; `between` runs before each but the first, and at the end. */
export async function writeFailedLoad(writes: SetWrites, between: () => void): Promise<void> {
  const { revision: number } = await writes.insertRevision(revision({ outcome: 'failed' }));
  between();
  const { id } = await writes.recordFailure(occurrence({ revision: number }));
  between();
  await writes.updateRevision('weather', number, { failureId: id });
  between();
  await writes.putExtension(extension({ revision: number }));
  between();
  await writes.insertSnapshot(snapshot(number), digestOf(number), null);
  between();
}

export function extension(change: Partial<ExtensionRow> = {}): ExtensionRow {
  return {
    extension: 'weather',
    disabled: false,
    pinnedRevision: null,
    revision: 1,
    servingRevision: 1,
    rolledBackFrom: null,
    loadedAt: null,
    keepAlive: null,
    ...change,
  };
}

/** The number of stored loads: equal in each table if transactions are atomic. */
export async function countFailedLoads(store: Store): Promise<readonly number[]> {
  const revisions = await store.revisions.list('weather');
  const failures = await Promise.all(revisions.map(async ({ failureId }) => (failureId === null ? null : store.failures.get(failureId))));
  return [
    revisions.length,
    failures.filter((failure) => failure !== null).length,
    (await store.failureGroups.list({ limit: 50 }, new Date()))?.groups[0]?.count ?? 0,
    (await store.extensions.get('weather'))?.revision ?? 0,
    (await store.snapshots.latest())?.record.version ?? 0,
  ];
}

/** A store in its own folder, which is removed with it. */
export async function openTemporaryStore(): Promise<{ readonly store: Store; close(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-store-'));
  const opened = await openStore({ file: path.join(folder, 'store.db') });
  if (!opened.ok) throw new Error(opened.reason);
  const { store } = opened;
  return {
    store,
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A database from before a schema step, filled by these statements. */
export function makeOldDatabase(file: string, step: string, rows: readonly string[]): void {
  const db = new DatabaseSync(file);
  const builder = createQueryBuilder();
  const steps = migrationsOf('sqlite');
  const old = steps.slice(
    0,
    steps.findIndex(({ name }) => name === step),
  );
  db.exec('pragma journal_mode = wal');
  db.exec('create table switchboard_migrations (name text not null primary key, applied_at text not null) strict');
  for (const { name, statements } of old) {
    for (const statement of statements(builder, 'sqlite')) {
      const { sql, parameters } = statement.compile();
      db.prepare(sql).run(...parameters.map((value) => (typeof value === 'number' ? value : String(value))));
    }
    db.prepare('insert into switchboard_migrations values (?, ?)').run(name, '2026-01-01T00:00:00.000Z');
  }
  db.exec(`pragma user_version = ${old.length}`);
  for (const row of rows) db.exec(row);
  db.close();
}
