import { type CreateTableBuilder, type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';

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

/** The class of a duration in microseconds; null without one. */
export function durationClass(column: string): RawBuilder<number | null> {
  const duration = sql.ref(column);
  return sql`floor(ln(case when ${duration} < 1 then 1 else ${duration} end) * ${sql.lit(DURATION_CLASSES_PER_E)})`;
}

/**
 * Calls counted by classes of duration, each 10 % longer than the one before; a percentile is the middle of its class.
 */
export interface DurationCounts {
  add(group: { readonly class: number | null; readonly calls: number; readonly failed: number }): void;
  counts(): { readonly calls: number; readonly failed: number; readonly p50_ms: number | null; readonly p95_ms: number | null };
}

/** The class of a duration is `floor(ln(microseconds) × this)`. */
const DURATION_CLASSES_PER_E = 1 / Math.log(1.1);

export function createDurationCounts(): DurationCounts {
  let calls = 0;
  let failed = 0;
  let timed = 0;
  const classes = new Map<number, number>();

  function percentile(share: number): number | null {
    let left = Math.ceil(timed * share);
    for (const [each, count] of [...classes].toSorted(([a], [b]) => a - b)) {
      left -= count;
      if (left <= 0) return round(Math.exp((each + 0.5) / DURATION_CLASSES_PER_E) / 1_000);
    }
    return null;
  }

  return {
    add(group) {
      calls += group.calls;
      failed += group.failed;
      if (group.class === null) return;
      timed += group.calls;
      classes.set(group.class, (classes.get(group.class) ?? 0) + group.calls);
    },
    counts: () => ({ calls, failed, p50_ms: percentile(0.5), p95_ms: percentile(0.95) }),
  };
}

/** Three significant figures; more would be false precision. */
function round(ms: number): number {
  return Number(ms.toPrecision(3));
}

/**
 * A STRICT table: each column holds only values of its declared type. Written as in SQL, without `not null`: only columns with
 * `?` may be null.
 */
export const strictTable =
  (db: Pick<Db, 'schema'>) =>
  ([text = '']: readonly string[]): CreateTableBuilder<string, string> => {
    const [table = '', columns = ''] = text.split(/[()]/);
    return columns.split(',').reduce(
      (made, column) => {
        const [name = '', type, ...rest] = column.trim().split(/\s+/);
        const after = (word: string): string | undefined => rest[rest.indexOf(word) + 1];
        return made.addColumn(name, type?.startsWith('integer') === true ? 'integer' : 'text', (plain) => {
          let of = type?.endsWith('?') === true || (rest[0] === 'primary' && type === 'integer') ? plain : plain.notNull();
          if (rest.includes('primary')) of = of.primaryKey();
          if (rest.includes('unique')) of = of.unique();
          if (rest.includes('default')) of = of.defaultTo(Number(after('default')));
          if (rest.includes('references')) of = of.references(after('references') ?? '');
          return rest.includes('cascade') ? of.onDelete('cascade') : of;
        });
      },
      db.schema.createTable(table.trim()).modifyEnd(sql`strict`) as CreateTableBuilder<string, string>,
    );
  };
