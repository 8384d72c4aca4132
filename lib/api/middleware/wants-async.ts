/** A text in quotes, what divides preferences or their parts, or what stands between. A quote that is never closed reaches to the end. */
const PARTS = /"(?:[^"\\]|\\.)*(?:"|$)|[,;]|[^",;]+/g;

/**
 * Whether a `Prefer` header asks for the running call instead of its end. As RFC 7240 has it: preferences divided by commas, each
 * with a value of its own and parameters behind semicolons, and of one that is given twice the first counts.
 */
export function wantsAsync(prefer: string | null | undefined): boolean {
  if (!prefer) return false;
  let preference = '';
  let isParameter = false;
  for (const [part] of `${prefer},`.matchAll(PARTS)) {
    if (part === ',') {
      const [name = '', value = ''] = preference.split('=', 2).map((side) => side.trim());
      if (name.toLowerCase() === 'respond-async') return value === '' || value === '""';
      preference = '';
      isParameter = false;
    } else if (part === ';') isParameter = true;
    else if (!isParameter) preference += part;
  }
  return false;
}
