import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Compilable, RawBuilder } from 'kysely';
import type { CallSelection } from '#lib/contract/call.ts';
import { callConditions } from '../call-conditions.ts';
import { behind } from '../call-queries.ts';
import type { CallSearch, SearchWord } from '../search-words.ts';
import { CALL_CHARACTERS, textOfCall } from '../calls-to-index.ts';
import type { TextOfCall } from '../calls-to-index.ts';
import { readCounter, writeCounter } from '../counters.ts';
import { POSTGRES } from '../dialect.ts';
import { isStorageError } from '../storage-error.ts';
import type { CallsRow } from '../call-rows.ts';
import type { Db } from '../database.ts';
import type { Bit } from '../tables.ts';
import {
  anyTime,
  callsIn,
  emptyPendingTerms,
  hasOldCalls,
  isOld,
  noteBlocks,
  partsByArrival,
  partsByStart,
  removeBlocks,
} from './call-blocks.ts';
import { oldQueryOf, queryOf, vectorOf } from './call-terms.ts';
import type { SharedCall } from './call-terms.ts';

/**
 * Full-text search in PostgreSQL: the terms of a call (call-terms.ts) are a `tsvector` in `call_words`, made here and not
 * by a parser of PostgreSQL, so that both databases split texts alike. What can go wrong:
 * - a crash between a call and its indexing: the next search or pause finds the calls above the watermark without words;
 * - a call is indexed while it runs: it is indexed again once it has ended;
 * - several servers index: one at a time, under a lock of the database;
 * - a value of megabytes: of a call only the beginnings of its values are indexed, and as much as a `tsvector` takes;
 * - a server of an older version indexed calls, or still does: they are found by their words, and indexed again when idle,
 *   newest first, in small parts.
 */
const LOOK_MS = 250;
/** Calls of one transaction, and the characters of their values. */
const BATCH = 1_000;
const BATCH_CHARACTERS = 4_194_304;
/** A search waits for the batch that is being indexed. */
const OLD_BATCH = 500;
const BETWEEN_OLD_MS = 20;
/** Size of the vectors in one statement; building it blocks the event loop. */
const STATEMENT_CHARACTERS = 262_144;
/** Any number that other programs do not use for their locks. */
const INDEX_LOCK = 7_327_160_273;
const BUSY_MS = 5;
/** Calls with a lower number may be committed later: this many are checked again. */
const LATE_MOST = 2_000;

interface Due {
  readonly seq: number;
  readonly size: number;
  readonly is_new: boolean;
}

type RowToIndex = TextOfCall & SharedCall & { readonly seq: number };

/** @param transact a transaction with other reads and writes beside it */
export function createPostgresSearch(read: Db, transact: <Value>(work: (db: Db) => Promise<Value>) => Promise<Value>): CallSearch {
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;
  /** More than one part of calls is to be indexed. */
  let isBehind = false;
  let indexing: Promise<unknown> = Promise.resolve();

  function plan(ms = LOOK_MS): void {
    if (!isClosed) timer ??= setTimeout(() => void work(), ms).unref();
  }

  async function work(): Promise<void> {
    timer = null;
    try {
      await catchUp();
      if (!isClosed && (await inTurn(indexOldBatch))) plan(BETWEEN_OLD_MS);
    } catch {
      // The database may be away; the next call or search tries again.
    }
  }

  /** One at a time. */
  function inTurn<Value>(task: () => Promise<Value>): Promise<Value> {
    const done = indexing.then(task);
    indexing = done.catch(() => undefined);
    return done;
  }

  async function catchUp(): Promise<void> {
    while (!isClosed && (await inTurn(indexBatch)));
  }

  /** True: there may be more. */
  async function indexBatch(): Promise<boolean> {
    isBehind = await transact(async (db) => {
      await lockIndex(db);
      const watermark = await readCounter(db, 'search_watermark');
      const due = await sql<Due>`${newCalls(watermark)} union all ${endedCalls}`.execute(db);
      const indexed = await indexSome(db, due.rows);
      const newest = due.rows.findLast(({ seq, is_new }) => is_new && indexed.has(seq))?.seq ?? 0;
      if (newest - LATE_MOST > watermark) await writeCounter(db, 'search_watermark', newest - LATE_MOST);
      return indexed.size < due.rows.length || due.rows.length >= BATCH;
    });
    return isBehind;
  }

  /** Calls that an older version indexed, newest first. True: there may be more. */
  function indexOldBatch(): Promise<boolean> {
    return transact(async (db) => {
      await lockIndex(db);
      return (await indexSome(db, (await oldCalls.execute(db)).rows)).size > 0;
    });
  }

  async function lockIndex(db: Db): Promise<void> {
    await sql`select pg_advisory_xact_lock(${sql.lit(INDEX_LOCK)})`.execute(db);
  }

  /** The first of these, up to a size. */
  async function indexSome(db: Db, due: readonly Due[]): Promise<ReadonlySet<number>> {
    const seqs: number[] = [];
    let size = 0;
    for (const row of due) {
      if (size > BATCH_CHARACTERS) break;
      size += row.size;
      seqs.push(row.seq);
    }
    if (seqs.length === 0) return new Set();
    let vectors: Vector[] = [];
    let characters = 0;
    let turnAt = performance.now();
    for (const row of await rowsToIndex(db, seqs)) {
      const words = vectorOf(row.seq, textOfCall(row), row);
      vectors.push({ seq: row.seq, words, isFinal: row.status === 'running' ? 0 : 1 });
      characters += words.length;
      if (characters > STATEMENT_CHARACTERS) {
        await writeVectors(db, vectors);
        vectors = [];
        characters = 0;
      } else if (performance.now() - turnAt > BUSY_MS) {
        await turn();
      } else continue;
      turnAt = performance.now();
    }
    await writeVectors(db, vectors);
    await noteBlocks(db, seqs);
    await emptyPendingTerms(db);
    return new Set(seqs);
  }

  async function complete(): Promise<void> {
    try {
      await catchUp();
    } catch (error) {
      // It answers from the indexed calls.
      if (!isStorageError(error)) throw error;
    }
  }

  async function newest<Row extends Pick<CallsRow, 'seq' | 'started_at'>>(
    { filter, words, below, most }: { filter: CallSelection; words: readonly SearchWord[]; below: number | null; most: number },
    columns: RawBuilder<Row>,
  ): Promise<Row[]> {
    await complete();
    const query = queryOf(words, filter);
    const isBelow = below === null ? [] : [sql<boolean>`calls.seq < ${below}`];
    const conditions = [...callConditions(POSTGRES, filter, 'start'), ...isBelow];
    const wanted = { order: 'arrival', conditions, most } as const;
    const found = await callsIn(read, columns, { ...wanted, parts: await partsByArrival(read, query, filter, below) });
    if (!(await hasOldCalls(read))) return found;
    const old = await callsIn(read, columns, { ...wanted, parts: anyTime(oldQueryOf(words)) });
    return [...found, ...old].toSorted((one, other) => other.seq - one.seq).slice(0, most);
  }

  plan();
  return {
    noteInserted: () => plan(),
    noteFinished: () => plan(),
    noteAllFinished: () => plan(),
    page: (filter, words, below) => newest({ filter, words, below, most: filter.limit + 1 }, sql<CallsRow>`calls.*`),
    async newestSeqs(filter, words, most) {
      const columns = sql<Pick<CallsRow, 'seq' | 'started_at'>>`calls.seq, calls.started_at`;
      return (await newest({ filter, words, below: null, most }, columns)).map(({ seq }) => seq);
    },
    async filtered(filter, after) {
      const query = queryOf([], filter);
      // A list does not wait until a complete history is indexed.
      if (query === '' || isBehind || (await inTurn(indexBatch)) || (await hasOldCalls(read))) return null;
      return callsIn(read, sql<CallsRow>`calls.*`, {
        parts: await partsByStart(read, query, filter, after),
        order: 'start',
        conditions: [...callConditions(POSTGRES, filter, 'start'), ...behind(after)],
        most: filter.limit + 1,
      });
    },
    // The rows of call_words are deleted with their calls.
    remove: removeBlocks,
    close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

interface Vector {
  readonly seq: number;
  readonly words: string;
  readonly isFinal: Bit;
}

/** A call may be removed meanwhile. */
async function writeVectors(db: Db, vectors: readonly Vector[]): Promise<void> {
  await sql`insert into call_words (seq, words, is_final)
    select given.seq, given.words::tsvector, given.is_final
    from unnest(
      ${vectors.map(({ seq }) => seq)}::bigint[], ${vectors.map(({ words }) => words)}::text[], ${vectors.map(({ isFinal }) => isFinal)}::bigint[]
    ) as given(seq, words, is_final)
    join calls on calls.seq = given.seq
    for key share of calls
    on conflict (seq) do update set words = excluded.words, is_final = excluded.is_final`.execute(db);
}

/** PostgreSQL only: the words of a call. */
export interface CallWordsTable {
  seq: number;
  words: string;
  /** The call had ended when it was indexed. */
  is_final: Bit;
}

/** The words of each call, in a separate table: searches read no other column. */
export function callWords(db: Db): readonly Compilable[] {
  const words = sql`alter table call_words add column words tsvector not null`;
  return [
    db.schema
      .createTable('call_words')
      .addColumn('seq', 'bigint', (c) => c.primaryKey().references('calls.seq').onDelete('cascade'))
      .addColumn('is_final', 'integer', (c) => c.notNull()),
    { compile: () => words.compile(db) },
    { compile: () => sql`create index call_words_by_word on call_words using gin (words)`.compile(db) },
  ];
}

const size = sql<number>`octet_length(calls.arguments_json) + coalesce(octet_length(calls.result_json), 0)
  + coalesce(octet_length(calls.error_json), 0) + coalesce(octet_length(calls.logs_json), 0)
  + (calls.arguments_cut + calls.result_cut + calls.error_cut + calls.logs_cut) * ${sql.lit(CALL_CHARACTERS)}`;

/** Above the watermark, without words; in order. */
function newCalls(watermark: number) {
  return sql`(select calls.seq, ${size} as size, true as is_new from calls
    where calls.seq > ${watermark}
      and not exists (select from call_words where call_words.seq = calls.seq and call_words.seq > ${watermark})
    order by calls.seq limit ${sql.lit(BATCH)})`;
}

/** Calls that were indexed while they ran. */
const endedCalls = sql`(select calls.seq, ${size} as size, false as is_new from call_words
  join calls on calls.seq = call_words.seq
  where call_words.is_final = 0 and calls.status <> 'running' limit ${sql.lit(BATCH)})`;

/** Calls indexed by a server of an older version. */
const oldCalls = sql<Due>`select calls.seq, ${size} as size, false as is_new from call_words
  join calls on calls.seq = call_words.seq
  where ${isOld} order by call_words.seq desc limit ${sql.lit(OLD_BATCH)}`;

/** Calls that were indexed while they ran: few of many. */
export function runningCallWords(db: Db): readonly Compilable[] {
  return [db.schema.createIndex('call_words_running').on('call_words').column('seq').where(sql.ref('is_final'), '=', sql.lit(0))];
}

function rowsToIndex(db: Db, seqs: readonly number[]): Promise<RowToIndex[]> {
  const fullText = (column: 'arguments_json' | 'result_json' | 'error_json' | 'logs_json') =>
    sql<
      string | null
    >`coalesce(substr(${sql.ref(`call_payloads.${column}`)}, 1, ${sql.lit(CALL_CHARACTERS)}), ${sql.ref(`calls.${column}`)})`;
  return db
    .selectFrom('calls')
    .leftJoin('call_payloads', 'call_payloads.call_id', 'calls.id')
    .select(['calls.seq', 'calls.tool', 'calls.extension', 'calls.status', 'calls.source', 'calls.actor'])
    .select(['calls.error_kind', 'calls.revision', 'calls.duration_us', 'calls.instance'])
    .select([
      fullText('arguments_json').as('arguments_json'),
      fullText('result_json').as('result_json'),
      fullText('error_json').as('error_json'),
      fullText('logs_json').as('logs_json'),
    ])
    .where('calls.seq', 'in', POSTGRES.numbers(seqs))
    .execute();
}
