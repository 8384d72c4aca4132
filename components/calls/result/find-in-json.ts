import { memberOf, pointerOf } from './json-rows.ts';

export interface JsonHits {
  /** JSON Pointers in the order of the tree. */
  readonly pointers: readonly string[];
  /** There are more than were wanted. */
  readonly isCut: boolean;
}

interface Level {
  readonly value: object;
  readonly keys: readonly string[] | null;
  readonly size: number;
  readonly pointer: string | null;
  readonly key: string | number;
  at: number;
}

/** Where a word stands, in a name or in a value, whatever its case. Walks level by level: depth cannot overflow it. */
export function findInJson(root: unknown, word: string, most: number): JsonHits {
  const wanted = word.toLowerCase();
  if (wanted === '') return { pointers: [], isCut: false };
  const pointers: string[] = [];
  const levels: Level[] = [];
  if (isObject(root)) levels.push(levelOf(root, '', ''));
  else if (says(root, wanted)) pointers.push('');
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    if (level.at >= level.size) {
      levels.pop();
      continue;
    }
    const key = level.keys === null ? level.at : (level.keys[level.at] ?? '');
    level.at += 1;
    const value = memberOf(level.value, key);
    const isNamed = typeof key === 'string' && key.toLowerCase().includes(wanted);
    if (isNamed || (!isObject(value) && says(value, wanted))) {
      if (pointers.length === most) return { pointers, isCut: true };
      pointers.push(pointerOf(wayTo(levels), key));
    }
    if (isObject(value)) levels.push(levelOf(value, key, null));
  }
  return { pointers, isCut: false };
}

function levelOf(value: object, key: string | number, pointer: string | null): Level {
  const keys = Array.isArray(value) ? null : Object.keys(value);
  return { value, keys, size: Array.isArray(value) ? value.length : (keys?.length ?? 0), pointer, key, at: 0 };
}

function wayTo(levels: readonly Level[]): string {
  return levels.reduce((way, level) => level.pointer ?? pointerOf(way, level.key), '');
}

function says(value: unknown, wanted: string): boolean {
  return String(value).toLowerCase().includes(wanted);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
