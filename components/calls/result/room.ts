const ROW_PX = 20;
/** What stands above the rows: the choice of views and the search. */
const HEAD_PX = 112;

/**
 * So high will a result be once its view has been loaded, so that what stands below need not move then: a style for `min-height`.
 * Null for what takes one line or another look.
 */
export function roomFor(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  return `min(${HEAD_PX + rowsIn(value, 100) * ROW_PX}px, calc(60dvh + ${HEAD_PX}px))`;
}

/** Lines of a value with all of it unfolded, no more than `most`. */
function rowsIn(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let rows = 1;
  for (const member of Object.values(value)) {
    if (rows >= most) return most;
    rows += rowsIn(member, most - rows);
  }
  return Math.min(rows, most);
}
