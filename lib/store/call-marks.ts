import { hash } from 'node:crypto';
import type { CallSelection } from '#lib/contract/call.ts';

/**
 * Words in the index that nobody can type: they tell of a call what filters ask for. A search for a common word among the calls
 * of one tool is then answered by the index alone, which steps over what is of no use; without them it would read every call
 * that has the word. What can go wrong:
 * - somebody types or sends such a word: its sign is taken out of all other text (see search-words.ts);
 * - two values have one mark, or the mark says less than the filter: whoever searches compares the calls that were found, too;
 * - a call gets another status, revision or duration when it ends: it is indexed again then, as its result is.
 */
const SIGN = '\u{e5b0}';
/** Three of it: the index keeps the beginnings of words up to that length, and all marks share theirs. */
const BEGINNING = SIGN.repeat(3);
const HASH_LETTERS = 12;
/** A filter by duration asks for the longest of these within it; so a rare slow call is not looked for among a million quick ones. */
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

/** What every call that fits the filter is marked with: one of each of these. */
export function marksFor(filter: CallSelection): string[][] {
  const least = Math.round((filter.min_ms ?? 0) * 1_000);
  const level = LEVELS_US.findLast((each) => each <= least);
  return [
    ...COLUMNS.flatMap((column) => (filter[column] === undefined ? [] : [[filter[column]].flat().map((value) => markOf(column, value))])),
    ...(level === undefined ? [] : [[markOf('duration', level)]]),
  ];
}

/** A text without the sign of the marks. */
export function withoutMarks(text: string): string {
  return text.includes(SIGN) ? text.replaceAll(SIGN, ' ') : text;
}

/** The marks that were made last: calls are much alike. */
const known = new Map<string, string>();
const KNOWN_MOST = 2_000;

function markOf(column: string, value: string | number): string {
  const meaning = `${column}=${value}`;
  const made = known.get(meaning);
  if (made !== undefined) return made;
  const mark = BEGINNING + hash('sha256', meaning).slice(0, HASH_LETTERS);
  if (known.size === KNOWN_MOST) known.clear();
  known.set(meaning, mark);
  return mark;
}

/** Stands at calls in which letters are terms (see search-words.ts). */
export const LETTERS_MARK = markOf('letters', 'terms');
