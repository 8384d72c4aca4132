import { hash } from 'node:crypto';
import type { CallFilter, CallSelection } from '#lib/contract/call.ts';
import type { SearchTerms } from './sqlite/search-terms.ts';
import type { CallPosition } from './call-queries.ts';
import type { Db } from './database.ts';
import type { CallsRow } from './call-rows.ts';

/**
 * The words of a search. Query and indexed text are split alike (letters and digits of any script make words; the rest
 * separates), and every part is quoted, so user input is never FTS5 syntax.
 */

const SEPARATORS = /[^\p{L}\p{N}\p{M}\p{Co}]+/u;
const JSON_ESCAPE = /\\(?:u([0-9a-fA-F]{4})|.)/g;

/**
 * Scripts without spaces between words, and Korean, whose words carry endings. Each letter is a term of the index, and
 * a search is for consecutive letters, so text is found anywhere within a run. Pairs of letters as terms would double
 * the index, and trigrams find nothing shorter.
 */
const UNSPACED = [
  'Han',
  'Hira',
  'Kana',
  'Bopo',
  'Hang',
  'Yiii',
  'Thai',
  'Laoo',
  'Khmr',
  'Mymr',
  'Tibt',
  'Tale',
  'Talu',
  'Lana',
  'Tavt',
  'Java',
  'Bali',
]
  .map((script) => `\\p{scx=${script}}`)
  .join('');
const LETTER = `[[${UNSPACED}]&&[\\p{L}\\p{N}]]`;
const ANY_LETTER = new RegExp(LETTER, 'v');
const MARKED_LETTER = new RegExp(`${LETTER}\\p{M}+`, 'gv');
/** With their substitutes. */
const EACH_LETTER = new RegExp(`${LETTER}\\p{Co}*`, 'gv');
const END_OF_RUN = new RegExp(`(${LETTER}\\p{Co}*)(?=[^\\p{L}\\p{N}\\p{M}\\p{Co}])`, 'gv');
/** A fast first test, which emoji pass as well. */
const MAY_BE_UNSPACED = /[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u1950-\u1b7f\u2e80-\ud7ff\ud81b-\ud8ff\uf900-\ufaff\uff66-\uffdc]/;
const MARK = /\p{M}/u;
const MARKS = /\p{M}/gu;
const IS_VARIATION = /\p{Variation_Selector}/u;
/** A term between two runs, so that the end of one and the beginning of the next are not consecutive letters. */
const BREAK = '\u{e5b1}';

/** Whether a text has letters of these scripts. */
export function hasUnspaced(text: string): boolean {
  return MAY_BE_UNSPACED.test(text) && ANY_LETTER.test(text);
}

/**
 * A text in which each letter of these scripts is a term. The tokenizer drops combining marks, which distinguish Thai
 * words, so private-use characters replace them.
 */
export function splitUnspaced(text: string): string {
  if (!hasUnspaced(text)) return text;
  const composed = text.normalize('NFC');
  const marked = MARK.test(composed) ? composed.replace(MARKED_LETTER, (letter) => letter.replace(MARKS, letterFor)) : composed;
  return marked.replace(END_OF_RUN, `$1 ${BREAK}`).replace(EACH_LETTER, ' $& ');
}

function letterFor(mark: string): string {
  return IS_VARIATION.test(mark) ? '' : String.fromCharCode(0xe000 + ((mark.codePointAt(0) ?? 0) & 0xfff));
}

/** The parts of one search word, in order; the last is a prefix. */
export type SearchWord = readonly string[];

/** The words of `q`: empty when nothing was typed, null when it has no word, so that nothing can match. */
export function searchWords(q: string): readonly SearchWord[] | null {
  if (q.trim() === '') return [];
  const words = withoutMarks(q.toWellFormed()).normalize('NFC').split(/\s+/u);
  const found = words
    .map((word) => word.split(SEPARATORS).filter((part) => /[\p{L}\p{N}\p{Co}]/u.test(part)))
    .filter((parts) => parts.length > 0);
  return found.length === 0 ? null : found;
}

/**
 * The MATCH expression for all words, each as a prefix. Calls indexed by an older version have no letters as terms, and
 * are found by the beginnings of runs.
 */
export async function matchExpression(words: readonly SearchWord[], terms: SearchTerms): Promise<string> {
  const expressions: string[] = [];
  for (const parts of words) {
    const word = await phrase(parts, terms);
    const letters = await phrase(lettersOf(parts), terms);
    expressions.push(word === letters ? word : `(${letters} OR (${word} NOT "${LETTERS_MARK}"))`);
  }
  return expressions.join(' AND ');
}

/** The parts of a word with the letters of unspaced scripts as parts of their own. */
export function lettersOf(parts: SearchWord): SearchWord {
  return splitUnspaced(parts.join(' ')).trim().split(/\s+/);
}

async function phrase(parts: readonly string[], terms: SearchTerms): Promise<string> {
  const before = parts.slice(0, -1);
  const completed = await terms.beginningWith(parts.at(-1) ?? '');
  if (completed === null || completed.length === 0) return `"${parts.join(' ')}"*`;
  return `(${completed.map((term) => `"${[...before, term].join(' ')}"`).join(' OR ')})`;
}

/** JSON text as words: `"a\nb"` is two words, and `\u00e9` is the letter it encodes. */
export function textOfJson(json: string): string {
  if (!json.includes('\\')) return json;
  return json.replace(JSON_ESCAPE, (_, code: string | undefined) =>
    code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/**
 * Full-text search over calls, newest first by arrival. The index is updated outside of the transactions that calls
 * wait for, and completed before each search.
 */
export interface CallSearch {
  /** A call was written: indexing is due. */
  noteInserted(): void;
  noteFinished(id: string): void;
  /** No call is running any more. */
  noteAllFinished(): void;
  /** By arrival; one more than the limit when there are more. */
  page(filter: CallFilter, words: readonly SearchWord[], beforeSeq: number | null): Promise<CallsRow[]>;
  /** Calls that match the words and the filter, as far as the index knows it. */
  newestSeqs(filter: CallSelection, words: readonly SearchWord[], most: number): Promise<number[]>;
  /** All that match a filter without words, newest first by start; null: the index does not answer it. */
  filtered(filter: CallFilter, after: CallPosition | null): Promise<CallsRow[] | null>;
  /** Within the transaction that removes these calls. */
  remove(db: Db, seqs: readonly number[]): Promise<void>;
  close(): void;
}

/**
 * Terms in the index that nobody can type: they encode a call's filter values. A search for a common word among the
 * calls of one tool is then answered by the index alone; without them it would read every call with that word. What can
 * go wrong:
 * - somebody types or sends such a term: its prefix is removed from all other text (see search-words.ts);
 * - two values have one mark, or the mark is coarser than the filter: the found calls are compared as well;
 * - a call gets another status, revision or duration when it ends: it is indexed again then.
 */
const SIGN = '\u{e5b0}';
/** Three characters: the index stores prefixes up to that length, and all marks share this one. */
const BEGINNING = SIGN.repeat(3);
const HASH_LETTERS = 12;
/**
 * A filter by duration uses the longest of these within its limit; so a rare slow call is found without scanning a
 * million fast ones.
 */
const LEVELS_US = [10_000, 100_000, 1_000_000, 10_000_000] as const;

const COLUMNS = ['tool', 'extension', 'status', 'source', 'actor', 'error_kind', 'revision'] as const;

export type MarkedCall = Readonly<Record<(typeof COLUMNS)[number], string | number | null>> & { readonly duration_us: number | null };

export function marksOf(call: MarkedCall): string[] {
  const { duration_us: duration } = call;
  return [
    ...COLUMNS.flatMap((column) => (call[column] === null ? [] : [markOf(column, call[column])])),
    ...LEVELS_US.filter((level) => duration !== null && duration >= level).map((level) => markOf('duration', level)),
  ];
}

/** The marks of every call that matches the filter: one of each of these. */
export function marksFor(filter: CallSelection): string[][] {
  const least = Math.round((filter.min_ms ?? 0) * 1_000);
  const level = LEVELS_US.findLast((each) => each <= least);
  return [
    ...COLUMNS.flatMap((column) => (filter[column] === undefined ? [] : [[filter[column]].flat().map((value) => markOf(column, value))])),
    ...(level === undefined ? [] : [[markOf('duration', level)]]),
  ];
}

/** A text without the prefix of the marks. */
export function withoutMarks(text: string): string {
  return text.includes(SIGN) ? text.replaceAll(SIGN, ' ') : text;
}

export function markOf(column: string, value: string | number): string {
  return BEGINNING + hash('sha256', `${column}=${value}`).slice(0, HASH_LETTERS);
}

/** Marks calls in which letters are terms (see search-words.ts). */
export const LETTERS_MARK = markOf('letters', 'terms');
