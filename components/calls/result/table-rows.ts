import { visibleJson } from '#components/ui/visible-text.ts';
import { csvLine } from '#lib/contract/csv.ts';
import { isContainer, memberOf } from './json-rows.ts';

export type Cell = unknown;

export const COLUMNS_MOST = 40;

/** Whether an array is best read as a table: every item is an object, and there is something to compare. */
export function isTable(value: unknown): value is readonly object[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => isContainer(item) && !Array.isArray(item)) &&
    value.some((item: object) => Object.keys(item).length > 0)
  );
}

/** Names of members in the order in which they come up. */
export function columnsOf(items: readonly object[]): string[] {
  const names = new Set<string>();
  for (const item of items) for (const name of Object.keys(item)) names.add(name);
  return [...names];
}

/** What a cell shows: text as it is, anything else as JSON; '' where there is nothing. */
export function cellText(cell: Cell): string {
  if (cell === undefined) return '';
  return typeof cell === 'string' ? cell : visibleJson(cell);
}

/** RFC 4180, with every column; an array or object is its JSON. */
export function tableCsv(items: readonly object[]): string {
  const columns = columnsOf(items);
  const lines = [columns, ...items.map((item) => columns.map((name) => memberOf(item, name)))];
  return lines.map(csvLine).join('');
}

export function isNumber(cell: Cell): cell is number | bigint {
  return typeof cell === 'number' || typeof cell === 'bigint';
}

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** Numbers by size and before texts, those as people sort them: "2" before "10". */
export function compareCells(a: Cell, b: Cell): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : Number(a > b);
  if (isNumber(a)) return -1;
  if (isNumber(b)) return 1;
  return COLLATOR.compare(cellText(a), cellText(b));
}
