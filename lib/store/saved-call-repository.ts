import type { Selectable, Compilable } from 'kysely';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { savedCallSchema } from '#lib/contract/saved-call.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import type { SavedCallRepository } from './store.ts';
import type { SavedCallsTable } from './tables.ts';
import type { WriteQueue } from './write-queue.ts';
import { strict } from './strict-table.ts';

export function createSavedCallRepository(connection: Connection, db: QueryBuilder, queue: WriteQueue): SavedCallRepository {
  /** The id of the tool's saved call with this name. */
  function ownerOf(tool: string, name: string): string | null {
    const query = db.selectFrom('saved_calls').select('id').where('tool', '=', tool).where('name', '=', name).compile();
    return connection.first(query)?.id ?? null;
  }

  function countOf(tool: string): number {
    const query = db
      .selectFrom('saved_calls')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('tool', '=', tool);
    return connection.first(query.compile())?.count ?? 0;
  }

  return {
    insert(saved) {
      const query = db
        .insertInto('saved_calls')
        .values({ id: saved.id, tool: saved.tool, ...columnsOf(saved) })
        .compile();
      return queue.run(() => {
        if (ownerOf(saved.tool, saved.name) !== null) return 'name_taken';
        if (countOf(saved.tool) >= LIMITS.savedCallsPerTool) return 'full';
        connection.run(query);
        return 'kept';
      });
    },

    get(id) {
      const row = connection.first(db.selectFrom('saved_calls').selectAll().where('id', '=', id).compile());
      return row === undefined ? null : readRow(row);
    },

    list(tool) {
      const query = db.selectFrom('saved_calls').selectAll().where('tool', '=', tool).orderBy('name');
      return connection.all(query.compile()).map(readRow);
    },

    listAll(limit) {
      const query = db.selectFrom('saved_calls').selectAll().orderBy('tool').orderBy('name').limit(limit);
      return connection.all(query.compile()).map(readRow);
    },

    required() {
      const query = db.selectFrom('saved_calls').selectAll().where('required', '=', 1).orderBy('tool').orderBy('name');
      return connection.all(query.compile()).map(readRow);
    },

    replace(saved) {
      const query = db.updateTable('saved_calls').set(columnsOf(saved)).where('id', '=', saved.id).compile();
      return queue.run(() => {
        const owner = ownerOf(saved.tool, saved.name);
        if (owner !== null && owner !== saved.id) return 'name_taken';
        return connection.run(query).changes === 0 ? 'gone' : 'kept';
      });
    },

    noteRun(id, updatedAt, run) {
      const query = db
        .updateTable('saved_calls')
        .set({ last_run_json: JSON.stringify(run) })
        .where('id', '=', id)
        .where('updated_at', '=', updatedAt)
        .compile();
      return queue.run(() => void connection.run(query));
    },

    remove(id) {
      const query = db.deleteFrom('saved_calls').where('id', '=', id).compile();
      return queue.run(() => void connection.run(query));
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
    arguments: read(args),
    left_out: read(leftOut),
    expectation: read(expectation),
    last_run: read(lastRun),
  });
}

function read(json: string | null): unknown {
  return json === null ? null : parseExactJson(json);
}

/** The checks that every new revision must pass, and a failure's record of those that failed. */
export function requiredChecks(db: QueryBuilder): readonly Compilable[] {
  return [
    db.schema.alterTable('saved_calls').addColumn('required', 'integer', (c) => c.notNull().defaultTo(0)),
    db.schema.alterTable('failures').addColumn('failed_checks_json', 'text'),
  ];
}

/** Saved calls by name, with the result of the last run of each. */
export function savedCallTables(db: QueryBuilder): readonly Compilable[] {
  return [
    strict(
      db.schema
        .createTable('saved_calls')
        .addColumn('id', 'text', (c) => c.notNull().primaryKey())
        .addColumn('tool', 'text', (c) => c.notNull())
        .addColumn('name', 'text', (c) => c.notNull())
        .addColumn('arguments_json', 'text', (c) => c.notNull())
        .addColumn('left_out_json', 'text', (c) => c.notNull())
        .addColumn('timeout_ms', 'integer')
        .addColumn('expectation_json', 'text')
        .addColumn('last_run_json', 'text')
        .addColumn('created_by', 'text')
        .addColumn('created_at', 'text', (c) => c.notNull())
        .addColumn('updated_at', 'text', (c) => c.notNull())
        .addUniqueConstraint('saved_calls_name', ['tool', 'name']),
    ),
  ];
}
