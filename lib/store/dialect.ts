import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { DURATION_CLASSES_PER_E } from './duration-counts.ts';

/** All differences between SQLite and PostgreSQL in queries. Full-text search is in their folders. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Whether a text has the pattern of LIKE, with \ as escape, without regard to case. */
  isLike(column: string, pattern: string): RawBuilder<boolean>;
  /** A column for which the planner must use no index. */
  unindexed(column: string): RawBuilder<unknown>;
  /** A query with these numbers as its rows: one SQL text, and so one prepared statement, for any number of them. */
  numbers(values: readonly number[]): RawBuilder<number>;
  /** A field of JSON text, as text. */
  jsonField(column: string, field: string): RawBuilder<string>;
  /** JSON text without a field. */
  withoutField(column: string, field: string): RawBuilder<string>;
}

export const SQLITE: Dialect = {
  name: 'sqlite',
  isLike: (column, pattern) => sql`${sql.ref(column)} like ${pattern} escape '\\'`,
  unindexed: (column) => sql`+${sql.ref(column)}`,
  numbers: (values) => sql`(select value from json_each(${JSON.stringify(values)}))`,
  jsonField: (column, field) => sql`${sql.ref(column)} ->> ${sql.lit(`$.${field}`)}`,
  withoutField: (column, field) => sql`json_remove(${sql.ref(column)}, ${sql.lit(`$.${field}`)})`,
};

export const POSTGRES: Dialect = {
  name: 'postgres',
  isLike: (column, pattern) => sql`${sql.ref(column)} ilike ${pattern} escape '\\'`,
  // PostgreSQL has statistics about values, and chooses an index itself.
  unindexed: (column) => sql`${sql.ref(column)}`,
  numbers: (values) => sql`(select unnest(${values}::bigint[]))`,
  jsonField: (column, field) => sql`${sql.ref(column)}::json ->> ${sql.lit(field)}`,
  withoutField: (column, field) => sql`(${sql.ref(column)}::jsonb - ${sql.lit(field)})::text`,
};

/** The class of a duration in microseconds (see duration-counts.ts); null without one. */
export function durationClass(column: string): RawBuilder<number | null> {
  const duration = sql.ref(column);
  return sql`floor(ln(case when ${duration} < 1 then 1 else ${duration} end) * ${sql.lit(DURATION_CLASSES_PER_E)})`;
}
