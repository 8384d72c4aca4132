import { sql } from 'kysely';
import type { Compilable, CreateTableBuilder } from 'kysely';

/** A table whose columns hold what their type says, and nothing else. */
export function strict<Name extends string>(table: CreateTableBuilder<Name>): Compilable {
  return table.modifyEnd(sql`strict`);
}
