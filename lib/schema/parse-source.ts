import { type ParseResult, type ParserOptions, parseSync } from 'oxc-parser';

/**
 * Parses an untrusted source. The native parser is recursive: some thousand levels of nesting overflow its stack and end the
 * process, so such a text is rejected. Brackets in strings and comments count too, but the limit is far above that of real
 * files.
 *
 * @returns null for a text that is nested too deeply
 */
export function parseSource(path: string, source: string, options: ParserOptions = {}): ParseResult | null {
  return isTooDeep(source) ? null : parseSync(path, source, options);
}

export const NESTED_MOST = 1_000;

/** Tokens between the `<` of nested type arguments. */
const NAME_OR_SPACE = /[\w$.\s]/;

function isTooDeep(source: string): boolean {
  let depth = 0;
  let angles = 0;
  for (const character of source) {
    if (character === '<') angles += 1;
    else if (angles > 0 && !NAME_OR_SPACE.test(character)) angles = 0;
    if (character === '(' || character === '[' || character === '{') depth += 1;
    else if (character === ')' || character === ']' || character === '}') depth = Math.max(0, depth - 1);
    if (depth > NESTED_MOST || angles > NESTED_MOST) return true;
  }
  return false;
}
