import { sql } from 'kysely';
import { marksOf, withoutMarks } from './call-marks.ts';
import type { MarkedCall } from './call-marks.ts';
import { readCounter, writeCounter } from './counters.ts';
import type { QueryBuilder } from './query-builder.ts';
import { textOfJson } from './search-words.ts';
import type { Connection } from './sqlite-connection.ts';
import { isStorageError } from './storage-error.ts';
import type { WriteQueue } from './write-queue.ts';

/**
 * The index of words over the calls, kept outside of the transactions that calls wait for. It is filled when few calls are
 * written, piece by piece when they never pause, and before each search. What can go wrong:
 * - a crash between a call and its indexing: a watermark on disk says up to which call everything is indexed for good, and
 *   the rest is indexed again (indexing a call twice is the same as once);
 * - a call indexed while it ran ends later: it is indexed again, and holds the watermark back until then;
 * - the database is locked when a search comes: the search answers from what is indexed;
 * - a result of megabytes would hold up everything: of each value the beginning is indexed;
 * - an older version indexed without marks: its calls are indexed again, newest first, when there is nothing else to do.
 */

const LOOK_MS = 250;
/** So many writes of calls from one look to the next mean that the server has better things to do. */
const BUSY_FROM = 200;
/** With more calls than this waiting, pieces are indexed without a pause in them: a search has to index what is left before it answers. */
const BACKLOG_MOST = 5_000;
/** One piece is one transaction: so many calls, or fewer when they are large. */
const PIECE = 400;
const BETWEEN_PIECES_MS = 5;
const BETWEEN_OLD_PIECES_MS = 25;
const PIECE_BYTES = 1_048_576;
const VALUE_CHARACTERS = 131_072;

export interface SearchIndex {
  /** A call was written: indexing is due. */
  noteInserted(): void;
  noteFinished(id: string): void;
  /** No call is running any more. */
  noteAllFinished(): void;
  /** Indexes everything that is written, as far as the database lets it. */
  catchUp(): void;
  /** The calls up to this one are indexed without marks; 0 when there are none. */
  unmarkedUpTo(): number;
  close(): void;
}

type JsonColumn = 'arguments_json' | 'result_json' | 'error_json' | 'logs_json';

/** `full`: the piece was as large as it may be, so more may be waiting. */
type Indexed = 'nothing' | 'some' | 'full';

interface Unindexed {
  readonly seq: number;
  readonly id: string;
  readonly status: string;
  readonly text: string;
}

type RowToIndex = MarkedCall & { readonly seq: number; readonly id: string; readonly tool: string; readonly status: string } & Readonly<
    Record<JsonColumn, string | null>
  >;

export function createSearchIndex(connection: Connection, db: QueryBuilder, queue: WriteQueue): SearchIndex {
  /** Every call up to this one was indexed at least once. */
  let highest = readCounter(connection, db, 'search_watermark');
  let watermark = highest;
  let unmarked = readCounter(connection, db, 'search_unmarked');
  const indexedWhileRunning = new Map<string, number>();
  const endedSince = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  /** Calls that wait to be indexed. */
  let backlog = 0;
  /** What was written since it was last looked. */
  let recent = 0;
  let isCatchingUp = false;
  const insert = connection.prepare(sql`insert or replace into call_search (rowid, text) values (${'seq'}, ${'text'})`.compile(db));

  function note(calls: number): void {
    backlog += calls;
    recent += 1;
    plan(LOOK_MS);
  }

  function plan(ms: number): void {
    timer ??= setTimeout(work, ms).unref();
  }

  function work(): void {
    timer = null;
    const isBusy = recent > BUSY_FROM;
    recent = 0;
    if (isBusy && !isCatchingUp && backlog <= BACKLOG_MOST) return plan(LOOK_MS);
    isCatchingUp = indexPiece() === 'full';
    if (isCatchingUp) plan(BETWEEN_PIECES_MS);
    else if (unmarked > 0) {
      markPiece();
      plan(BETWEEN_OLD_PIECES_MS);
    }
  }

  /** Indexes the newest calls without marks again, this time with them. */
  function markPiece(): void {
    const newest = sizesOf().where('calls.seq', '<=', unmarked).orderBy('calls.seq', 'desc').limit(PIECE);
    const { due } = withinBytes(connection.all(newest.compile()));
    const rows = due.length === 0 ? [] : connection.all(rowsToIndex(due).compile()).map(toUnindexed);
    const left = rows.length === 0 ? 0 : Math.min(...rows.map((row) => row.seq)) - 1;
    try {
      queue.now(() => {
        for (const row of rows) insert({ seq: row.seq, text: row.text });
        writeCounter(connection, db, 'search_unmarked', left);
      });
    } catch (error) {
      if (!isStorageError(error)) throw error;
      plan(LOOK_MS);
      return;
    }
    unmarked = left;
  }

  function indexPiece(): Indexed {
    const { due, isFull } = piece();
    const rows = due.length === 0 ? [] : connection.all(rowsToIndex(due).compile()).map(toUnindexed);
    if (rows.length === 0) {
      backlog = 0;
      return 'nothing';
    }
    const last = Math.max(highest, ...rows.map((row) => row.seq));
    const stillRunning = new Map([
      ...indexedWhileRunning,
      ...rows.filter((row) => row.status === 'running').map((row) => [row.id, row.seq] as const),
    ]);
    const waiting = new Map(endedSince);
    for (const row of rows) waiting.delete(row.id);
    const mark = Math.min(last, ...[...stillRunning.values(), ...waiting.values()].map((seq) => seq - 1));
    try {
      queue.now(() => {
        for (const row of rows) insert({ seq: row.seq, text: row.text });
        if (mark !== watermark) writeCounter(connection, db, 'search_watermark', mark);
      });
    } catch (error) {
      if (!isStorageError(error)) throw error;
      plan(LOOK_MS);
      return 'nothing';
    }
    watermark = mark;
    highest = last;
    for (const row of rows) {
      endedSince.delete(row.id);
      if (row.status === 'running') indexedWhileRunning.set(row.id, row.seq);
    }
    backlog = isFull ? Math.max(0, backlog - rows.length) : 0;
    return isFull ? 'full' : 'some';
  }

  /** The next calls to index: those that ended since, then those never indexed, in order of arrival. */
  function piece(): { readonly due: readonly number[]; readonly isFull: boolean } {
    const ended = [...endedSince.values()].slice(0, PIECE);
    const sizes = [
      ...(ended.length === 0 ? [] : connection.all(sizesOf().where(isOneOf(ended)).compile())),
      ...connection.all(sizesOf().where('calls.seq', '>', highest).orderBy('calls.seq').limit(PIECE).compile()),
    ];
    return withinBytes(sizes);
  }

  /** How large the calls are: what the database tells without reading the values. */
  function sizesOf() {
    const size = (column: JsonColumn) =>
      sql<number>`coalesce(octet_length(${sql.ref(`call_payloads.${column}`)}), octet_length(${sql.ref(`calls.${column}`)}), 0)`;
    return db
      .selectFrom('calls')
      .leftJoin('call_payloads', 'call_payloads.call_id', 'calls.id')
      .select('calls.seq')
      .select(sql<number>`${size('arguments_json')} + ${size('result_json')} + ${size('error_json')} + ${size('logs_json')}`.as('size'));
  }

  function rowsToIndex(seqs: readonly number[]) {
    const whole = (column: JsonColumn) =>
      sql<
        string | null
      >`substr(coalesce(${sql.ref(`call_payloads.${column}`)}, ${sql.ref(`calls.${column}`)}), 1, ${sql.lit(VALUE_CHARACTERS)})`;
    return db
      .selectFrom('calls')
      .leftJoin('call_payloads', 'call_payloads.call_id', 'calls.id')
      .select(['calls.seq', 'calls.id', 'calls.tool', 'calls.extension', 'calls.status', 'calls.source', 'calls.actor'])
      .select(['calls.error_kind', 'calls.revision', 'calls.duration_us'])
      .select([
        whole('arguments_json').as('arguments_json'),
        whole('result_json').as('result_json'),
        whole('error_json').as('error_json'),
        whole('logs_json').as('logs_json'),
      ])
      .where(isOneOf(seqs));
  }

  if (unmarked > 0 || hasBacklog()) plan(LOOK_MS);

  function hasBacklog(): boolean {
    return connection.first(db.selectFrom('calls').select('seq').where('seq', '>', highest).limit(1).compile()) !== undefined;
  }

  return {
    noteInserted: () => note(1),
    noteFinished(id) {
      const seq = indexedWhileRunning.get(id);
      if (seq !== undefined) {
        indexedWhileRunning.delete(id);
        endedSince.set(id, seq);
      }
      note(seq === undefined ? 0 : 1);
    },
    noteAllFinished() {
      for (const [id, seq] of indexedWhileRunning) endedSince.set(id, seq);
      note(indexedWhileRunning.size);
      indexedWhileRunning.clear();
    },
    catchUp() {
      while (indexPiece() !== 'nothing');
    },
    unmarkedUpTo: () => unmarked,
    close() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

/** One parameter however many there are, so that one prepared statement serves all. */
function isOneOf(seqs: readonly number[]) {
  return sql<boolean>`calls.seq in (select value from json_each(${JSON.stringify(seqs)}))`;
}

/** As many as one transaction takes; one that is too large by itself goes alone. */
function withinBytes(sizes: readonly { readonly seq: number; readonly size: number }[]): { due: readonly number[]; isFull: boolean } {
  let bytes = 0;
  const within = sizes.slice(0, PIECE).findIndex(({ size }) => (bytes += size) > PIECE_BYTES);
  const due = sizes.slice(0, within === -1 ? PIECE : within + 1).map(({ seq }) => seq);
  return { due, isFull: due.length === PIECE || due.length < sizes.length };
}

function toUnindexed(row: RowToIndex): Unindexed {
  const values = [row.arguments_json, row.result_json, row.error_json, row.logs_json];
  const texts = values.flatMap((value) => (value === null ? [] : [textOfJson(value)]));
  const text = [withoutMarks([row.tool, ...texts].join('\n')), ...marksOf(row)].join('\n');
  return { seq: row.seq, id: row.id, status: row.status, text };
}
