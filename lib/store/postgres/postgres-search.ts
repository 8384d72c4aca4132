import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Compilable, RawBuilder } from 'kysely';
import type { CallSelection } from '#lib/contract/call.ts';
import { callConditions } from '../call-conditions.ts';
import type { CallSearch } from '../call-search.ts';
import { VALUE_CHARACTERS, textOfCall } from '../calls-to-index.ts';
import type { TextOfCall } from '../calls-to-index.ts';
import { readCounter, writeCounter } from '../counters.ts';
import { POSTGRES } from '../dialect.ts';
import { lettersOf, splitUnspaced } from '../search-words.ts';
import type { SearchWord } from '../search-words.ts';
import { isStorageError } from '../storage-error.ts';
import type { CallsRow } from '../call-rows.ts';
import type { Db } from '../database.ts';
import type { Bit } from '../tables.ts';

/**
 * Full-text search in PostgreSQL: the words of a call are a `tsvector` in `call_words`, made here and not by a parser of
 * PostgreSQL, so that both databases split texts alike. What can go wrong:
 * - a crash between a call and its indexing: the next search or pause finds the calls above the watermark without words;
 * - a call is indexed while it runs: it is indexed again once it has ended;
 * - several servers index: one at a time, under a lock of the database;
 * - a value of megabytes: the beginning of each value is indexed, and at most WORDS_MOST words of a call.
 */
const LOOK_MS = 250;
/** Calls of one transaction, and the characters of their values. */
const PIECE = 1_000;
const PIECE_CHARACTERS = 4_194_304;
/** Any number that other programs do not use for their locks. */
const INDEX_LOCK = 7_327_160_273;
/** PostgreSQL takes a megabyte of words, positions up to this one, and words of 2 KB. */
const WORDS_MOST = 16_383;
const WORD_CHARACTERS_MOST = 500;
const POSITIONS_MOST = 250;
const BUSY_MS = 5;
/** Read without the index. */
const NEAR = 5_000;
/** Calls with a lower number may be committed later: so many are looked at again. */
const LATE_MOST = 2_000;

interface RowToIndex extends TextOfCall {
  readonly seq: number;
  readonly status: string;
}

/** @param transact a transaction with other reads and writes beside it */
export function createPostgresSearch(read: Db, transact: <Value>(work: (db: Db) => Promise<Value>) => Promise<Value>): CallSearch {
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;
  let indexing: Promise<unknown> = Promise.resolve();

  function plan(): void {
    if (!isClosed) timer ??= setTimeout(work, LOOK_MS).unref();
  }

  function work(): void {
    timer = null;
    // The database may be away; the next call or search tries again.
    catchUp().catch(() => undefined);
  }

  /** One at a time. */
  function catchUp(): Promise<void> {
    const done = indexing.then(indexAll);
    indexing = done.catch(() => undefined);
    return done;
  }

  async function indexAll(): Promise<void> {
    for (let isFull = true; isFull && !isClosed;) isFull = await indexPiece();
  }

  /** True: there may be more. */
  function indexPiece(): Promise<boolean> {
    return transact(async (db) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(INDEX_LOCK)})`.execute(db);
      const watermark = await readCounter(db, 'search_watermark');
      const due = await sql<{ seq: number; size: number; is_new: boolean }>`${newCalls(watermark)} union all ${endedCalls}`.execute(db);
      const seqs: number[] = [];
      let size = 0;
      for (const row of due.rows) {
        if (size > PIECE_CHARACTERS) break;
        size += row.size;
        seqs.push(row.seq);
      }
      if (seqs.length === 0) return false;
      const found: number[] = [];
      const vectors: string[] = [];
      const finals: number[] = [];
      let turnAt = performance.now();
      for (const row of await rowsToIndex(db, seqs)) {
        found.push(row.seq);
        vectors.push(vectorOf(splitUnspaced(textOfCall(row))));
        finals.push(row.status === 'running' ? 0 : 1);
        if (performance.now() - turnAt > BUSY_MS) {
          await turn();
          turnAt = performance.now();
        }
      }
      // A call may be removed meanwhile.
      await sql`insert into call_words (seq, words, is_final)
        select given.seq, given.words::tsvector, given.is_final
        from unnest(${found}::bigint[], ${vectors}::text[], ${finals}::bigint[]) as given(seq, words, is_final)
        join calls on calls.seq = given.seq
        for key share of calls
        on conflict (seq) do update set words = excluded.words, is_final = excluded.is_final`.execute(db);
      const indexed = new Set(seqs);
      const newest = due.rows.findLast(({ seq, is_new }) => is_new && indexed.has(seq))?.seq ?? 0;
      if (newest - LATE_MOST > watermark) await writeCounter(db, 'search_watermark', newest - LATE_MOST);
      return seqs.length < due.rows.length || due.rows.length >= PIECE;
    });
  }

  async function complete(): Promise<void> {
    try {
      await catchUp();
    } catch (error) {
      // It answers from the indexed calls.
      if (!isStorageError(error)) throw error;
    }
  }

  /**
   * The planner takes every prefix for a common word, and would read all calls for a rare one. So the newest calls are
   * read first, which answers a search for a common word, then the index.
   */
  async function newest<Row>(
    { filter, words, below, most }: { filter: CallSelection; words: readonly SearchWord[]; below: number | null; most: number },
    select: (query: Matching) => { execute(): Promise<Row[]> },
  ): Promise<Row[]> {
    await complete();
    const matching = matchingIn(read, words, below);
    const find = (from: 'near' | 'all') => {
      let query = matching[from].orderBy('matching.seq', 'desc').limit(most);
      for (const condition of callConditions(POSTGRES, filter, 'start')) query = query.where(condition);
      return select(query).execute();
    };
    const near = await find('near');
    return near.length === most ? near : await find('all');
  }

  plan();
  return {
    noteInserted: plan,
    noteFinished: plan,
    noteAllFinished: plan,
    page: (filter, words, below): Promise<CallsRow[]> =>
      newest({ filter, words, below, most: filter.limit + 1 }, (query) => query.selectAll('calls')),
    async newestSeqs(filter, words, most) {
      return (await newest({ filter, words, below: null, most }, (query) => query.select('calls.seq'))).map(({ seq }) => seq);
    },
    // The rows of call_words go with their calls.
    remove: async () => undefined,
    close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

type Matching = ReturnType<typeof matchingIn>['all'];

/** Calls with these words: among the newest, and all of them by the index. */
function matchingIn(read: Db, words: readonly SearchWord[], below: number | null) {
  const isMatch = sql<boolean>`call_words.words @@ ${queryOf(words)}::tsquery`;
  const isBelow = below === null ? sql<boolean>`true` : sql<boolean>`call_words.seq < ${below}`;
  // OFFSET keeps the planner from joining all calls in their order: it takes every prefix for a common one.
  const join = (matching: RawBuilder<{ seq: number }>) =>
    read
      .selectFrom(matching.as('matching'))
      .crossJoinLateral((eb) =>
        eb.selectFrom('calls').selectAll().whereRef('calls.seq', '=', 'matching.seq').offset(sql.lit(0)).as('calls'),
      );
  const last = below === null ? sql`(select max(seq) from call_words)` : sql`${below}`;
  return {
    near: join(sql`(select seq from call_words where ${isMatch} and ${isBelow} and call_words.seq > ${last} - ${sql.lit(NEAR)})`),
    // As a common table expression it is planned for all of its rows, not for the first ones.
    all: join(
      sql`(with found as materialized (select seq from call_words where ${isMatch} and ${isBelow}) select seq from found order by seq desc)`,
    ),
  };
}

/** PostgreSQL only: the words of a call. */
export interface CallWordsTable {
  seq: number;
  words: string;
  /** The call had ended when it was indexed. */
  is_final: Bit;
}

/** The words of each call, apart from it: searches read no other column of them. */
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
  + (calls.arguments_cut + calls.result_cut + calls.error_cut + calls.logs_cut) * ${sql.lit(VALUE_CHARACTERS)}`;

/** Above the watermark, without words; in order. */
function newCalls(watermark: number) {
  return sql`(select calls.seq, ${size} as size, true as is_new from calls
    where calls.seq > ${watermark}
      and not exists (select from call_words where call_words.seq = calls.seq and call_words.seq > ${watermark})
    order by calls.seq limit ${sql.lit(PIECE)})`;
}

/** Indexed while they ran. */
const endedCalls = sql`(select calls.seq, ${size} as size, false as is_new from call_words
  join calls on calls.seq = call_words.seq
  where call_words.is_final = 0 and calls.status <> 'running' limit ${sql.lit(PIECE)})`;

/** Calls that were indexed while they ran: few of many. */
export function runningCallWords(db: Db): readonly Compilable[] {
  return [db.schema.createIndex('call_words_running').on('call_words').column('seq').where(sql.ref('is_final'), '=', sql.lit(0))];
}

function rowsToIndex(db: Db, seqs: readonly number[]): Promise<RowToIndex[]> {
  const whole = (column: 'arguments_json' | 'result_json' | 'error_json' | 'logs_json') =>
    sql<
      string | null
    >`coalesce(substr(${sql.ref(`call_payloads.${column}`)}, 1, ${sql.lit(VALUE_CHARACTERS)}), ${sql.ref(`calls.${column}`)})`;
  return db
    .selectFrom('calls')
    .leftJoin('call_payloads', 'call_payloads.call_id', 'calls.id')
    .select(['calls.seq', 'calls.tool', 'calls.status'])
    .select([
      whole('arguments_json').as('arguments_json'),
      whole('result_json').as('result_json'),
      whole('error_json').as('error_json'),
      whole('logs_json').as('logs_json'),
    ])
    .where('calls.seq', 'in', POSTGRES.numbers(seqs))
    .execute();
}

const SEPARATORS = /[^\p{L}\p{N}\p{Co}]+/u;
const MARKS = /\p{M}+/gu;

/** Words as the index has them: lower case, without combining marks. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(MARKS, '').toLowerCase();
}

/** The literal of a tsvector: each word with its positions. */
function vectorOf(text: string): string {
  const positions = new Map<string, number[]>();
  let at = 0;
  for (const part of plain(text).split(SEPARATORS)) {
    if (part === '') continue;
    const word = part.slice(0, WORD_CHARACTERS_MOST).toWellFormed();
    at += 1;
    if (at > WORDS_MOST) break;
    const known = positions.get(word);
    if (known === undefined) positions.set(word, [at]);
    else if (known.length < POSITIONS_MOST) known.push(at);
  }
  return [...positions].map(([word, all]) => `'${word}':${all.join(',')}`).join(' ');
}

/** All words, each as a prefix; the parts of one stand beside each other. */
function queryOf(words: readonly SearchWord[]): string {
  return words
    .map((parts) =>
      plain(lettersOf(parts).join(' '))
        .split(SEPARATORS)
        .filter((part) => part !== '')
        .map((part, at, all) =>
          at === all.length - 1 ? `'${part.slice(0, WORD_CHARACTERS_MOST)}':*` : `'${part.slice(0, WORD_CHARACTERS_MOST)}'`,
        )
        .join(' <-> '),
    )
    .filter((word) => word !== '')
    .map((word) => `(${word})`)
    .join(' & ');
}
