import { sql } from 'kysely';
import type { CallFilter, CallSelection } from '#lib/contract/call.ts';
import { marksFor } from './call-marks.ts';
import { foundCallPageQuery, foundSeqsQuery } from './call-queries.ts';
import type { SeqRange } from './call-queries.ts';
import type { QueryBuilder } from './query-builder.ts';
import type { SearchIndex } from './search-index.ts';
import { createSearchTerms } from './search-terms.ts';
import { matchExpression } from './search-words.ts';
import type { SearchWord } from './search-words.ts';
import type { Connection } from './sqlite-connection.ts';
import type { CallsRow } from './tables.ts';

/**
 * Full-text search, newest first by arrival, at a cost that depends on the results and not on the history. What can go
 * wrong:
 * - a common word with a rare filter: the index contains the filter as marks (call-marks.ts);
 * - calls indexed before marks existed: they are all older than the marked ones, and are queried after them;
 * - a common prefix (search-terms.ts);
 * - a common word and a time long ago: the time is converted to arrivals, so that the scan begins there.
 */
export interface FoundCalls {
  /** One more than the limit when there are more. */
  page(filter: CallFilter, words: readonly SearchWord[], beforeSeq: number | null): Promise<CallsRow[]>;
  /** Calls that match the words and the filter, as far as the index knows it. */
  newestSeqs(filter: CallSelection, words: readonly SearchWord[], most: number): Promise<number[]>;
}

/** For so many calls in a time span, the arrivals are looked up one by one. */
const SPAN_MOST = 100_000;
/** Skipping so many newer calls costs less than finding the first arrival before them. */
const NEWER_MOST = 10_000;

export function createFoundCalls(connection: Connection, db: QueryBuilder, search: SearchIndex): FoundCalls {
  const terms = createSearchTerms(connection, db);

  async function collect<Row>(
    filter: CallSelection,
    words: readonly SearchWord[],
    most: number,
    below: number,
    ask: (match: string, range: SeqRange, most: number) => Row[],
  ): Promise<Row[]> {
    await search.catchUp();
    const range = rangeOf(filter, below);
    const marks = marksFor(filter);
    const unmarked = marks.length === 0 ? 0 : search.unmarkedUpTo();
    const wanted = matchExpression(words, terms);
    const marked = marks.map((one) => `(${one.map((mark) => `"${mark}"`).join(' OR ')})`);
    const match = [...marked, wanted].join(' AND ');
    const newer = ask(match, { ...range, above: Math.max(range.above, unmarked) }, most);
    if (unmarked <= range.above || newer.length >= most) return newer;
    return [...newer, ...ask(wanted, { ...range, below: Math.min(range.below, unmarked + 1) }, most - newer.length)];
  }

  function rangeOf({ since, until }: CallSelection, below: number): SeqRange {
    if (since === undefined && until === undefined) return { above: 0, below };
    const from = since === undefined ? 0 : Date.parse(since);
    const end = until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until);
    const { least, most, count } = extent(from, end, SPAN_MOST);
    if (count < SPAN_MOST) return { above: (least ?? below) - 1, below: Math.min(below, (most ?? 0) + 1) };
    if (until === undefined || extent(end, Number.MAX_SAFE_INTEGER, NEWER_MOST).count < NEWER_MOST) return { above: 0, below };
    return { above: 0, below: Math.min(below, (extent(from, end, null).most ?? 0) + 1) };
  }

  /** The first and last arrival of the calls that began in a time span, read from the index by start. */
  function extent(from: number, end: number, limit: number | null): { least: number | null; most: number | null; count: number } {
    let within = db.selectFrom('calls').select('seq').where('started_at', '>=', from).where('started_at', '<', end);
    if (limit !== null) within = within.limit(limit);
    const query = db
      .selectFrom(within.as('within'))
      .select([sql<number | null>`min(seq)`.as('least'), sql<number | null>`max(seq)`.as('most'), sql<number>`count(*)`.as('count')]);
    return connection.first(query.compile()) ?? { least: null, most: null, count: 0 };
  }

  return {
    page: (filter, words, beforeSeq) =>
      collect(filter, words, filter.limit + 1, beforeSeq ?? Number.MAX_SAFE_INTEGER, (match, range, most) =>
        connection.all(foundCallPageQuery(db, filter, match, range, most)),
      ),
    newestSeqs: (filter, words, most) =>
      collect(filter, words, most, Number.MAX_SAFE_INTEGER, (match, range, left) =>
        connection.all(foundSeqsQuery(db, match, range, left)).map((row) => row.rowid),
      ),
  };
}
