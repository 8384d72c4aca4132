import type { Selectable, Compilable } from 'kysely';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { type SavedCall, savedCallSchema } from '#lib/contract/saved-call.ts';
import { changesOf, countOf, type Database, type Db } from './database.ts';
import type { SavedCallRepository } from './store.ts';
import { strictTable } from './dialect.ts';

export function createSavedCallRepository(database: Database): SavedCallRepository {
  const { read, write } = database;
  /** The id of the tool's saved call with this name. */
  async function ownerOf(db: Db, tool: string, name: string): Promise<string | null> {
    const query = db.selectFrom('saved_calls').select('id').where('tool', '=', tool).where('name', '=', name);
    return (await query.executeTakeFirst())?.id ?? null;
  }

  return {
    insert(saved) {
      return write(async (db) => {
        const query = db.insertInto('saved_calls').values({ id: saved.id, tool: saved.tool, ...columnsOf(saved) });

        if ((await ownerOf(db, saved.tool, saved.name)) !== null) return 'name_taken';
        if ((await countOf(db.selectFrom('saved_calls').where('tool', '=', saved.tool))) >= LIMITS.savedCallsPerTool) return 'full';
        await query.execute();
        return 'stored';
      });
    },

    async get(id) {
      const row = await read.selectFrom('saved_calls').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : readRow(row);
    },

    async list(tool) {
      const query = read.selectFrom('saved_calls').selectAll().where('tool', '=', tool).orderBy('name');
      return (await query.execute()).map(readRow);
    },

    async listAll(limit) {
      const query = read.selectFrom('saved_calls').selectAll().orderBy('tool').orderBy('name').limit(limit);
      return (await query.execute()).map(readRow);
    },

    async required() {
      const query = read.selectFrom('saved_calls').selectAll().where('required', '=', 1).orderBy('tool').orderBy('name');
      return (await query.execute()).map(readRow);
    },

    replace(saved, before) {
      return write(async (db) => {
        const query = db.updateTable('saved_calls').set(columnsOf(saved)).where('id', '=', saved.id).where('updated_at', '=', before);

        const owner = await ownerOf(db, saved.tool, saved.name);
        if (owner !== null && owner !== saved.id) return 'name_taken';
        if (changesOf(await query.executeTakeFirst()) > 0) return 'stored';
        const there = await db.selectFrom('saved_calls').select('id').where('id', '=', saved.id).executeTakeFirst();
        return there === undefined ? 'gone' : 'changed';
      });
    },

    noteRun(id, updatedAt, run) {
      return write(async (db) => {
        const query = db
          .updateTable('saved_calls')
          .set({ last_run_json: JSON.stringify(run) })
          .where('id', '=', id)
          .where('updated_at', '=', updatedAt);
        await query.execute();
      });
    },

    remove(id) {
      return write(async (db) => {
        const query = db.deleteFrom('saved_calls').where('id', '=', id);
        await query.execute();
      });
    },
  };
}

function columnsOf(saved: SavedCall) {
  return {
    name: saved.name,
    arguments_json: JSON.stringify(saved.arguments),
    left_out_json: JSON.stringify(saved.left_out),
    timeout_ms: saved.timeout_ms,
    expectation_json: saved.expectation === null ? null : JSON.stringify(saved.expectation),
    required: saved.required ? 1 : 0,
    last_run_json: saved.last_run === null ? null : JSON.stringify(saved.last_run),
    created_by: saved.created_by,
    created_at: saved.created_at,
    updated_at: saved.updated_at,
  };
}

function readRow(row: Selectable<SavedCallsTable>): SavedCall {
  const { arguments_json: args, left_out_json: leftOut, expectation_json: expectation, last_run_json: lastRun, ...rest } = row;
  return savedCallSchema.parse({
    ...rest,
    required: rest.required === 1,
    arguments: parse(args),
    left_out: parse(leftOut),
    expectation: parse(expectation),
    last_run: parse(lastRun),
  });
}

function parse(json: string | null): unknown {
  return json === null ? null : parseExactJson(json);
}

export interface SavedCallsTable {
  id: string;
  tool: string;
  name: string;
  arguments_json: string;
  left_out_json: string;
  timeout_ms: number | null;
  expectation_json: string | null;
  required: number;
  last_run_json: string | null;
  created_by: string | null;
  created_at: string;
  updated_at: string;
}

/** The checks that every new revision must pass, and a failure's record of those that failed. */
export function requiredChecks(db: Db): readonly Compilable[] {
  return [
    db.schema.alterTable('saved_calls').addColumn('required', 'integer', (c) => c.notNull().defaultTo(0)),
    db.schema.alterTable('failures').addColumn('failed_checks_json', 'text'),
  ];
}

/** Saved calls by name, with the result of the last run of each. */
export function savedCallTables(db: Db): readonly Compilable[] {
  return [
    strictTable(db)`saved_calls (id text primary key, tool text, name text, arguments_json text, left_out_json text,
      timeout_ms integer?, expectation_json text?, last_run_json text?, created_by text?, created_at text, updated_at text)`.addUniqueConstraint(
      'saved_calls_name',
      ['tool', 'name'],
    ),
  ];
}
