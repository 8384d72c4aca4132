import path from 'node:path';

/**
 * Parts of the extensions folder: an item at its top, or in `tools` and `channels` an item of these. Events of the watcher say which
 * parts may have changed, so that a scan after a save need not read the others.
 */
const RESERVED = new Set(['tools', 'channels']);

/** Null for a path outside of the folder, and for the folder itself. */
export function partOf(extensionsDir: string, file: string): string | null {
  const [top = '', below] = path.relative(extensionsDir, file).split(path.sep, 2);
  if (top === '' || top === '..' || path.isAbsolute(top)) return null;
  return RESERVED.has(top) && below !== undefined ? `${top}/${below}` : top;
}

/** Null: any part may have changed. */
export function touchedParts(extensionsDir: string, files: readonly string[]): ReadonlySet<string> | null {
  if (files.length === 0) return null;
  const parts = new Set<string>();
  for (const file of files) {
    const part = partOf(extensionsDir, file);
    if (part === null || RESERVED.has(part)) return null;
    parts.add(part);
  }
  return parts;
}

/** The item at the top of the folder. */
export function topOf(part: string): string {
  return part.split('/', 1)[0] ?? part;
}
