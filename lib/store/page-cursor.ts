/**
 * Cursors of keyset pages: the kind of list and the keys of the last row shown, opaque to whoever carries them. A cursor
 * names a place, not a count, so rows that arrive later shift nothing.
 */
export type CursorKind = 'calls' | 'found' | 'occurrences' | 'snapshots' | 'messages';

const WHOLE = /^(?:0|[1-9]\d{0,15})$/;

export function encodeCursor(kind: CursorKind, keys: readonly number[]): string {
  return Buffer.from([kind, ...keys].join('.')).toString('base64url');
}

/** The keys, or null when this is no cursor of that kind. */
export function decodeCursor(kind: CursorKind, cursor: string, count: number): readonly number[] | null {
  const [name, ...parts] = Buffer.from(cursor, 'base64url').toString('latin1').split('.');
  if (name !== kind || parts.length !== count || !parts.every((part) => WHOLE.test(part))) return null;
  const keys = parts.map(Number);
  return encodeCursor(kind, keys) === cursor ? keys : null;
}
