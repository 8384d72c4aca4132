/** The part in which a text became another, so that what stands around it is left as it is; null when they are the same. */
export function changedPart(before: string, after: string): { readonly from: number; readonly to: number; readonly insert: string } | null {
  if (before === after) return null;
  const least = Math.min(before.length, after.length);
  let from = 0;
  while (from < least && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < least - from && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
