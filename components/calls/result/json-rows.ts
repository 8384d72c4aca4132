/*
 * Rows of a JSON tree. What can go wrong:
 * - the value has many megabytes: only open nodes have rows, long arrays and objects are split into chunks of a hundred, and
 *   the search creates no rows;
 * - bidirectional control characters reorder text: they are shown as JSON escapes.
 */
export interface JsonRow {
  /** Pointer plus range of a chunk. Unique per row. */
  readonly id: string;
  /** A chunk has the pointer of its parent. */
  readonly pointer: string;
  readonly key: string | number | null;
  readonly value: unknown;
  /** First and last index of a chunk. */
  readonly range: readonly [number, number] | null;
  readonly level: number;
  readonly position: number;
  readonly setSize: number;
  readonly canOpen: boolean;
  readonly isOpen: boolean;
}

export const PART = 100;
const PATH_END = '\u0000';

export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isContainer(value) ? Object.keys(value).length : 0;
}

export function pointerOf(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export function rowsOf(root: unknown, open: ReadonlySet<string>): JsonRow[] {
  const rows: JsonRow[] = [];
  addRow(rows, open, { value: root, key: null, pointer: '', level: 1, position: 1, setSize: 1 });
  return rows;
}

type Place = Pick<JsonRow, 'value' | 'key' | 'pointer' | 'level' | 'position' | 'setSize'>;

function addRow(rows: JsonRow[], open: ReadonlySet<string>, place: Place): void {
  const { value, pointer, level } = place;
  const size = sizeOf(value);
  const isOpen = size > 0 && open.has(pointer);
  rows.push({ ...place, id: pointer, range: null, canOpen: size > 0, isOpen });
  if (!isOpen) return;
  const keys = Array.isArray(value) ? null : Object.keys(isContainer(value) ? value : {});
  if (size <= PART) return addMembers(rows, open, { value, keys, pointer, level: level + 1, from: 0, to: size });
  const parts = Math.ceil(size / PART);
  for (let part = 0; part < parts; part += 1) {
    const from = part * PART;
    const to = Math.min(size, from + PART);
    const id = partId(pointer, from);
    const isPartOpen = open.has(id);
    rows.push({
      id,
      pointer,
      key: null,
      value,
      range: [from, to - 1],
      level: level + 1,
      position: part + 1,
      setSize: parts,
      canOpen: true,
      isOpen: isPartOpen,
    });
    if (isPartOpen) addMembers(rows, open, { value, keys, pointer, level: level + 2, from, to });
  }
}

interface Members {
  readonly value: unknown;
  /** Null for arrays. */
  readonly keys: readonly string[] | null;
  readonly pointer: string;
  readonly level: number;
  readonly from: number;
  readonly to: number;
}

function addMembers(rows: JsonRow[], open: ReadonlySet<string>, { value, keys, pointer, level, from, to }: Members): void {
  for (let at = from; at < to; at += 1) {
    const key = keys === null ? at : (keys[at] ?? '');
    addRow(rows, open, {
      value: memberOf(value, key),
      key,
      pointer: pointerOf(pointer, key),
      level,
      position: at - from + 1,
      setSize: to - from,
    });
  }
}

/** Opens outer levels as long as they fit into `most` rows. The root is always open; chunks only on request. */
export function openedLevels(root: unknown, max: number, parts: 'closed' | 'open' = 'closed'): Set<string> {
  const open = new Set<string>();
  const queue: Openable[] = [openable('', root)];
  let rows = 1;
  for (const item of queue) {
    const { id, pointer, value, keys, size, from } = item;
    const starts = from === null && size > PART ? Array.from({ length: Math.ceil(size / PART) }, (_, part) => part * PART) : [];
    const first = from ?? 0;
    const end = Math.min(size, first + PART);
    const adds = starts.length > 0 ? starts.length : end - first;
    if (adds === 0 || (id !== '' && rows + adds > max)) continue;
    open.add(id);
    rows += adds;
    if (starts.length > 0) {
      // The remaining levels exceed `most`.
      const fitting = parts === 'open' ? starts.slice(0, Math.ceil(max / PART)) : [];
      for (const start of fitting) queue.push({ ...item, id: partId(pointer, start), from: start });
      continue;
    }
    for (let at = first; at < end; at += 1) {
      const key = keys === null ? at : (keys[at] ?? '');
      const member = memberOf(value, key);
      if (isContainer(member)) queue.push(openable(pointerOf(pointer, key), member));
    }
  }
  return open;
}

interface Openable {
  readonly id: string;
  readonly pointer: string;
  readonly value: unknown;
  /** Null for arrays. */
  readonly keys: readonly string[] | null;
  readonly size: number;
  /** Of a chunk. */
  readonly from: number | null;
}

function openable(pointer: string, value: unknown): Openable {
  const keys = Array.isArray(value) ? null : Object.keys(isContainer(value) ? value : {});
  return { id: pointer, pointer, value, keys, size: keys === null ? sizeOf(value) : keys.length, from: null };
}

export function openedTo(root: unknown, pointer: string, open: ReadonlySet<string>): Set<string> {
  const wider = new Set(open);
  let value = root;
  let at = '';
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    wider.add(at);
    if (sizeOf(value) > PART) {
      const place = Array.isArray(value) ? Number(key) : Object.keys(isContainer(value) ? value : {}).indexOf(key);
      wider.add(partId(at, place - (place % PART)));
    }
    value = memberOf(value, key);
    at = `${at}/${part}`;
  }
  return wider;
}

export function memberOf(value: unknown, key: string | number): unknown {
  return isContainer(value) && Object.hasOwn(value, key) ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
}

function partId(pointer: string, from: number): string {
  return `${pointer}${PATH_END}${from}`;
}
