import { type Compilable, type Generated, type RawBuilder, sql } from 'kysely';
import * as z from 'zod';
import type { Extension } from '#lib/contract/extension.ts';
import { failureSchema } from '#lib/contract/failure.ts';
import { localFileSchema } from '#lib/contract/instance.ts';
import { interruptedOn } from '../call-rows.ts';
import { changesOf, type Db } from '../database.ts';
import { strictTable } from '../dialect.ts';
import type { AttemptRepository, InstanceReport, InstanceRepository } from '../instance-store.ts';

export interface InstancesTable {
  id: string;
  version: string;
  state: 'starting' | 'ready' | 'draining' | 'gone';
  ready: number;
  failed: number;
  calls_running: number;
  started_at: number;
  last_seen: number;
  /** Identifiers of the keys it has, by their use. */
  keys_json: Generated<string>;
  local_files_json: Generated<string>;
}

export interface LeasesTable {
  name: string;
  instance: string;
  epoch: number;
  expires_at: number;
}

export interface InstanceExtensionsTable {
  instance: string;
  extension: string;
  state: Extension['state'];
  serving_revision: number | null;
  failure_json: string | null;
}

export interface PeerRequestsTable {
  id: string;
  sender: string;
  recipient: string;
  kind: string;
  payload_json: string;
  is_taken: number;
  answer_json: string | null;
  created_at: number;
}

/** Age of abandoned requests. */
const REQUEST_KEPT_MS = 900_000;
/** Of the database, in epoch milliseconds. */
export const NOW = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;
const keysSchema = z.record(z.string(), z.array(z.string()));
const localFilesSchema = z.array(localFileSchema);
/** Placeholder for the name of the instance. */
const ANY = '%instance%';

/** Each method is one statement with its own commit, so a heartbeat waits for no transaction. */
export function createPostgresInstances(db: Db): InstanceRepository {
  return {
    async register(id, version, report, keys, silentMs) {
      const columns = {
        version,
        ...columnsOf(report),
        started_at: NOW,
        last_seen: NOW,
        keys_json: JSON.stringify(keys),
        local_files_json: '[]',
      };
      const row = await db
        .insertInto('instances')
        .values({ id, ...columns })
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet(columns)
            .where((eb) => eb.or([eb('instances.state', '=', 'gone'), eb('instances.last_seen', '<', sql<number>`${NOW} - ${silentMs}`)])),
        )
        .returning('started_at')
        .executeTakeFirst();
      if (row === undefined) return null;
      await freeLeases(db, id);
      const ended = await endCalls(db, sql<boolean>`calls.instance = ${id}`);
      // Requests that it accepted but did not start; the history loses its oldest calls first.
      await db
        .deleteFrom('idempotency_keys')
        .where('instance', '=', id)
        .where(sql<boolean>`not exists (select 1 from calls where calls.id = call_id)`)
        .where(sql<boolean>`exists (select 1 from calls where calls.id < call_id and calls.status <> 'running')`)
        .execute();
      return { startedAt: row.started_at, endedCalls: ended > 0 };
    },

    async beat(id, startedAt, report, leaseMs) {
      const beat = db
        .with('beat', (cte) =>
          cte
            .updateTable('instances')
            .set({ ...columnsOf(report), last_seen: NOW })
            .where('id', '=', id)
            .where('started_at', '=', startedAt)
            .where('state', '<>', 'gone')
            .returning('id'),
        )
        .with('renewed', (cte) =>
          cte
            .updateTable('leases')
            .set({ expires_at: sql<number>`${NOW} + ${leaseMs}` })
            .where('instance', 'in', (eb) => eb.selectFrom('beat').select('id'))
            .where('expires_at', '>', 0)
            .returning(['name', 'epoch']),
        )
        .selectFrom('beat')
        .leftJoin('renewed', (join) => join.onTrue())
        .select(['renewed.name', 'renewed.epoch']);
      const rows = await beat.execute();
      return rows.length === 0 ? null : rows.flatMap(({ name, epoch }) => (name === null || epoch === null ? [] : [{ name, epoch }]));
    },

    async keysOfOthers(id, silentMs) {
      const alive = db.selectFrom('instances').select(['id', 'keys_json']).where('id', '<>', id).where('state', '<>', 'gone');
      const rows = await alive.where('last_seen', '>=', sql<number>`${NOW} - ${silentMs}`).execute();
      return rows.map((row) => ({ instance: row.id, keys: keysSchema.parse(JSON.parse(row.keys_json)) }));
    },

    async list() {
      const rows = await db.selectFrom('instances').selectAll().orderBy('started_at', 'desc').orderBy('id').execute();
      return rows.map((row) => ({
        id: row.id,
        started_at: new Date(row.started_at).toISOString(),
        last_seen: new Date(row.last_seen).toISOString(),
        version: row.version,
        state: row.state,
        extensions: { ready: row.ready, failed: row.failed },
        calls_running: row.calls_running,
        local_files: localFilesSchema.parse(JSON.parse(row.local_files_json)),
      }));
    },

    async setLocalFiles(id, files) {
      await db
        .updateTable('instances')
        .set({ local_files_json: JSON.stringify(files) })
        .where('id', '=', id)
        .execute();
    },

    async declareGone(silentMs) {
      const silent = await db
        .updateTable('instances')
        .set({ state: 'gone', calls_running: 0 })
        .where('state', '<>', 'gone')
        .where('last_seen', '<', sql<number>`${NOW} - ${silentMs}`)
        .returning('id')
        .execute();
      return { instances: silent.map(({ id }) => id), calls: await endCalls(db, OF_GONE) };
    },

    async neverBegan(call, instance, silentMs) {
      const alive = sql<boolean>`exists (select 1 from instances where id = ${instance} and (state <> 'gone' or last_seen > ${NOW} - ${silentMs}))`;
      const begun = sql<boolean>`exists (select 1 from calls where id = ${call})`;
      // The history loses its oldest calls first.
      const reached = sql<boolean>`exists (select 1 from calls where id < ${call} and status <> 'running')`;
      const found = await sql<{ never: boolean }>`select ${reached} and not ${alive} and not ${begun} as never`.execute(db);
      return found.rows[0]?.never === true;
    },

    async leave(id, startedAt) {
      const left = await db
        .updateTable('instances')
        .set({ state: 'gone', calls_running: 0, last_seen: NOW })
        .where('id', '=', id)
        .where('started_at', '=', startedAt)
        .executeTakeFirst();
      if (changesOf(left) === 0) return;
      await freeLeases(db, id);
      await endCalls(db, OF_GONE);
    },

    async forget(olderMs) {
      await db
        .deleteFrom('instances')
        .where('state', '=', 'gone')
        .where('last_seen', '<', sql<number>`${NOW} - ${olderMs}`)
        .execute();
      await db
        .deleteFrom('instance_extensions')
        .where(
          sql<boolean>`not exists (select 1 from instances where instances.id = instance_extensions.instance and instances.state <> 'gone')`,
        )
        .execute();
      await db
        .deleteFrom('peer_requests')
        .where('created_at', '<', sql<number>`${NOW} - ${REQUEST_KEPT_MS}`)
        .execute();
    },

    async lease(name, instance, leaseMs) {
      const expires_at = sql<number>`${NOW} + ${leaseMs}`;
      // The row stays when a lease ends, because its epoch must continue.
      const taken = await db
        .insertInto('leases')
        .values({ name, instance, epoch: 1, expires_at })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet({
              instance,
              epoch: sql<number>`leases.epoch + case when leases.instance = ${instance} and leases.expires_at >= ${NOW} then 0 else 1 end`,
              expires_at,
            })
            .where((eb) => eb.or([eb('leases.instance', '=', instance), eb('leases.expires_at', '<', NOW)])),
        )
        .returning('epoch')
        .executeTakeFirst();
      return taken === undefined ? null : { name, epoch: taken.epoch };
    },

    async release(name, instance) {
      await db.updateTable('leases').set({ expires_at: 0 }).where('name', '=', name).where('instance', '=', instance).execute();
    },

    async holders() {
      const rows = await db.selectFrom('leases').select(['name', 'instance']).where('expires_at', '>=', NOW).execute();
      return new Map(rows.map(({ name, instance }) => [name, instance]));
    },

    async ask({ id, from, to, kind, payload }) {
      const row = { id, sender: from, recipient: to, kind, payload_json: payload, is_taken: 0, answer_json: null, created_at: NOW };
      await db.insertInto('peer_requests').values(row).execute();
    },

    async takeRequests(to) {
      const taken = db.updateTable('peer_requests').set({ is_taken: 1 }).where('recipient', '=', to).where('is_taken', '=', 0);
      const rows = await taken.returning(['id', 'sender', 'kind', 'payload_json']).execute();
      return rows.map(({ id, sender, kind, payload_json }) => ({ id, from: sender, kind, payload: payload_json }));
    },

    async putExtensions(instance, extensions, gone) {
      if (gone.length > 0)
        await db.deleteFrom('instance_extensions').where('instance', '=', instance).where('extension', 'in', gone).execute();
      if (extensions.length === 0) return;
      const rows = extensions.map(({ extension, state, servingRevision, failure }) => ({
        instance,
        extension,
        state,
        serving_revision: servingRevision,
        failure_json: failure === null ? null : JSON.stringify(failure),
      }));
      await db
        .insertInto('instance_extensions')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['instance', 'extension']).doUpdateSet((eb) => ({
            state: eb.ref('excluded.state'),
            serving_revision: eb.ref('excluded.serving_revision'),
            failure_json: eb.ref('excluded.failure_json'),
          })),
        )
        .execute();
    },

    async servedOnlyElsewhere(instance) {
      const rows = await db
        .selectFrom('instance_extensions as theirs')
        .innerJoin('instances', 'instances.id', 'theirs.instance')
        .select('theirs.extension')
        .distinct()
        .where('instances.state', '<>', 'gone')
        .where('theirs.instance', '<>', instance)
        .where('theirs.serving_revision', 'is not', null)
        .where(
          sql<boolean>`not exists (select 1 from instance_extensions as own where own.instance = ${instance}
            and own.extension = theirs.extension and own.serving_revision is not null)`,
        )
        .orderBy('theirs.extension')
        .execute();
      return rows.map(({ extension }) => extension);
    },

    async extensionStates(extension) {
      const rows = await db.selectFrom('instance_extensions').selectAll().where('extension', '=', extension).orderBy('instance').execute();
      return rows.map(({ instance, state, serving_revision, failure_json }) => ({
        instance,
        extension,
        state,
        servingRevision: serving_revision,
        failure: failure_json === null ? null : failureSchema.parse(JSON.parse(failure_json)),
      }));
    },

    async answer(id, answer) {
      await db.updateTable('peer_requests').set({ answer_json: answer }).where('id', '=', id).execute();
    },

    async takeAnswer(id) {
      const row = await db
        .deleteFrom('peer_requests')
        .where('id', '=', id)
        .where('answer_json', 'is not', null)
        .returning('answer_json')
        .executeTakeFirst();
      return row?.answer_json ?? null;
    },
  };
}

function columnsOf({ state, ready, failed, callsRunning }: InstanceReport) {
  return { state, ready, failed, calls_running: callsRunning };
}

async function freeLeases(db: Db, instance: string): Promise<void> {
  await db.updateTable('leases').set({ expires_at: 0 }).where('instance', '=', instance).execute();
}

/** Calls of all instances that are gone, also those that began just before that was known. */
const OF_GONE = sql<boolean>`not exists (select 1 from instances where instances.id = calls.instance and instances.state <> 'gone')`;

async function endCalls(db: Db, which: RawBuilder<boolean>): Promise<number> {
  const template = JSON.stringify(interruptedOn(ANY));
  const ended = await db
    .updateTable('calls')
    .set({
      status: 'failed',
      error_json: sql<string>`replace(${template}, ${ANY}, coalesce(calls.instance, 'unknown'))`,
      finished_at: NOW,
    })
    .where('status', '=', 'running')
    .where(which)
    .executeTakeFirst();
  return changesOf(ended);
}

export function instanceKeys(db: Db): readonly Compilable[] {
  return [db.schema.alterTable('instances').addColumn('keys_json', 'text', (c) => c.notNull().defaultTo('{}'))];
}

export function localFiles(db: Db): readonly Compilable[] {
  return [db.schema.alterTable('instances').addColumn('local_files_json', 'text', (c) => c.notNull().defaultTo('[]'))];
}

export function instanceTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`instances (id text primary key, version text, state text, ready integer, failed integer, calls_running integer,
      started_at integer, last_seen integer)`,
    strictTable(db)`leases (name text primary key, instance text, epoch integer, expires_at integer)`,
    strictTable(db)`instance_extensions (instance text, extension text, state text, serving_revision integer?,
      failure_json text?)`.addPrimaryKeyConstraint('instance_extensions_key', ['instance', 'extension']),
    strictTable(db)`peer_requests (id text primary key, sender text, recipient text, kind text, payload_json text, is_taken integer,
      answer_json text?, created_at integer)`,
    db.schema.createIndex('peer_requests_by_recipient').on('peer_requests').columns(['recipient', 'is_taken']),
  ];
}

export interface AttemptsTable {
  name: string;
  count: number;
  since: number;
}

/** One statement with its own commit: an attempt counts regardless of its outcome. */
export function createPostgresAttempts(db: Db): AttemptRepository {
  return {
    async count(name, windowMs) {
      const isOver = sql<boolean>`attempts.since <= ${NOW} - ${windowMs}::bigint`;
      const row = await db
        .insertInto('attempts')
        .values({ name, count: 1, since: NOW })
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet({
            count: sql<number>`case when ${isOver} then 1 else attempts.count + 1 end`,
            since: sql<number>`case when ${isOver} then ${NOW} else attempts.since end`,
          }),
        )
        .returning(['count', sql<number>`${NOW} - since`.as('ageMs')])
        .executeTakeFirstOrThrow();
      return { count: row.count, ageMs: Math.max(0, row.ageMs) };
    },
    async forget(olderMs) {
      await db
        .deleteFrom('attempts')
        .where('since', '<', sql<number>`${NOW} - ${olderMs}::bigint`)
        .execute();
    },
  };
}

export function attemptTables(db: Db): readonly Compilable[] {
  return [strictTable(db)`attempts (name text primary key, count integer, since integer)`];
}
