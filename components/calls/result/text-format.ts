import { parseExactJson } from '#lib/contract/exact-json.ts';

const FIRST = 20_000;

/** One strong sign of Markdown, or two kinds of weak signs. */
const STRONG = [/^#{1,6} \S/m, /^```/m, /\[[^\]\n]+\]\(https?:\/\/[^)\s]+\)/, /^\|.+\|\s*\n\|[ :|-]+\|/m];
const WEAK = [/^\s{0,3}(?:[-*+]|\d+\.) \S.*\n\s{0,3}(?:[-*+]|\d+\.) \S/m, /\*\*\S[^*\n]*\S?\*\*/, /(?:^|\s)`[^`\n]+`/, /^> \S/m];

/*
 * Inline Markdown: bold, strikethrough and inline code at word positions. Not powers (2**3**4), globs (src/**), names
 * (__init__) or commands (a=`date`). Counted only in one-line paragraphs without columns: Markdown joins lines and spaces,
 * which would lose layout.
 */
const INLINE = [
  /(?:^|[\s(["'“‘—–])\*\*[\p{L}\p{N}"'`([](?:[^*\n]*[\p{L}\p{N}"'`)\].!?:,;%])?\*\*(?=$|[\s.,;:!?)\]"'”’—–])/mu,
  /(?:^|[\s(])~~[\p{L}\p{N}](?:[^~\n]*[\p{L}\p{N}.!?])?~~(?=$|[\s.,;:!?)])/mu,
  /(?:^|[^\s=+({<,]\s+|[^\s=+({<,]\s+\()`[^`\n]+`(?=$|[\s.,;:!?)])/m,
];
const SEVERAL_LINES = /\S[ \t]*\r?\n[ \t]*\S/;
const COLUMNS = /\S(?: {3,}|\t)\S|^(?: {2,}|\t)\S/m;
/** Lines of a program, shell or HTML. */
const CODE = /[;{}][ \t]*$|^[ \t]*(?:[$%>#]\s|<[a-z!/]|(?:const|let|var|return|import|export|echo|sudo|git|npm)\b)/m;

export function looksLikeMarkdown(text: string): boolean {
  const start = text.slice(0, FIRST);
  // oxlint-disable-next-line no-control-regex -- ANSI colors start with one
  if (/\u001b\[/.test(start)) return false;
  if (STRONG.some((sign) => sign.test(start)) || WEAK.filter((sign) => sign.test(start)).length > 1) return true;
  return (
    INLINE.some((sign) => sign.test(start)) &&
    !SEVERAL_LINES.test(start) &&
    !COLUMNS.test(start) &&
    !CODE.test(start) &&
    jsonInText(text) === undefined
  );
}

export function jsonInText(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value = parseExactJson(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
