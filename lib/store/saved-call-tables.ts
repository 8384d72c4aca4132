import type { Compilable } from 'kysely';
import type { QueryBuilder } from './query-builder.ts';
import { strict } from './strict-table.ts';

/** Which of them every new revision must pass, and what a failure says of those that it did not. */
export function requiredChecks(db: QueryBuilder): readonly Compilable[] {
  return [
    db.schema.alterTable('saved_calls').addColumn('required', 'integer', (c) => c.notNull().defaultTo(0)),
    db.schema.alterTable('failures').addColumn('failed_checks_json', 'text'),
  ];
}

/** Calls that people keep under a name, and how each ended last. */
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
