/**
 * Cursors of keyset pages: the kind of list and the keys of the last row, opaque to clients. A cursor is a position,
 * not a count, so later rows shift nothing.
 */
export type CursorKind = 'calls' | 'found' | 'occurrences' | 'snapshots' | 'messages' | 'audit';

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

const ID = /^[\w-]{1,64}$/;
/** The latest time of a Date. */
const LATEST_TIME = 8_640_000_000_000_000;

/** For lists ordered by a time and then by id. */
export function encodeTimeCursor(kind: 'failures', time: number, id: string): string {
  return Buffer.from([kind, time, id].join('.')).toString('base64url');
}

/** The position, or null when this is no cursor of that kind. */
export function decodeTimeCursor(kind: 'failures', cursor: string): { readonly time: number; readonly id: string } | null {
  const [name, time = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString('latin1').split('.');
  if (name !== kind || rest.length > 0 || !WHOLE.test(time) || Number(time) > LATEST_TIME || !ID.test(id)) return null;
  return encodeTimeCursor(kind, Number(time), id) === cursor ? { time: Number(time), id } : null;
}
