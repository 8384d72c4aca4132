const FIRST = 20_000;

/** Signs of Markdown that hardly stand in a text by chance; one strong sign, or two kinds of weak ones. */
const STRONG = [/^#{1,6} \S/m, /^```/m, /\[[^\]\n]+\]\(https?:\/\/[^)\s]+\)/, /^\|.+\|\s*\n\|[ :|-]+\|/m];
const WEAK = [/^\s{0,3}(?:[-*+]|\d+\.) \S.*\n\s{0,3}(?:[-*+]|\d+\.) \S/m, /\*\*\S[^*\n]*\S?\*\*/, /(?:^|\s)`[^`\n]+`/, /^> \S/m];

/** Whether a text is likely meant as Markdown. */
export function looksLikeMarkdown(text: string): boolean {
  const start = text.slice(0, FIRST);
  // oxlint-disable-next-line no-control-regex -- colours of a terminal begin with one
  if (/\u001b\[/.test(start)) return false;
  return STRONG.some((sign) => sign.test(start)) || WEAK.filter((sign) => sign.test(start)).length > 1;
}

/** The array or object that a text is the JSON of; undefined when it is none. */
export function jsonInText(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
