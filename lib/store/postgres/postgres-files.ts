import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { Compilable } from 'kysely';
import type { Db } from '../database.ts';
import type { FileOutcome, SharedFileRepository } from '../shared-files.ts';
import type { Pool } from './postgres-pool.ts';

export interface SharedFilesTable {
  path: string;
  hash: string | null;
  version: number;
  instance: string;
  changed_at: number;
}

export interface FileContentsTable {
  hash: string;
  content: Uint8Array;
}

export interface FileConflictsTable {
  id: string;
  path: string;
  /** Empty: removed there. */
  other_hash: string;
  instance: string;
  saved_at: number;
  settled: 'serving' | 'other' | null;
}

/** Any number that other programs do not use for their locks. */
const FILES_LOCK = 7_327_160_275;
const NEXT_VERSION = sql<number>`nextval('shared_file_versions')`;
const NOW = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;

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
      const rows = db.selectFrom('shared_files').select(['path', 'hash', 'version', 'instance']).where('version', '>', version);
      return await rows.orderBy('version').execute();
    },

    async contents(hashes) {
      if (hashes.length === 0) return new Map();
      const rows = await db.selectFrom('file_contents').selectAll().where('hash', 'in', hashes).execute();
      return new Map(rows.map(({ hash, content }) => [hash, content]));
    },

    change: ({ path, content, hash, base, instance }) =>
      locked(async (own): Promise<FileOutcome> => {
        const query = own.selectFrom('shared_files').select(['path', 'hash', 'version', 'instance']).where('path', '=', path);
        const current = await query.executeTakeFirst();
        if (current !== undefined && current.hash === hash) return { ok: true, version: current.version };
        if (current !== undefined && current.hash !== base) return { ok: false, current };
        return { ok: true, version: await put(own, path, hash, content, instance) };
      }),

    keepConflict: ({ path, content, hash, instance }) =>
      locked(async (own) => {
        const other_hash = hash ?? '';
        const known = own.selectFrom('file_conflicts').select('id').where('path', '=', path).where('other_hash', '=', other_hash);
        if ((await known.executeTakeFirst()) !== undefined) return false;
        if (hash !== null && content !== null) await keepContent(own, hash, content);
        const row = { id: randomUUIDv7(), path, other_hash, instance, saved_at: NOW, settled: null };
        await own.insertInto('file_conflicts').values(row).execute();
        return true;
      }),

    async conflicts() {
      const rows = await db
        .selectFrom('file_conflicts')
        .leftJoin('shared_files', 'shared_files.path', 'file_conflicts.path')
        .selectAll('file_conflicts')
        .select('shared_files.hash as serving_hash')
        .where('settled', 'is', null)
        .orderBy('saved_at')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        path: row.path,
        instance: row.instance,
        savedAt: new Date(row.saved_at).toISOString(),
        servingHash: row.serving_hash,
        otherHash: row.other_hash === '' ? null : row.other_hash,
      }));
    },

    settle: (id, keep, instance) =>
      locked(async (own) => {
        const query = own.updateTable('file_conflicts').set({ settled: keep }).where('id', '=', id).where('settled', 'is', null);
        const settled = await query.returning(['path', 'other_hash']).executeTakeFirst();
        if (settled === undefined) return false;
        const hash = settled.other_hash === '' ? null : settled.other_hash;
        if (keep === 'other') await put(own, settled.path, hash, null, instance);
        return true;
      }),

    async sweep() {
      await db
        .deleteFrom('file_contents')
        .where(sql<boolean>`not exists (select 1 from shared_files where shared_files.hash = file_contents.hash)`)
        .where(sql<boolean>`not exists (select 1 from file_conflicts where settled is null and other_hash = file_contents.hash)`)
        .execute();
    },
  };
}

async function put(db: Db, path: string, hash: string | null, content: Uint8Array | null, instance: string): Promise<number> {
  if (hash !== null && content !== null) await keepContent(db, hash, content);
  const columns = { hash, version: NEXT_VERSION, instance, changed_at: NOW };
  const stored = await db
    .insertInto('shared_files')
    .values({ path, ...columns })
    .onConflict((conflict) => conflict.column('path').doUpdateSet(columns))
    .returning('version')
    .executeTakeFirstOrThrow();
  return stored.version;
}

async function keepContent(db: Db, hash: string, content: Uint8Array): Promise<void> {
  await db
    .insertInto('file_contents')
    .values({ hash, content: Buffer.from(content) })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute();
}

export function sharedFileTables(db: Db): readonly Compilable[] {
  return [
    { compile: () => sql`create sequence shared_file_versions`.compile(db) },
    db.schema
      .createTable('shared_files')
      .addColumn('path', 'text', (c) => c.notNull().primaryKey())
      .addColumn('hash', 'text')
      .addColumn('version', 'integer', (c) => c.notNull().unique())
      .addColumn('instance', 'text', (c) => c.notNull())
      .addColumn('changed_at', 'integer', (c) => c.notNull()),
    db.schema
      .createTable('file_contents')
      .addColumn('hash', 'text', (c) => c.notNull().primaryKey())
      .addColumn('content', 'bytea', (c) => c.notNull()),
    db.schema
      .createTable('file_conflicts')
      .addColumn('id', 'text', (c) => c.notNull().primaryKey())
      .addColumn('path', 'text', (c) => c.notNull())
      .addColumn('other_hash', 'text', (c) => c.notNull())
      .addColumn('instance', 'text', (c) => c.notNull())
      .addColumn('saved_at', 'integer', (c) => c.notNull())
      .addColumn('settled', 'text')
      .addUniqueConstraint('file_conflicts_content', ['path', 'other_hash']),
  ];
}
