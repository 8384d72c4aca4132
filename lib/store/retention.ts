import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { agedCallsQuery, surplusCallsQuery } from './call-queries.ts';
import type { Database, Db } from './database.ts';
import { type Dialect, strictTable } from './dialect.ts';
import type { KeepLimits, Removed, Retention } from './store.ts';
import type { Compilable, QueryResult } from 'kysely';
import { cutVersions } from './snapshot-parts.ts';

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
export function createRetention(database: Database): Retention {
  const { read, write, dialect, search } = database;

  /** The time of the work within the transaction; the commit adds little. */
  function timed(work: (db: Db) => Promise<number>): Promise<Removed> {
    return write(async (db) => {
      const began = performance.now();
      const count = await work(db);
      return { count, tookMs: performance.now() - began };
    });
  }

  async function oldCalls(db: Db, { keepNewest, before, most }: KeepLimits): Promise<readonly number[]> {
    const surplus = await surplusCallsQuery(db, dialect, keepNewest, most).execute();
    return (surplus.length > 0 ? surplus : await agedCallsQuery(db, dialect, before, most).execute()).map((row) => row.seq);
  }

  /** Checks at most `most` removable rows. */
  async function oldRevisions(db: Db, extension: string, { keepNewest, before, most }: KeepLimits): Promise<readonly number[]> {
    const newest = sql`(select max(revision) from revisions where extension = ${extension})`;
    const query = sql<{ revision: number }>`
      select revision from (
        select revision, created_at from revisions where extension = ${extension} and revision < ${newest} and runnable = 0
          and tried < (select max(tried) from revisions where extension = ${extension})
          and revision is distinct from (select max(revision) from revisions where extension = ${extension} and outcome = 'loaded')
          and not exists (select 1 from extensions where extensions.extension = ${extension} and revisions.revision in
            (extensions.revision, extensions.serving_revision, extensions.pinned_revision, extensions.rolled_back_from))
        order by revision limit ${most}) as oldest
      where revision <= ${newest} - ${keepNewest} or created_at < ${new Date(before).toISOString()}`;
    return (await query.execute(db)).rows.map((row) => row.revision);
  }

  /** Some of those seen before a time, after a position in that order; marks the newest of a group. */
  async function seenBefore(db: Db, time: string, after: { readonly last_seen: string; readonly seq: number }) {
    return (
      await sql<{ seq: number; last_seen: string; is_newest: number }>`
        select seq, last_seen, seq = (select seq from failures newest where newest.group_id = failures.group_id
          order by last_seen desc, seq desc limit 1) as is_newest
        from failures where last_seen < ${time} and (last_seen, seq) > (${after.last_seen}, ${after.seq})
        order by last_seen, seq limit ${FAILURES_AT_ONCE}`.execute(db)
    ).rows;
  }

  return {
    calls: (limits) =>
      timed(async (db) => {
        const seqs = await oldCalls(db, limits);
        if (seqs.length === 0) return 0;
        await search.remove(db, seqs);
        return removed(await sql`delete from calls where seq in ${dialect.numbers(seqs)}`.execute(db));
      }),

    snapshots: ({ keepNewest, before, most }) =>
      timed(async (db) => {
        const newest = sql`(select max(version) from snapshots)`;
        const oldest = sql`(select version, record_json from snapshots where version < ${newest} order by version limit ${most}) as oldest`;
        const old = sql<{ version: number }>`select version from ${oldest}
          where version <= ${newest} - ${keepNewest}
            or ${dialect.jsonField('record_json', 'created_at')} < ${new Date(before).toISOString()}`;
        const last = Math.max(0, ...(await old.execute(db)).rows.map((row) => row.version));
        await cutVersions(db, last);
        const versions = sql`(select version from snapshots where version <= ${last})`;
        await sql`delete from snapshot_extensions where version in ${versions}`.execute(db);
        return removed(await sql`delete from snapshots where version in ${versions}`.execute(db));
      }),

    async revisions(limits) {
      for (const { extension } of await read.selectFrom('extensions').select('extension').execute()) {
        if ((await oldRevisions(read, extension, limits)).length > 0)
          return timed(async (db) => {
            const old = dialect.numbers(await oldRevisions(db, extension, limits));
            return removed(await sql`delete from revisions where extension = ${extension} and revision in ${old}`.execute(db));
          });
        await setImmediate();
      }
      return NONE;
    },

    async failures({ before, most }) {
      const time = new Date(before).toISOString();
      let seen = await seenBefore(read, time, { last_seen: '', seq: 0 });
      for (let last = seen.at(-1); last !== undefined; last = seen.at(-1)) {
        const old = seen.filter(({ is_newest }) => Number(is_newest) === 0).slice(0, most);
        // A group seen again meanwhile may be the newest now.
        const removal = sql`delete from failures where last_seen < ${time} and seq in ${dialect.numbers(old.map(({ seq }) => seq))}`;
        if (old.length > 0) return timed(async (db) => removed(await removal.execute(db)));
        await setImmediate();
        seen = await seenBefore(read, time, last);
      }
      return NONE;
    },

    async messages({ keepNewest, before, most }) {
      const aged = sql`delete from channel_messages where seq in (
        select seq from channel_messages where state in ('received', 'sent') and created_at < ${before} order by created_at limit ${most})`;
      let done = await timed(async (db) => removed(await aged.execute(db)));
      for (let channel = await nextChannel(''); channel !== null && done.count === 0; channel = await nextChannel(channel)) {
        const oldestKept = await findOldestKept(channel, keepNewest);
        if (oldestKept === null) continue;
        const surplus = sql`delete from channel_messages where seq in (select seq from channel_messages
          where channel = ${channel} and seq < ${oldestKept} and state in ('received', 'sent') order by seq limit ${most})`;
        done = await timed(async (db) => removed(await surplus.execute(db)));
      }
      return done;
    },
  };

  /** In steps, with a turn of the event loop after each. Null: the channel has no more than `keepNewest`. */
  async function findOldestKept(channel: string, keepNewest: number): Promise<number | null> {
    let seq = Number.MAX_SAFE_INTEGER;
    for (let left = keepNewest; left > 0; left -= STEP) {
      const query = read.selectFrom('channel_messages').select('seq').where('channel', '=', channel).where('seq', '<', seq);
      const step = query
        .orderBy('seq', 'desc')
        .limit(1)
        .offset(Math.min(STEP, left) - 1);
      const row = await step.executeTakeFirst();
      if (row === undefined) return null;
      seq = row.seq;
      await setImmediate();
    }
    return seq;
  }

  async function nextChannel(after: string): Promise<string | null> {
    const query = read.selectFrom('channel_messages').select('channel').where('channel', '>', after).orderBy('channel').limit(1);
    return (await query.executeTakeFirst())?.channel ?? null;
  }
}

function removed(result: QueryResult<unknown>): number {
  return Number(result.numAffectedRows ?? 0);
}

/** Indexes for finding the oldest rows, and the versions of one extension. */
export function retentionTables(db: Db, on: Dialect['name']): readonly Compilable[] {
  const known = sql`insert into snapshot_extensions (extension, version)
    select distinct ids.value, version from snapshots, json_each(record_json, '$.changes') as kinds, json_each(kinds.value) as ids
    where kinds.key in ('added', 'changed', 'removed', 'failed', 'recovered')`;
  const settled = sql`create index channel_messages_by_age on channel_messages (created_at) where state in ('received', 'sent')`;
  return [
    strictTable(db)`snapshot_extensions (extension text, version integer)`.addPrimaryKeyConstraint('snapshot_extensions_key', [
      'extension',
      'version',
    ]),
    db.schema.createIndex('snapshot_extensions_by_version').on('snapshot_extensions').columns(['version']),
    ...(on === 'sqlite' ? [{ compile: () => known.compile(db) }] : []),
    db.schema.createIndex('failures_by_age').on('failures').columns(['last_seen']),
    { compile: () => settled.compile(db) },
  ];
}
