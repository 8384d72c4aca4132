import { sql } from 'kysely';
import type { Compilable, RawBuilder } from 'kysely';
import type { QueryBuilder } from './query-builder.ts';
import { strict } from './strict-table.ts';

/**
 * Who did what, written once: the database itself refuses to change or remove an entry, whatever statement tries to. One that
 * takes the place of another (`insert or replace`) would remove that without asking the trigger for removals, so it is
 * refused where it is inserted.
 */
export function auditTables(db: QueryBuilder): readonly Compilable[] {
  const raw = (text: RawBuilder<unknown>): Compilable => ({ compile: () => text.compile(db) });
  return [
    strict(
      db.schema
        .createTable('audit_entries')
        .addColumn('seq', 'integer', (c) => c.primaryKey())
        .addColumn('id', 'text', (c) => c.notNull().unique())
        .addColumn('at', 'integer', (c) => c.notNull())
        .addColumn('actor_kind', 'text', (c) => c.notNull())
        .addColumn('actor_id', 'text')
        .addColumn('actor_name', 'text', (c) => c.notNull())
        .addColumn('action', 'text', (c) => c.notNull())
        .addColumn('target', 'text')
        .addColumn('outcome', 'text', (c) => c.notNull())
        .addColumn('address', 'text')
        .addColumn('detail_json', 'text', (c) => c.notNull()),
    ),
    db.schema.createIndex('audit_entries_by_time').on('audit_entries').columns(['at', 'seq']),
    db.schema.createIndex('audit_entries_by_actor').on('audit_entries').columns(['actor_name', 'at', 'seq']),
    db.schema.createIndex('audit_entries_by_action').on('audit_entries').columns(['action', 'at', 'seq']),
    raw(sql`create trigger audit_entries_unchanged before update on audit_entries
      begin select raise(abort, 'an entry of the audit is never changed'); end`),
    raw(sql`create trigger audit_entries_kept before delete on audit_entries
      begin select raise(abort, 'an entry of the audit is never removed'); end`),
    raw(sql`create trigger audit_entries_not_replaced before insert on audit_entries
      when exists (select 1 from audit_entries where seq = new.seq or id = new.id)
      begin select raise(abort, 'an entry of the audit is never replaced'); end`),
  ];
}
