/*
 * An untrusted pattern could hang the page or the server. Only fast patterns run here: no repeated groups, no back-references,
 * few repetitions, short texts; others are left to the worker or process that validates.
 */
const MOST_REPEATS = 3;
const LONGEST_TEXT = 256;
const LONGEST_PATTERN = 500;
const NOT_QUICK = /\)[*+?{]|\\[1-9]|\\k|\(\?[=!<]/;

/** Whether a text matches a pattern; null if the pattern is not safe to run. */
export function fitsPattern(pattern: unknown, text: string): boolean | null {
  if (typeof pattern !== 'string' || pattern.length > LONGEST_PATTERN || text.length > LONGEST_TEXT || NOT_QUICK.test(pattern)) return null;
  if ((pattern.match(/[*+{]/g)?.length ?? 0) > MOST_REPEATS) return null;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return null;
  }
}
