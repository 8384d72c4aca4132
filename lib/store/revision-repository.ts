import { sql } from 'kysely';
import type { Compilable, Selectable } from 'kysely';
import * as z from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import { changesOf, type Columns, type Db, fromColumns, toColumns } from './database.ts';
import type { RevisionRepository, RevisionRow, SetWrites } from './store.ts';
import { strictTable } from './dialect.ts';
import type { Bit } from './tables.ts';

const sourcesSchema = z.record(z.string(), z.string());

/**
 * Revisions of each extension. The newest LIMITS.revisionsKept keep their sources and stay runnable, as do the serving
 * and the pinned one. The others stay listed, without sources.
 */
export function createRevisionRepository(db: Db): RevisionRepository & Pick<SetWrites, 'insertRevision' | 'updateRevision'> {
  async function newest(extension: string): Promise<number> {
    const query = db.selectFrom('revisions').select('revision').where('extension', '=', extension).orderBy('revision', 'desc').limit(1);
    return (await query.executeTakeFirst())?.revision ?? 0;
  }

  async function nextTry(extension: string): Promise<number> {
    return ((await lastTried(extension))?.tried ?? 0) + 1;
  }

  async function lastTried(extension: string): Promise<Selectable<RevisionsTable> | undefined> {
    const query = db.selectFrom('revisions').selectAll().where('extension', '=', extension).orderBy('tried', 'desc').limit(1);
    return await query.executeTakeFirst();
  }

  async function strip(extension: string, below: number): Promise<void> {
    if (below < 1) return;
    const inUse = await db
      .selectFrom('extensions')
      .select(['serving_revision', 'pinned_revision'])
      .where('extension', '=', extension)
      .executeTakeFirst();
    const kept = [inUse?.serving_revision, inUse?.pinned_revision].filter((revision) => revision !== null && revision !== undefined);
    let query = db
      .updateTable('revisions')
      .set({ sources_json: '{}', runnable: 0 })
      .where('extension', '=', extension)
      .where('revision', '<=', below)
      .where((eb) => eb.or([eb('runnable', '=', 1), eb('sources_json', '<>', '{}')]));
    if (kept.length > 0) query = query.where('revision', 'not in', kept);
    await query.execute();
  }

  return {
    async find(extension, contentHash) {
      const query = db.selectFrom('revisions').selectAll().where('extension', '=', extension).where('content_hash', '=', contentHash);
      return rowOrNull(await query.executeTakeFirst());
    },

    async get(extension, revision) {
      const query = db.selectFrom('revisions').selectAll().where('extension', '=', extension).where('revision', '=', revision);
      return rowOrNull(await query.executeTakeFirst());
    },

    latest: async (extension) => rowOrNull(await lastTried(extension)),

    async list(extension) {
      const query = db
        .selectFrom('revisions')
        .select([
          'extension',
          'revision',
          'tried',
          'content_hash',
          'created_at',
          'trigger',
          'actor',
          'outcome',
          'description_json',
          'build_json',
          'runnable',
          'failure_id',
        ])
        .select(sql.lit('{}').as('sources_json'))
        .where('extension', '=', extension)
        .orderBy('revision', 'desc');
      return (await query.execute()).map(toRevision);
    },

    async insertRevision(row) {
      const revision = (await newest(row.extension)) + 1;
      const { description, build, sources, runnable, ...same } = row;
      const json = { description_json: description, build_json: build, sources_json: JSON.stringify(sources) };
      const tried = await nextTry(row.extension);
      const columns = { ...toColumns(same), ...json, revision, tried, runnable: runnable ? (1 as const) : (0 as const) };
      await db.insertInto('revisions').values(columns).execute();
      await strip(row.extension, revision - LIMITS.revisionsKept);
      return { ...row, revision };
    },

    async updateRevision(extension, revision, change) {
      const { outcome, description, build, sources, runnable, failureId } = change;
      const columns: Partial<Selectable<RevisionsTable>> = {
        ...(outcome === undefined ? {} : { outcome }),
        ...(description === undefined ? {} : { description_json: description }),
        ...(build === undefined ? {} : { build_json: build }),
        ...(sources === undefined ? {} : { sources_json: JSON.stringify(sources) }),
        ...(runnable === undefined ? {} : { runnable: runnable ? 1 : 0 }),
        ...(failureId === undefined ? {} : { failure_id: failureId }),
      };
      const changed = { ...columns, tried: await nextTry(extension) };
      const query = db.updateTable('revisions').set(changed).where('extension', '=', extension).where('revision', '=', revision);
      if (changesOf(await query.executeTakeFirst()) === 0)
        throw new Error(`Extension ${extension} has no revision ${revision}, so it cannot be changed.`);
    },
  };
}

function rowOrNull(row: Selectable<RevisionsTable> | undefined): RevisionRow | null {
  return row === undefined ? null : toRevision(row);
}

function toRevision(row: Selectable<RevisionsTable>): RevisionRow {
  const { tried: _, description_json: description, build_json: build, sources_json: sources, runnable, ...same } = row;
  return {
    ...fromColumns<Omit<RevisionRow, 'description' | 'build' | 'sources' | 'runnable'>>(same),
    description,
    build,
    sources: sourcesSchema.parse(JSON.parse(sources)),
    runnable: runnable === 1,
  };
}

export interface RevisionsTable extends Columns<Omit<RevisionRow, 'description' | 'build' | 'sources' | 'runnable'>> {
  /** Increases with each attempt, per extension; the highest was tried last. */
  tried: number;
  description_json: string | null;
  build_json: string | null;
  sources_json: string;
  runnable: Bit;
}

export function revisionTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`revisions (extension text, revision integer, tried integer, content_hash text, created_at text, trigger text,
      outcome text, description_json text?, build_json text?, runnable integer, failure_id text?, sources_json text)`
      .addPrimaryKeyConstraint('revisions_key', ['extension', 'revision'])
      .addUniqueConstraint('revisions_content', ['extension', 'content_hash']),
    db.schema.createIndex('revisions_by_try').on('revisions').columns(['extension', 'tried']),
  ];
}

export function revisionActors(db: Db): readonly Compilable[] {
  return [db.schema.alterTable('revisions').addColumn('actor', 'text')];
}
