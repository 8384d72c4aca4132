import { hash } from 'node:crypto';
import type { CallSelection } from '#lib/contract/call.ts';

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

/** Cache of the last marks: consecutive calls are similar. */
const known = new Map<string, string>();
const KNOWN_MOST = 2_000;

export function markOf(column: string, value: string | number): string {
  const meaning = `${column}=${value}`;
  const made = known.get(meaning);
  if (made !== undefined) return made;
  const mark = BEGINNING + hash('sha256', meaning).slice(0, HASH_LETTERS);
  if (known.size === KNOWN_MOST) known.clear();
  known.set(meaning, mark);
  return mark;
}

/** Marks calls in which letters are terms (see search-words.ts). */
export const LETTERS_MARK = markOf('letters', 'terms');
