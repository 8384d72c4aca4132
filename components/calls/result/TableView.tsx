'use client';

import { createSortedRowModel, rowSortingFeature, tableFeatures, useTable } from '@tanstack/react-table';
import type { ColumnDef, Header } from '@tanstack/react-table';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { cx } from '#components/ui/cx.ts';
import { inThousands } from '#components/ui/numbers.ts';
import { pointerInWords } from '#components/ui/pointer-words.ts';
import { visibleJson } from '#components/ui/visible-text.ts';
import { csvLine } from '#lib/contract/csv.ts';
import { isContainer, memberOf, pointerOf } from './json-rows.ts';

type Cell = unknown;

const MAX_COLUMNS = 40;

export function isTable(value: unknown): value is readonly object[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => isContainer(item) && !Array.isArray(item)) &&
    value.some((item: object) => Object.keys(item).length > 0)
  );
}

export function columnsOf(items: readonly object[]): string[] {
  const names = new Set<string>();
  for (const item of items) for (const name of Object.keys(item)) names.add(name);
  return [...names];
}

function cellText(cell: Cell): string {
  if (cell === undefined) return '';
  return typeof cell === 'string' ? cell : visibleJson(cell);
}

/** RFC 4180 with all columns; arrays and objects as JSON. */
export function tableCsv(items: readonly object[]): string {
  const columns = columnsOf(items);
  const lines = [columns, ...items.map((item) => columns.map((name) => memberOf(item, name)))];
  return lines.map(csvLine).join('');
}

function isNumber(cell: Cell): cell is number | bigint {
  return typeof cell === 'number' || typeof cell === 'bigint';
}

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** Numbers by size and before text, text in natural order: "2" before "10". */
function compareCells(a: Cell, b: Cell): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : Number(a > b);
  if (isNumber(a)) return -1;
  if (isNumber(b)) return 1;
  return COLLATOR.compare(cellText(a), cellText(b));
}

export interface FoundList {
  readonly items: readonly object[];
  /** JSON Pointer; '' for the value itself. */
  readonly pointer: string;
  /** The value contains nothing else. */
  readonly isAll: boolean;
}

const MAX_DEPTH = 4;

/** The only list of objects in a value, as in `{"items": […], "total": 2}`; null for none or several. */
export function listIn(value: unknown): FoundList | null {
  const found: FoundList[] = [];
  findLists(value, '', 0, true, found);
  const [only] = found;
  return found.length === 1 && only !== undefined ? only : null;
}

function findLists(value: unknown, pointer: string, depth: number, isAll: boolean, found: FoundList[]): void {
  if (isTable(value)) found.push({ items: value, pointer, isAll });
  if (!isContainer(value) || Array.isArray(value) || depth === MAX_DEPTH) return;
  const members = Object.entries(value);
  for (const [name, member] of members) {
    if (found.length > 1) return;
    findLists(member, pointerOf(pointer, name), depth + 1, isAll && members.length === 1, found);
  }
}

const FEATURES = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });
const ROWS_FIRST = 100;
const MAX_CELL = 200;

export function TableView({ list, label }: { list: FoundList; label: string }) {
  const { items, pointer, isAll } = list;
  const [max, setMax] = useState(ROWS_FIRST);
  const columns = useMemo(() => columnsOf(items), [items]);
  const shown = useMemo(() => columns.slice(0, MAX_COLUMNS).map(columnOf), [columns]);
  const table = useTable({ features: FEATURES, columns: shown, data: items });
  const { rows } = table.getRowModel();
  const numeric = useMemo(() => new Set(columns.filter((name) => isNumeric(items, name))), [columns, items]);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {pointer === '' ? null : (
        <p className="text-sm text-muted">
          The list at <code className="break-all">{pointerInWords(pointer)}</code>
          {isAll ? '.' : '; the rest of the value is in the tree.'}
        </p>
      )}
      <div tabIndex={0} role="region" aria-label={label} className="focus-inset max-h-[60dvh] overflow-auto rounded border">
        <table className="w-full border-separate border-spacing-0 text-left text-sm">
          <thead>
            <tr>
              {table.getFlatHeaders().map((header) => (
                <Heading key={header.id} header={header} isNumeric={numeric.has(nameOf(header.column.id))} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, max).map((row) => (
              <tr key={row.id} className="hover:bg-hover">
                {row.getAllCells().map((cell) => (
                  <ShownCell key={cell.id} cell={memberOf(row.original, nameOf(cell.column.id))} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <span className="tabular">
          {items.length <= max
            ? `${inThousands(items.length)} ${items.length === 1 ? 'row' : 'rows'}`
            : `The first ${inThousands(max)} of ${inThousands(items.length)} rows`}
          {columns.length > shown.length ? ` · ${columns.length - shown.length} more columns are in the tree and in the CSV` : ''}
        </span>
        {items.length > max ? (
          <Button size="sm" onClick={() => setMax(max * 2)}>
            Show more
          </Button>
        ) : null}
        <CopyButton words text={() => tableCsv(rows.map(({ original }) => original))} label="Copy as CSV" className="ml-auto" />
      </div>
    </div>
  );
}

function isNumeric(items: readonly object[], name: string): boolean {
  const cells = items.slice(0, ROWS_FIRST).map((item) => memberOf(item, name));
  const known = cells.filter((cell) => cell !== undefined && cell !== null);
  return known.length > 0 && known.every((cell) => isNumber(cell));
}

/** Empty values last; a stable sort. */
function columnOf(name: string): ColumnDef<typeof FEATURES, object> {
  return {
    // A name may be empty, an id may not.
    id: `.${name}`,
    accessorFn: (item) => memberOf(item, name) ?? undefined,
    sortFn: (one, other, id) => compareCells(one.getValue(id), other.getValue(id)),
    sortUndefined: 'last',
    sortDescFirst: false,
  };
}

function nameOf(columnId: string): string {
  return columnId.slice(1);
}

function Heading({ header: { column }, isNumeric }: { header: Header<typeof FEATURES, object>; isNumeric: boolean }) {
  const name = nameOf(column.id);
  const sorted = column.getIsSorted();
  const Icon = sorted === false ? ChevronsUpDown : sorted === 'desc' ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      aria-sort={sorted === false ? 'none' : sorted === 'desc' ? 'descending' : 'ascending'}
      className="sticky top-0 border-b bg-panel p-0"
    >
      <button
        type="button"
        onClick={() => column.toggleSorting()}
        className={cx(
          'focus-inset flex h-8 w-full items-center gap-1 px-3 font-medium hover:bg-hover pointer-coarse:h-11',
          isNumeric && 'flex-row-reverse',
        )}
      >
        <span className="max-w-52 truncate">{name === '' ? '(no name)' : name}</span>
        <Icon className={cx('size-3.5 shrink-0', sorted === false ? 'text-muted' : 'text-accent')} />
      </button>
    </th>
  );
}

function ShownCell({ cell }: { cell: unknown }) {
  const text = cellText(cell);
  return (
    <td
      className={cx(
        'border-b px-3 py-2 align-top',
        isNumber(cell) && 'tabular text-right whitespace-nowrap',
        (cell === null || typeof cell === 'boolean') && 'text-muted',
        typeof cell === 'object' && cell !== null && 'font-mono',
      )}
    >
      {/* Columns have a maximum width; narrow tables scroll sideways. */}
      <div className={cx('w-max max-w-72 [overflow-wrap:anywhere]', isNumber(cell) && 'ml-auto')}>
        {text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text}
      </div>
    </td>
  );
}
