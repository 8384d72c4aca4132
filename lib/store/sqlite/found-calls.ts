import { sql } from 'kysely';
import type { CallSelection } from '#lib/contract/call.ts';
import { marksFor } from '../call-marks.ts';
import { foundCallPageQuery, foundSeqsQuery } from '../call-queries.ts';
import type { SeqRange } from '../call-queries.ts';
import type { CallSearch } from '../call-search.ts';
import { SQLITE } from '../dialect.ts';
import { createSearchIndex } from './search-index.ts';
import type { SearchIndexOptions } from './search-index.ts';
import { createSearchTerms } from './search-terms.ts';
import { matchExpression } from '../search-words.ts';
import type { SearchWord } from '../search-words.ts';

/**
 * Full-text search, newest first by arrival, at a cost that depends on the results and not on the history. What can go
 * wrong:
 * - a common word with a rare filter: the index contains the filter as marks (call-marks.ts);
 * - calls indexed before marks existed: they are all older than the marked ones, and are queried after them;
 * - a common prefix (search-terms.ts);
 * - a common word and a time long ago: the time is converted to arrivals, so that the scan begins there.
 */

/** For so many calls in a time span, the arrivals are looked up one by one. */
const SPAN_MOST = 100_000;
/** Skipping so many newer calls costs less than finding the first arrival before them. */
const NEWER_MOST = 10_000;

export async function createSqliteSearch(options: SearchIndexOptions): Promise<CallSearch> {
  const { db } = options.reader;
  const search = await createSearchIndex(options);
  const terms = await createSearchTerms(db);

  async function collect<Row>(
    filter: CallSelection,
    words: readonly SearchWord[],
    most: number,
    below: number,
    ask: (match: string, range: SeqRange, most: number) => Promise<Row[]>,
  ): Promise<Row[]> {
    await search.catchUp();
    const range = await rangeOf(filter, below);
    const marks = marksFor(filter);
    const unmarked = marks.length === 0 ? 0 : search.unmarkedUpTo();
    const wanted = await matchExpression(words, terms);
    const marked = marks.map((one) => `(${one.map((mark) => `"${mark}"`).join(' OR ')})`);
    const match = [...marked, wanted].join(' AND ');
    const newer = await ask(match, { ...range, above: Math.max(range.above, unmarked) }, most);
    if (unmarked <= range.above || newer.length >= most) return newer;
    return [...newer, ...(await ask(wanted, { ...range, below: Math.min(range.below, unmarked + 1) }, most - newer.length))];
  }

  async function rangeOf({ since, until }: CallSelection, below: number): Promise<SeqRange> {
    if (since === undefined && until === undefined) return { above: 0, below };
    const from = since === undefined ? 0 : Date.parse(since);
    const end = until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until);
    const { least, most, count } = await extent(from, end, SPAN_MOST);
    if (count < SPAN_MOST) return { above: (least ?? below) - 1, below: Math.min(below, (most ?? 0) + 1) };
    if (until === undefined || (await extent(end, Number.MAX_SAFE_INTEGER, NEWER_MOST)).count < NEWER_MOST) return { above: 0, below };
    return { above: 0, below: Math.min(below, ((await extent(from, end, null)).most ?? 0) + 1) };
  }

  /** The first and last arrival of the calls that began in a time span, read from the index by start. */
  async function extent(
    from: number,
    end: number,
    limit: number | null,
  ): Promise<{ least: number | null; most: number | null; count: number }> {
    let within = db.selectFrom('calls').select('seq').where('started_at', '>=', from).where('started_at', '<', end);
    if (limit !== null) within = within.limit(limit);
    const query = db
      .selectFrom(within.as('within'))
      .select([sql<number | null>`min(seq)`.as('least'), sql<number | null>`max(seq)`.as('most'), sql<number>`count(*)`.as('count')]);
    return (await query.executeTakeFirst()) ?? { least: null, most: null, count: 0 };
  }

  return {
    noteInserted: search.noteInserted,
    noteFinished: search.noteFinished,
    noteAllFinished: search.noteAllFinished,
    page: (filter, words, beforeSeq) =>
      collect(filter, words, filter.limit + 1, beforeSeq ?? Number.MAX_SAFE_INTEGER, (match, range, most) =>
        foundCallPageQuery(db, filter, match, range, most).execute(),
      ),
    newestSeqs: (filter, words, most) =>
      collect(filter, words, most, Number.MAX_SAFE_INTEGER, async (match, range, left) =>
        (await foundSeqsQuery(db, match, range, left).execute()).map((row) => row.rowid),
      ),
    // Ordered by arrival, not by start.
    filtered: async () => null,
    async remove(writer, seqs) {
      await sql`delete from call_search where rowid in ${SQLITE.numbers(seqs)}`.execute(writer);
    },
    close: search.close,
  };
}
