import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { Compilable } from 'kysely';
import type { Db } from '../database.ts';
import { strictTable } from '../dialect.ts';
import type { FileChange, FileOutcome, FileSave, SharedFileRepository } from '../shared-files.ts';
import { NOW } from './postgres-instances.ts';
import type { Pool } from './postgres-pool.ts';

export interface SharedFilesTable {
  path: string;
  hash: string | null;
  version: number;
  instance: string;
  actor: string | null;
  changed_at: number;
}

export interface FileContentsTable {
  hash: string;
  content: Uint8Array;
}

export interface FileConflictsTable {
  id: string;
  path: string;
  /** Empty: the file is removed. */
  other_hash: string;
  instance: string;
  actor: string | null;
  saved_at: number;
  settled: 'serving' | 'other' | null;
}

/** Any number that other programs do not use for their locks. */
const FILES_LOCK = 7_327_160_275;
const NEXT_VERSION = sql<number>`nextval('shared_file_versions')`;
/** Represents a removed file, because NULL equals nothing. */
const REMOVED = '';

/** Changes are made one at a time, so that versions appear in their order: a reader that has seen one misses none below. */
export function createPostgresFiles(pool: Pool): SharedFileRepository {
  const { db } = pool;

  async function locked<Value>(work: (db: Db) => Promise<Value>): Promise<Value> {
    return await pool.onConnection(async (own, run) => {
      await run('begin');
      await run(`select pg_advisory_xact_lock(${FILES_LOCK})`);
      const value = await work(own);
      await run('commit');
      return value;
    });
  }

  return {
    async changesAfter(version) {
      const rows = db.selectFrom('shared_files').select(['path', 'hash', 'version']).where('version', '>', version);
      return await rows.orderBy('version').execute();
    },

    async contents(hashes) {
      if (hashes.length === 0) return new Map();
      const rows = await db.selectFrom('file_contents').selectAll().where('hash', 'in', hashes).execute();
      return new Map(rows.map(({ hash, content }) => [hash, content]));
    },

    change: (change) =>
      locked(async (own): Promise<FileOutcome> => {
        const query = own.selectFrom('shared_files').select(['path', 'hash', 'version']).where('path', '=', change.path);
        const current = await query.executeTakeFirst();
        if (current !== undefined && current.hash === change.hash) return { ok: true, version: current.version };
        if (current !== undefined && current.hash !== null && current.hash !== change.base) return { ok: false, current };
        return { ok: true, version: await put(own, change) };
      }),

    addConflict: ({ path, content, hash, instance, actor }) =>
      locked(async (own) => {
        await putContent(own, hash, content);
        const save = { instance, actor, saved_at: NOW, settled: null };
        const added = await own
          .insertInto('file_conflicts')
          .values({ id: randomUUIDv7(), path, other_hash: hash ?? REMOVED, ...save })
          .onConflict((known) => known.columns(['path', 'other_hash']).doUpdateSet(save).where('file_conflicts.settled', 'is not', null))
          .returning('id')
          .executeTakeFirst();
        return added !== undefined;
      }),

    async conflicts() {
      const rows = await db
        .selectFrom('file_conflicts')
        .innerJoin('shared_files as serving', 'serving.path', 'file_conflicts.path')
        .selectAll('file_conflicts')
        .select(['serving.hash', 'serving.instance as serving_instance', 'serving.actor as serving_actor', 'serving.changed_at'])
        .where('settled', 'is', null)
        .orderBy('saved_at')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        path: row.path,
        serving: saveOf(row.hash, row.serving_instance, row.serving_actor, row.changed_at),
        other: saveOf(hashOf(row.other_hash), row.instance, row.actor, row.saved_at),
      }));
    },

    settle: (id, keep, { instance, actor }) =>
      locked(async (own) => {
        const query = own.updateTable('file_conflicts').set({ settled: keep }).where('id', '=', id).where('settled', 'is', null);
        const settled = await query.returning(['path', 'other_hash']).executeTakeFirst();
        if (settled === undefined) return false;
        const chosen = { path: settled.path, hash: hashOf(settled.other_hash), content: null };
        if (keep === 'other') await put(own, { ...chosen, instance, actor });
        return true;
      }),

    sweep: () =>
      locked(async (own) => {
        await own
          .deleteFrom('file_contents')
          .where(sql<boolean>`not exists (select 1 from shared_files where shared_files.hash = file_contents.hash)`)
          .where(sql<boolean>`not exists (select 1 from file_conflicts where settled is null and other_hash = file_contents.hash)`)
          .execute();
      }),
  };
}

const hashOf = (stored: string): string | null => (stored === REMOVED ? null : stored);

function saveOf(hash: string | null, instance: string, actor: string | null, savedAt: number): FileSave {
  return { hash, instance, actor, savedAt: new Date(savedAt).toISOString() };
}

/** Without the content, which is in the database. */
async function put(db: Db, { path, hash, content, instance, actor }: Omit<FileChange, 'base'>): Promise<number> {
  await putContent(db, hash, content);
  const columns = { hash, version: NEXT_VERSION, instance, actor, changed_at: NOW };
  const stored = await db
    .insertInto('shared_files')
    .values({ path, ...columns })
    .onConflict((conflict) => conflict.column('path').doUpdateSet(columns))
    .returning('version')
    .executeTakeFirstOrThrow();
  return stored.version;
}

async function putContent(db: Db, hash: string | null, content: Uint8Array | null): Promise<void> {
  if (hash === null || content === null) return;
  await db
    .insertInto('file_contents')
    .values({ hash, content: Buffer.from(content) })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute();
}

export function fileAuthors(db: Db): readonly Compilable[] {
  return [
    db.schema.alterTable('shared_files').addColumn('actor', 'text'),
    db.schema.alterTable('file_conflicts').addColumn('actor', 'text'),
  ];
}

export function sharedFileTables(db: Db): readonly Compilable[] {
  return [
    { compile: () => sql`create sequence shared_file_versions`.compile(db) },
    strictTable(db)`shared_files (path text primary key, hash text?, version integer unique, instance text, changed_at integer)`,
    db.schema
      .createTable('file_contents')
      .addColumn('hash', 'text', (c) => c.notNull().primaryKey())
      .addColumn('content', 'bytea', (c) => c.notNull()),
    strictTable(db)`file_conflicts (id text primary key, path text, other_hash text, instance text,
      saved_at integer, settled text?)`.addUniqueConstraint('file_conflicts_content', ['path', 'other_hash']),
  ];
}
