/**
 * The words of a search. Search text and indexed text are split alike (letters and digits of any script make words; the
 * rest separates), and every part is quoted, so nothing that a person types is syntax to FTS5.
 */

const SEPARATORS = /[^\p{L}\p{N}\p{M}\p{Co}]+/u;
const JSON_ESCAPE = /\\(?:u([0-9a-fA-F]{4})|.)/g;

/** The MATCH expression for `q`: all its words, each by prefix; null when there is no word in it. */
export function matchExpression(q: string): string | null {
  const terms: string[] = [];
  for (const word of q.toWellFormed().normalize('NFC').split(/\s+/u)) {
    const parts = word.split(SEPARATORS).filter((part) => /[\p{L}\p{N}\p{Co}]/u.test(part));
    if (parts.length > 0) terms.push(`"${parts.join(' ')}"*`);
  }
  return terms.length === 0 ? null : terms.join(' AND ');
}

/** JSON text as words: `"a\nb"` is two words, and `\u00e9` the letter it stands for. */
export function textOfJson(json: string): string {
  if (!json.includes('\\')) return json;
  return json.replace(JSON_ESCAPE, (_, code: string | undefined) =>
    code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
