import { LETTERS_MARK, withoutMarks } from './call-marks.ts';
import type { SearchTerms } from './sqlite/search-terms.ts';

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
