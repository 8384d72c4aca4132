import { visibleJson } from '#components/ui/visible-text.ts';
import { csvLine } from '#lib/contract/csv.ts';
import { isContainer, memberOf } from './json-rows.ts';

export type Cell = unknown;

export interface TableRow {
  /** Place in the array. */
  readonly at: number;
  readonly value: object;
}

export interface Sorting {
  readonly column: string;
  readonly descending: boolean;
}

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

/** Numbers by size, text as people sort it ("2" before "10"), nothing always last. Equal ones keep their order. */
export function sortedRows(items: readonly object[], sorting: Sorting | null): TableRow[] {
  const rows = items.map((value, at) => ({ at, value }));
  if (sorting === null) return rows;
  const { column, descending } = sorting;
  const collator = new Intl.Collator('en', { numeric: true });
  const keyed = rows.map((row) => ({ row, cell: memberOf(row.value, column) }));
  keyed.sort((a, b) => {
    const empty = Number(isEmpty(a.cell)) - Number(isEmpty(b.cell));
    if (empty !== 0 || isEmpty(a.cell)) return empty;
    return compareCells(a.cell, b.cell, collator) * (descending ? -1 : 1);
  });
  return keyed.map(({ row }) => row);
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

function isEmpty(cell: Cell): boolean {
  return cell === undefined || cell === null;
}

function compareCells(a: Cell, b: Cell, collator: Intl.Collator): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : Number(a > b);
  if (isNumber(a)) return -1;
  if (isNumber(b)) return 1;
  return collator.compare(cellText(a), cellText(b));
}
