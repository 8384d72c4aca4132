import { sql } from 'kysely';
import { hasUnspaced, LETTERS_MARK, type MarkedCall, marksOf, splitUnspaced, textOfJson, withoutMarks } from './search-words.ts';
import type { Connection } from './sqlite/sqlite-connection.ts';

/**
 * The calls to index, read in parts of limited count and size. What can go wrong: results of megabytes, of which a full
 * part would block everything; so rows are read one by one, a call above the limit is a part of its own, and only its
 * beginning is indexed, because FTS5 indexes a call in one step.
 */
export interface CallsToIndex {
  /** `ended`: calls to be indexed again; then those that arrived after `highest`, in order. */
  next(ended: Iterable<number>, highest: number): CallBatch;
  /** Of the newest up to this one: those up to `unmarked`, and those whose letters become terms. */
  newestUpTo(seq: number, unmarked: number): OldCallBatch;
}

export interface CallBatch {
  readonly calls: readonly CallToIndex[];
  /** It has the maximum size, so more may be waiting. */
  readonly isFull: boolean;
  /** One call that is larger than a part should be. It cannot be indexed in parts. */
  readonly isLarge: boolean;
}

export interface OldCallBatch {
  readonly calls: readonly CallToIndex[];
  /** All before it remain to be checked; 0 when there are none. */
  readonly left: number;
  /** A call is larger than a part should be. It cannot be indexed in parts. */
  readonly isLarge: boolean;
}

export interface CallToIndex {
  readonly seq: number;
  readonly id: string;
  readonly isRunning: boolean;
  /** Its words, and its marks. */
  readonly text: string;
}

/** One part is one transaction, which blocks everything else: some milliseconds. */
const BATCH = 32;
const PIECE_BYTES = 16_384;
/** A part of calls indexed earlier: nobody waits for it, so it may take a few milliseconds at most. */
const OLD_PIECE_CHARACTERS = 4_096;
const LARGE_CHARACTERS = 4 * OLD_PIECE_CHARACTERS;
/** Reading so many characters takes at most as long as indexing one. */
const READ_PER_INDEXED = 16;
/** Indexed characters of one call: some milliseconds. Random words take twice as long as ordinary text. */
export const CALL_CHARACTERS = 65_536;
/** From this one on, letters may become terms, with a space on each side. */
const FIRST_UNSPACED = 0x0e00;
const UNSPACED_CHARACTERS = 3;

/** Occurs in every error and every log line: a search for a number does not mean the second of a log line. */
const ERROR_FRAME = /^\{"kind":"(\w+)","message":/;
const LOG_FRAME = /\{"time":"[^"]*","level":"(\w+)","message":/g;

type JsonColumn = 'arguments_json' | 'result_json' | 'error_json' | 'logs_json';

type RowToIndex = MarkedCall & {
  readonly seq: number;
  readonly id: string;
  readonly tool: string;
  readonly status: string;
  /** The cut values in full. */
  readonly payload_bytes: number;
} & Readonly<Record<JsonColumn, string | null>>;

export function createCallsToIndex(reader: Connection): CallsToIndex {
  const seq = sql<number>`${'seq'}`;
  const one = reader.prepareRows(rows().where('calls.seq', '=', seq).compile());
  const after = reader.prepareRows(rows().where('calls.seq', '>', seq).orderBy('calls.seq').limit(sql.lit(BATCH)).compile());
  const upTo = reader.prepareRows(rows().where('calls.seq', '<=', seq).orderBy('calls.seq', 'desc').limit(sql.lit(BATCH)).compile());

  function rows() {
    const fullText = (column: JsonColumn) =>
      sql<
        string | null
      >`coalesce(substr(${sql.ref(`call_payloads.${column}`)}, 1, ${sql.lit(CALL_CHARACTERS)}), ${sql.ref(`calls.${column}`)})`;
    const size = (column: JsonColumn) => sql<number>`coalesce(octet_length(${sql.ref(`call_payloads.${column}`)}), 0)`;
    return reader.db
      .selectFrom('calls')
      .leftJoin('call_payloads', 'call_payloads.call_id', 'calls.id')
      .select(['calls.seq', 'calls.id', 'calls.tool', 'calls.extension', 'calls.status', 'calls.source', 'calls.actor'])
      .select(['calls.error_kind', 'calls.revision', 'calls.duration_us'])
      .select([
        fullText('arguments_json').as('arguments_json'),
        fullText('result_json').as('result_json'),
        fullText('error_json').as('error_json'),
        fullText('logs_json').as('logs_json'),
      ])
      .select(
        sql<number>`${size('arguments_json')} + ${size('result_json')} + ${size('error_json')} + ${size('logs_json')}`.as('payload_bytes'),
      );
  }

  /** Reads rows until there are enough. */
  function createBatch() {
    const calls: CallToIndex[] = [];
    let bytes = 0;
    let isFull = false;
    return {
      take(row: RowToIndex): boolean {
        const size = Math.max(charactersOf(row), row.payload_bytes);
        isFull = calls.length > 0 && bytes + size > PIECE_BYTES;
        if (isFull) return false;
        calls.push(toIndex(row, textOfCall(row)));
        bytes += size;
        isFull = calls.length >= BATCH || bytes > PIECE_BYTES;
        return !isFull;
      },
      isFull: () => isFull,
      get: (): CallBatch => ({ calls, isFull, isLarge: calls.length === 1 && bytes > PIECE_BYTES }),
    };
  }

  return {
    next(ended, highest) {
      const piece = createBatch();
      for (const again of ended) {
        one({ seq: again }, piece.take);
        if (piece.isFull()) return piece.get();
      }
      after({ seq: highest }, piece.take);
      return piece.get();
    },
    newestUpTo(highest, unmarked) {
      const calls: CallToIndex[] = [];
      let rows = 0;
      let characters = 0;
      let left = 0;
      upTo({ seq: highest }, (row) => {
        rows += 1;
        left = row.seq - 1;
        const text = textOfCall(row);
        const isToIndex = row.seq <= unmarked || hasUnspaced(text);
        if (isToIndex) calls.push(toIndex(row, text));
        characters += isToIndex ? text.length : text.length / READ_PER_INDEXED;
        return characters <= OLD_PIECE_CHARACTERS;
      });
      // FTS5 writes a segment whenever a row is older than the one before.
      return { calls: calls.toReversed(), left: rows === 0 ? 0 : left, isLarge: characters > LARGE_CHARACTERS };
    },
  };
}

/** Characters of the values of a call, of which large ones are cut. */
function charactersOf({ arguments_json: args, result_json: result, error_json: error, logs_json: logs }: RowToIndex): number {
  return [args, result, error, logs].reduce((sum, json) => sum + (json?.length ?? 0), 0);
}

export type TextOfCall = Readonly<Record<JsonColumn, string | null>> & { readonly tool: string };

/** The searchable text of a call; of large values the beginnings, so that each of them gets an equal part of the limit. */
export function textOfCall({ tool, arguments_json: args, result_json: result, error_json: error, logs_json: logs }: TextOfCall): string {
  const values = [args, result, error?.replace(ERROR_FRAME, '$1 '), logs?.replaceAll(LOG_FRAME, '$1 ')].filter((json) => json != null);
  const most = mostOfEach(values.map((json) => measure(json, CALL_CHARACTERS).cost));
  let text = tool;
  for (const json of values) text += `\n${textOfJson(json.slice(0, measure(json, most).length))}`;
  return withoutMarks(text);
}

/** The characters that each value may have in the index. What a small value does not need is for the others. */
function mostOfEach(costs: readonly number[]): number {
  let left = CALL_CHARACTERS;
  for (const [before, cost] of costs.toSorted((one, other) => one - other).entries()) {
    const share = left / (costs.length - before);
    if (cost > share) return share;
    left -= cost;
  }
  return CALL_CHARACTERS;
}

/** The beginning of a text that has at most so many characters in the index. A text that is too long costs more than `most`. */
function measure(text: string, most: number): { readonly length: number; readonly cost: number } {
  let cost = 0;
  for (let length = 0; length < text.length; length += 1) {
    cost += text.charCodeAt(length) < FIRST_UNSPACED ? 1 : UNSPACED_CHARACTERS;
    if (cost > most) return { length, cost };
  }
  return { length: text.length, cost };
}

function toIndex(row: RowToIndex, text: string): CallToIndex {
  const marks = hasUnspaced(text) ? [...marksOf(row), LETTERS_MARK] : marksOf(row);
  return { seq: row.seq, id: row.id, isRunning: row.status === 'running', text: `${splitUnspaced(text)}\n${marks.join('\n')}` };
}
