import { withoutMarks } from './call-marks.ts';
import type { SearchTerms } from './search-terms.ts';

/**
 * The words of a search. Search text and indexed text are split alike (letters and digits of any script make words; the
 * rest separates), and every part is quoted, so nothing that a person types is syntax to FTS5.
 */

const SEPARATORS = /[^\p{L}\p{N}\p{M}\p{Co}]+/u;
const JSON_ESCAPE = /\\(?:u([0-9a-fA-F]{4})|.)/g;

/** What one word of a search was split into: parts that follow each other, of the last of which the beginning is enough. */
export type SearchWord = readonly string[];

/** The words of `q`: none when nothing was typed, null when that holds no word, which nothing can fit. */
export function searchWords(q: string): readonly SearchWord[] | null {
  if (q.trim() === '') return [];
  const words = withoutMarks(q.toWellFormed()).normalize('NFC').split(/\s+/u);
  const found = words
    .map((word) => word.split(SEPARATORS).filter((part) => /[\p{L}\p{N}\p{Co}]/u.test(part)))
    .filter((parts) => parts.length > 0);
  return found.length === 0 ? null : found;
}

/** The MATCH expression for all of the words, each by prefix. */
export function matchExpression(words: readonly SearchWord[], terms: SearchTerms): string {
  return words
    .map((parts) => {
      const before = parts.slice(0, -1);
      const whole = terms.beginningWith(parts.at(-1) ?? '');
      if (whole === null || whole.length === 0) return `"${parts.join(' ')}"*`;
      return `(${whole.map((term) => `"${[...before, term].join(' ')}"`).join(' OR ')})`;
    })
    .join(' AND ');
}

/** JSON text as words: `"a\nb"` is two words, and `\u00e9` the letter it stands for. */
export function textOfJson(json: string): string {
  if (!json.includes('\\')) return json;
  return json.replace(JSON_ESCAPE, (_, code: string | undefined) =>
    code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
