import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { agedCallsQuery, surplusCallsQuery } from './call-queries.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { Connection } from './sqlite-connection.ts';
import type { KeepLimits, Removed, Retention } from './store.ts';
import type { WriteQueue } from './write-queue.ts';
import type { Compilable } from 'kysely';
import { strict } from './strict-table.ts';

/** Messages counted at a time. */
const STEP = 5_000;
/** Occurrences checked at a time. */
const FAILURES_AT_ONCE = 100;
const NONE: Removed = { count: 0, tookMs: 0 };

/**
 * Removes the oldest rows of growing tables, a bounded number per transaction. What can go wrong: a row is still needed
 * (the query itself excludes it, so the limit counts only removable rows); a scan reads all rows without a result (each
 * follows an index from its oldest end, and stops at the limit).
 */
export function createRetention(connection: Connection, db: QueryBuilder, queue: WriteQueue): Retention {
  /** The time of the work within the transaction; the commit adds little. */
  function timed(work: () => number): Promise<Removed> {
    return queue.run(() => {
      const began = performance.now();
      const count = work();
      return { count, tookMs: performance.now() - began };
    });
  }

  /**
   * FTS5 sets a rowid too large for JavaScript, which would break every later `run`. A counter replaces it with a small
   * one.
   */
  function removeWords(seqs: readonly number[]): void {
    connection.all(sql`delete from call_search where rowid in ${among(seqs)}`.compile(db));
    connection.all(sql`insert or replace into counters (name, value) values ('calls_removed', 0)`.compile(db));
  }

  function oldCalls({ keepNewest, before, most }: KeepLimits): readonly number[] {
    const surplus = connection.all(surplusCallsQuery(db, keepNewest, most));
    return (surplus.length > 0 ? surplus : connection.all(agedCallsQuery(db, before, most))).map((row) => row.seq);
  }

  /** Checks at most `most` removable rows. */
  function oldRevisions(extension: string, { keepNewest, before, most }: KeepLimits): readonly number[] {
    const newest = sql`(select max(revision) from revisions where extension = ${extension})`;
    const query = sql<{ revision: number }>`
      select revision from (
        select revision, created_at from revisions where extension = ${extension} and revision < ${newest} and runnable = 0
          and tried < (select max(tried) from revisions where extension = ${extension})
          and revision is not (select max(revision) from revisions where extension = ${extension} and outcome = 'loaded')
          and not exists (select 1 from extensions where extensions.extension = ${extension} and revisions.revision in
            (extensions.revision, extensions.serving_revision, extensions.pinned_revision, extensions.rolled_back_from))
        order by revision limit ${most})
      where revision <= ${newest} - ${keepNewest} or created_at < ${new Date(before).toISOString()}`;
    return connection.all(query.compile(db)).map((row) => row.revision);
  }

  /** Some of those seen before a time, after a position in that order; marks the newest of a group. */
  function seenBefore(time: string, after: { readonly last_seen: string; readonly seq: number }) {
    return connection.all(
      sql<{ seq: number; last_seen: string; is_newest: number }>`
        select seq, last_seen, seq = (select seq from failures newest where newest.group_id = failures.group_id
          order by last_seen desc, seq desc limit 1) as is_newest
        from failures where last_seen < ${time} and (last_seen, seq) > (${after.last_seen}, ${after.seq})
        order by last_seen, seq limit ${FAILURES_AT_ONCE}`.compile(db),
    );
  }

  return {
    calls: (limits) =>
      timed(() => {
        const seqs = oldCalls(limits);
        if (seqs.length === 0) return 0;
        removeWords(seqs);
        return connection.run(sql`delete from calls where seq in ${among(seqs)}`.compile(db)).changes;
      }),

    snapshots: ({ keepNewest, before, most }) =>
      timed(() => {
        const newest = sql`(select max(version) from snapshots)`;
        const oldest = sql`(select version, record_json from snapshots where version < ${newest} order by version limit ${most})`;
        const old = sql<{ version: number }>`select version from ${oldest}
          where version <= ${newest} - ${keepNewest} or record_json ->> '$.created_at' < ${new Date(before).toISOString()}`;
        const versions = among(connection.all(old.compile(db)).map((row) => row.version));
        connection.run(sql`delete from snapshot_extensions where version in ${versions}`.compile(db));
        return connection.run(sql`delete from snapshots where version in ${versions}`.compile(db)).changes;
      }),

    async revisions(limits) {
      for (const { extension } of connection.all(db.selectFrom('extensions').select('extension').compile())) {
        if (oldRevisions(extension, limits).length > 0)
          return timed(() => {
            const old = among(oldRevisions(extension, limits));
            return connection.run(sql`delete from revisions where extension = ${extension} and revision in ${old}`.compile(db)).changes;
          });
        await setImmediate();
      }
      return NONE;
    },

    async failures({ before, most }) {
      const time = new Date(before).toISOString();
      let seen = seenBefore(time, { last_seen: '', seq: 0 });
      for (let last = seen.at(-1); last !== undefined; last = seen.at(-1)) {
        const old = seen.filter(({ is_newest }) => is_newest === 0).slice(0, most);
        // A group seen again meanwhile may be the newest now.
        const removal = sql`delete from failures where last_seen < ${time} and seq in ${among(old.map(({ seq }) => seq))}`.compile(db);
        if (old.length > 0) return timed(() => connection.run(removal).changes);
        await setImmediate();
        seen = seenBefore(time, last);
      }
      return NONE;
    },

    async messages({ keepNewest, before, most }) {
      const aged = sql`delete from channel_messages where seq in (
        select seq from channel_messages where state in ('received', 'sent') and created_at < ${before} order by created_at limit ${most})`;
      let removed = await timed(() => connection.run(aged.compile(db)).changes);
      for (let channel = nextChannel(''); channel !== null && removed.count === 0; channel = nextChannel(channel)) {
        const oldestKept = await findOldestKept(channel, keepNewest);
        if (oldestKept === null) continue;
        const surplus = sql`delete from channel_messages where seq in (select seq from channel_messages
          where channel = ${channel} and seq < ${oldestKept} and state in ('received', 'sent') order by seq limit ${most})`;
        removed = await timed(() => connection.run(surplus.compile(db)).changes);
      }
      return removed;
    },
  };

  /** In steps, with a turn of the event loop after each. Null: the channel has no more than `keepNewest`. */
  async function findOldestKept(channel: string, keepNewest: number): Promise<number | null> {
    let seq = Number.MAX_SAFE_INTEGER;
    for (let left = keepNewest; left > 0; left -= STEP) {
      const query = db.selectFrom('channel_messages').select('seq').where('channel', '=', channel).where('seq', '<', seq);
      const step = query
        .orderBy('seq', 'desc')
        .limit(1)
        .offset(Math.min(STEP, left) - 1);
      const row = connection.first(step.compile());
      if (row === undefined) return null;
      seq = row.seq;
      await setImmediate();
    }
    return seq;
  }

  function nextChannel(after: string): string | null {
    const query = db.selectFrom('channel_messages').select('channel').where('channel', '>', after).orderBy('channel').limit(1);
    return connection.first(query.compile())?.channel ?? null;
  }
}

/** One SQL text, and so one prepared statement, for any number of them. */
function among(numbers: readonly number[]) {
  return sql`(select value from json_each(${JSON.stringify(numbers)}))`;
}

/** Indexes for finding the oldest rows, and the versions of one extension. */
export function retentionTables(db: QueryBuilder): readonly Compilable[] {
  const known = sql`insert into snapshot_extensions (extension, version)
    select distinct ids.value, version from snapshots, json_each(record_json, '$.changes') as kinds, json_each(kinds.value) as ids
    where kinds.key in ('added', 'changed', 'removed', 'failed', 'recovered')`;
  const settled = sql`create index channel_messages_by_age on channel_messages (created_at) where state in ('received', 'sent')`;
  return [
    strict(
      db.schema
        .createTable('snapshot_extensions')
        .addColumn('extension', 'text', (c) => c.notNull())
        .addColumn('version', 'integer', (c) => c.notNull())
        .addPrimaryKeyConstraint('snapshot_extensions_key', ['extension', 'version']),
    ),
    db.schema.createIndex('snapshot_extensions_by_version').on('snapshot_extensions').columns(['version']),
    { compile: () => known.compile(db) },
    db.schema.createIndex('failures_by_age').on('failures').columns(['last_seen']),
    { compile: () => settled.compile(db) },
  ];
}
