import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import type { CountersTable } from './tables.ts';

export function readCounter(connection: Connection, db: QueryBuilder, name: CountersTable['name']): number {
  return connection.first(db.selectFrom('counters').select('value').where('name', '=', name).compile())?.value ?? 0;
}

export function writeCounter(connection: Connection, db: QueryBuilder, name: CountersTable['name'], value: number): void {
  connection.run(db.updateTable('counters').set({ value }).where('name', '=', name).compile());
}
