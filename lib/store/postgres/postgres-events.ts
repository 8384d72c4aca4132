import { type Compilable, sql } from 'kysely';
import * as z from 'zod';
import { EVENT_TYPES, eventDataSchema, type HostEvent } from '#lib/contract/events.ts';
import type { Db } from '../database.ts';
import type { SharedEventRepository } from '../instance-store.ts';
import type { Pool } from './postgres-pool.ts';

export interface SharedEventsTable {
  seq: number;
  type: string;
  data_json: string;
  instance: string;
}

/** Any number that other programs do not use for their locks. */
const ORDER_LOCK = 7_327_160_274;

/**
 * The lock makes numbers appear in their order: a reader that has seen one never misses a smaller one. The table is not
 * in the write-ahead log: after a crash of the database it is empty, and pages read everything again.
 */
const APPEND_SQL = `
  with ordered as materialized (select pg_advisory_xact_lock(${ORDER_LOCK}))
  insert into shared_events (seq, type, data_json, instance)
  select nextval('shared_event_ids'), given.type, given.data_json, $3
  from ordered, unnest($1::text[], $2::text[]) with ordinality as given(type, data_json, at) order by given.at`;

export function createPostgresEvents(pool: Pool): SharedEventRepository {
  const { db } = pool;
  return {
    async append(instance, events) {
      const types = events.map(({ type }) => type);
      const data = events.map((event) => JSON.stringify(event.data));
      await pool.query('events_append', APPEND_SQL, [types, data, instance]);
    },

    async after(id, most) {
      const rows = await db.selectFrom('shared_events').selectAll().where('seq', '>', id).orderBy('seq').limit(most).execute();
      return rows.flatMap(toEvent);
    },

    async newestId() {
      const [row] = await pool.query<{ id: number }>('events_newest', 'select last_value as id from shared_event_ids', []);
      return Number(row?.id ?? 0);
    },

    async trim(keepNewest) {
      await db
        .deleteFrom('shared_events')
        .where('seq', '<=', sql<number>`(select max(seq) from shared_events) - ${keepNewest}`)
        .execute();
    },
  };
}

const eventSchema = z.object({ id: z.number(), type: z.enum(EVENT_TYPES), data: eventDataSchema });

/** Events of types that this version knows. */
function toEvent({ seq, type, data_json }: SharedEventsTable): HostEvent[] {
  const data: unknown = JSON.parse(data_json);
  const parsed = eventSchema.safeParse({ id: seq, type, data });
  return parsed.success ? [parsed.data] : [];
}

/** Numbers continue after the events of a single server. */
export function sharedEventTables(db: Db): readonly Compilable[] {
  const table = sql`create unlogged table shared_events (seq bigint primary key, type text not null, data_json text not null, instance text not null)`;
  const start = sql`select setval('shared_event_ids', (select value from counters where name = 'event_ids'))`;
  return [
    { compile: () => sql`create sequence shared_event_ids`.compile(db) },
    { compile: () => table.compile(db) },
    { compile: () => start.compile(db) },
  ];
}
