/*
 * A pattern of a foreign schema, run on a page or in the server itself, could hang it. Only patterns that cannot take long are
 * run here: no repeated group, no reference back, few repetitions, and short texts; the others are left to the worker or the
 * process that checks.
 */
const MOST_REPEATS = 3;
const LONGEST_TEXT = 256;
const LONGEST_PATTERN = 500;
const NOT_QUICK = /\)[*+?{]|\\[1-9]|\\k|\(\?[=!<]/;

/** Whether a text fits a pattern; null where that is not to be found out here. */
export function fitsPattern(pattern: unknown, text: string): boolean | null {
  if (typeof pattern !== 'string' || pattern.length > LONGEST_PATTERN || text.length > LONGEST_TEXT || NOT_QUICK.test(pattern)) return null;
  if ((pattern.match(/[*+{]/g)?.length ?? 0) > MOST_REPEATS) return null;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return null;
  }
}
