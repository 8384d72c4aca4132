import { sql } from 'kysely';
import type { Compilable, CreateTableBuilder } from 'kysely';

/** A STRICT table: each column holds only values of its declared type. */
export function strict<Name extends string>(table: CreateTableBuilder<Name>): Compilable {
  return table.modifyEnd(sql`strict`);
}
