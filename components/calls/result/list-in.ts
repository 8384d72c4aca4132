import { isContainer, pointerOf } from './json-rows.ts';
import { isTable } from './table-rows.ts';

/** The list that a value is about. */
export interface FoundList {
  readonly items: readonly object[];
  /** JSON Pointer of the list; '' when it is the value itself. */
  readonly pointer: string;
  /** Nothing else is in the value. */
  readonly isAll: boolean;
}

const DEEPEST = 4;

/** The one list of objects in a value, as in `{"items": [{…}, …], "total": 2}`; null where there is none, or more than one. */
export function listIn(value: unknown): FoundList | null {
  const found: FoundList[] = [];
  look(value, '', 0, true, found);
  const [only] = found;
  return found.length === 1 && only !== undefined ? only : null;
}

function look(value: unknown, pointer: string, depth: number, isAll: boolean, found: FoundList[]): void {
  if (isTable(value)) found.push({ items: value, pointer, isAll });
  if (!isContainer(value) || Array.isArray(value) || depth === DEEPEST) return;
  const members = Object.entries(value);
  for (const [name, member] of members) {
    if (found.length > 1) return;
    look(member, pointerOf(pointer, name), depth + 1, isAll && members.length === 1, found);
  }
}
