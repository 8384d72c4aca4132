import { type Compilable, type Generated, type RawBuilder, type Selectable, sql } from 'kysely';
import { type AuditEntry, auditEntrySchema, type AuditQuery } from '#lib/contract/audit.ts';
import type { AuditRepository, AuditRow } from './account-store.ts';
import { decodeCursor, encodeCursor } from './page-cursor.ts';
import { type Columns, type Database, type Db, toColumns } from './database.ts';
import { type Dialect, strictTable } from './dialect.ts';

type Row = Selectable<AuditEntriesTable>;

interface Place {
  readonly at: number;
  readonly seq: number;
}

/** Entries scanned by one search, and how many at a time. */
const SEARCHED = 10_000;
const BATCH = 1_000;

export function createAuditRepository(database: Database): AuditRepository {
  const { read, write } = database;

  async function rowsOf(query: AuditQuery, after: Place | null, limit: number): Promise<Row[]> {
    const { actor, action, outcome, from, to } = query;
    let select = read.selectFrom('audit_entries').selectAll().orderBy('at', 'desc').orderBy('seq', 'desc').limit(limit);
    if (actor !== undefined) select = select.where('actor_name', '=', actor);
    // A name without a dot matches all names that begin with it; `/` is the character after the dot.
    if (action?.includes('.') === false) select = select.where('action', '>', `${action}.`).where('action', '<', `${action}/`);
    else if (action !== undefined) select = select.where('action', '=', action);
    if (outcome !== undefined) select = select.where('outcome', '=', outcome);
    if (from !== undefined) select = select.where('at', '>=', Date.parse(from));
    if (to !== undefined) select = select.where('at', '<', Date.parse(to));
    if (after !== null)
      select = select.where((eb) => eb.or([eb('at', '<', after.at), eb.and([eb('at', '=', after.at), eb('seq', '<', after.seq)])]));
    return select.execute();
  }

  /** Entries that match the search, and the position reached; null at the end. */
  async function search(
    query: AuditQuery,
    begin: Place | null,
    words: string,
  ): Promise<{ readonly rows: Row[]; readonly end: Place | null }> {
    const rows: Row[] = [];
    let end = begin;
    for (let looked = 0; looked < SEARCHED; looked += BATCH) {
      const piece = await rowsOf(query, end, BATCH);
      for (const row of piece) {
        end = row;
        if (holds(row, words)) rows.push(row);
        if (rows.length === query.limit) return { rows, end };
      }
      if (piece.length < BATCH) return { rows, end: null };
    }
    return { rows, end };
  }

  return {
    append(rows) {
      if (rows.length === 0) return Promise.resolve();
      const entries = rows.map(({ detail, ...row }) => ({ ...toColumns(row), detail_json: JSON.stringify(detail) }));
      return write(async (db) => {
        await db.insertInto('audit_entries').values(entries).execute();
      });
    },

    async list(query) {
      const begin = query.cursor === undefined ? null : decodePlace(query.cursor);
      if (begin === null && query.cursor !== undefined) return null;
      const words = query.q?.toLowerCase() ?? '';
      const { rows, end } = words === '' ? await listPage(query, begin) : await search(query, begin, words);
      return { entries: rows.map(entryOf), next_cursor: end === null ? null : encodeCursor('audit', [end.at, end.seq]) };
    },
  };

  async function listPage(query: AuditQuery, begin: Place | null): Promise<{ readonly rows: Row[]; readonly end: Place | null }> {
    const rows = await rowsOf(query, begin, query.limit + 1);
    const shown = rows.slice(0, query.limit);
    return { rows: shown, end: rows.length > query.limit ? (shown.at(-1) ?? null) : null };
  }
}

function decodePlace(cursor: string): Place | null {
  const [at, seq] = decodeCursor('audit', cursor, 2) ?? [];
  return at === undefined || seq === undefined ? null : { at, seq };
}

function holds(row: Row, words: string): boolean {
  return [row.actor_name, row.action, row.target, row.address, row.detail_json].some(
    (text) => text !== null && text.toLowerCase().includes(words),
  );
}

function entryOf(row: Row): AuditEntry {
  return auditEntrySchema.parse({
    id: row.id,
    at: new Date(row.at).toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    action: row.action,
    target: row.target,
    outcome: row.outcome,
    address: row.address,
    detail: parseJson(row.detail_json),
  });
}

function parseJson(json: string): unknown {
  return JSON.parse(json);
}

/** The database refuses to change or remove a row. */
export interface AuditEntriesTable extends Columns<Omit<AuditRow, 'detail'>> {
  /** Order of arrival. */
  seq: Generated<number>;
  detail_json: string;
}

/**
 * The audit log, written once: the database itself refuses every statement that changes or removes an entry. `insert or
 * replace` would remove an entry without the delete trigger, so it is refused on insert.
 */
export function auditTables(db: Db, on: Dialect['name']): readonly Compilable[] {
  const raw = (text: RawBuilder<unknown>): Compilable => ({ compile: () => text.compile(db) });
  return [
    strictTable(db)`audit_entries (seq integer primary key, id text unique, at integer, actor_kind text, actor_id text?,
      actor_name text, action text, target text?, outcome text, address text?, detail_json text)`,
    db.schema.createIndex('audit_entries_by_time').on('audit_entries').columns(['at', 'seq']),
    db.schema.createIndex('audit_entries_by_actor').on('audit_entries').columns(['actor_name', 'at', 'seq']),
    db.schema.createIndex('audit_entries_by_action').on('audit_entries').columns(['action', 'at', 'seq']),
    ...(on === 'postgres' ? POSTGRES_TRIGGERS : SQLITE_TRIGGERS).map(raw),
  ];
}

const SQLITE_TRIGGERS = [
  sql`create trigger audit_entries_unchanged before update on audit_entries
      begin select raise(abort, 'an entry of the audit is never changed'); end`,
  sql`create trigger audit_entries_kept before delete on audit_entries
      begin select raise(abort, 'an entry of the audit is never removed'); end`,
  sql`create trigger audit_entries_not_replaced before insert on audit_entries
      when exists (select 1 from audit_entries where seq = new.seq or id = new.id)
      begin select raise(abort, 'an entry of the audit is never replaced'); end`,
];

const POSTGRES_TRIGGERS = [
  sql`create function audit_entries_refuse() returns trigger language plpgsql as $$
    begin raise exception 'an entry of the audit is never changed or removed'; end $$`,
  sql`create trigger audit_entries_kept before update or delete or truncate on audit_entries
    for each statement execute function audit_entries_refuse()`,
];
