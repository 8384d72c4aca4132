import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Compilable } from 'kysely';
import type { CallSelection } from '#lib/contract/call.ts';
import { callConditions } from '../call-conditions.ts';
import type { CallSearch } from '../call-search.ts';
import { VALUE_CHARACTERS, textOfCall } from '../calls-to-index.ts';
import type { TextOfCall } from '../calls-to-index.ts';
import { readCounter } from '../counters.ts';
import { POSTGRES } from '../dialect.ts';
import { lettersOf, splitUnspaced } from '../search-words.ts';
import type { SearchWord } from '../search-words.ts';
import { isStorageError } from '../storage-error.ts';
import type { CallsRow } from '../tables.ts';
import type { Database, Db } from '../database.ts';

/**
 * Full-text search in PostgreSQL: the words of a call are a `tsvector` in `call_words`, made here and not by a parser of
 * PostgreSQL, so that both databases split texts alike. What can go wrong:
 * - a crash between a call and its indexing: the next search or pause finds the calls above the watermark without words;
 * - a call is indexed while it runs: it is indexed again once it has ended;
 * - a value of megabytes: the beginning of each value is indexed, and at most WORDS_MOST words of a call.
 */
const LOOK_MS = 250;
const PIECE = 100;
/** PostgreSQL takes a megabyte of words, positions up to this one, and words of 2 KB. */
const WORDS_MOST = 16_383;
const WORD_CHARACTERS_MOST = 500;
const POSITIONS_MOST = 250;
const BUSY_MS = 5;
/** Calls with a lower number may be committed later: so many are looked at again. */
const LATE_MOST = 2_000;

interface RowToIndex extends TextOfCall {
  readonly seq: number;
  readonly status: string;
}

export function createPostgresSearch({ read, write }: Pick<Database, 'read' | 'write'>): CallSearch {
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
  async function indexPiece(): Promise<boolean> {
    const watermark = await readCounter(read, 'search_watermark');
    const rows = await rowsToIndex(read, watermark);
    const seqs: number[] = [];
    const vectors: string[] = [];
    const finals: number[] = [];
    let turnAt = performance.now();
    for (const row of rows) {
      seqs.push(row.seq);
      vectors.push(vectorOf(splitUnspaced(textOfCall(row))));
      finals.push(row.status === 'running' ? 0 : 1);
      if (performance.now() - turnAt > BUSY_MS) {
        await turn();
        turnAt = performance.now();
      }
    }
    const isFull = rows.length === PIECE;
    if (rows.length === 0) return false;
    await write(async (db) => {
      await sql`insert into call_words (seq, words, is_final)
        select given.seq, given.words::tsvector, given.is_final
        from unnest(${seqs}::bigint[], ${vectors}::text[], ${finals}::bigint[]) as given(seq, words, is_final)
        join calls on calls.seq = given.seq
        on conflict (seq) do update set words = excluded.words, is_final = excluded.is_final`.execute(db);
      // Below it every call has its last words.
      await sql`update counters set value = greatest(value, coalesce(
          (select min(calls.seq) - 1 from calls left join call_words on call_words.seq = calls.seq
            where calls.seq > ${watermark} and coalesce(call_words.is_final, 0) = 0),
          (select max(seq) - ${LATE_MOST} from calls), 0))
        where name = 'search_watermark'`.execute(db);
    });
    return isFull;
  }

  async function complete(): Promise<void> {
    try {
      await catchUp();
    } catch (error) {
      // It answers from the indexed calls.
      if (!isStorageError(error)) throw error;
    }
  }

  const found = (filter: CallSelection, words: readonly SearchWord[], below: number | null) => {
    let query = read
      .selectFrom('calls')
      .innerJoin('call_words', 'call_words.seq', 'calls.seq')
      .where(sql<boolean>`call_words.words @@ ${queryOf(words)}::tsquery`);
    if (below !== null) query = query.where('calls.seq', '<', below);
    for (const condition of callConditions(POSTGRES, filter, 'start')) query = query.where(condition);
    return query.orderBy('calls.seq', 'desc');
  };

  plan();
  return {
    noteInserted: plan,
    noteFinished: plan,
    noteAllFinished: plan,
    async page(filter, words, beforeSeq): Promise<CallsRow[]> {
      await complete();
      return found(filter, words, beforeSeq)
        .selectAll('calls')
        .limit(filter.limit + 1)
        .execute();
    },
    async newestSeqs(filter, words, most) {
      await complete();
      return (await found(filter, words, null).select('calls.seq').limit(most).execute()).map(({ seq }) => seq);
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

function rowsToIndex(db: Db, watermark: number): Promise<RowToIndex[]> {
  const whole = (column: 'arguments_json' | 'result_json' | 'error_json' | 'logs_json') =>
    sql<
      string | null
    >`coalesce(substr(${sql.ref(`call_payloads.${column}`)}, 1, ${sql.lit(VALUE_CHARACTERS)}), ${sql.ref(`calls.${column}`)})`;
  return db
    .selectFrom('calls')
    .leftJoin('call_payloads', 'call_payloads.call_id', 'calls.id')
    .leftJoin('call_words', 'call_words.seq', 'calls.seq')
    .select(['calls.seq', 'calls.tool', 'calls.status'])
    .select([
      whole('arguments_json').as('arguments_json'),
      whole('result_json').as('result_json'),
      whole('error_json').as('error_json'),
      whole('logs_json').as('logs_json'),
    ])
    .where('calls.seq', '>', watermark)
    .where((eb) =>
      eb.or([eb('call_words.seq', 'is', null), eb.and([eb('call_words.is_final', '=', 0), eb('calls.status', '<>', 'running')])]),
    )
    .orderBy('calls.seq')
    .limit(PIECE)
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
