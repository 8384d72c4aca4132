/** A quoted string, a separator, or text. An unclosed quote reaches to the end. */
const PARTS = /"(?:[^"\\]|\\.)*(?:"|$)|[,;]|[^",;]+/g;

/**
 * Whether a `Prefer` header requests the running call instead of its end. By RFC 7240: preferences separated by commas, with a
 * value and parameters after semicolons; of duplicates the first counts.
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
