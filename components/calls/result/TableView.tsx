'use client';

import { createSortedRowModel, rowSortingFeature, tableFeatures, useTable } from '@tanstack/react-table';
import type { ColumnDef, Header } from '@tanstack/react-table';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { cx } from '#components/ui/cx.ts';
import { pointerInWords } from '#components/ui/pointer-words.ts';
import { memberOf } from './json-rows.ts';
import type { FoundList } from './list-in.ts';
import { cellText, COLUMNS_MOST, columnsOf, compareCells, isNumber, tableCsv } from './table-rows.ts';
import { inThousands } from '#components/ui/in-thousands.ts';

const FEATURES = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });
const ROWS_FIRST = 100;
const CELL_MOST = 200;

/** Items of one kind, one a row: sorted by any column, and to be taken along as CSV. Says which part of a value they are. */
export function TableView({ list, label }: { list: FoundList; label: string }) {
  const { items, pointer, isAll } = list;
  const [most, setMost] = useState(ROWS_FIRST);
  const columns = useMemo(() => columnsOf(items), [items]);
  const shown = useMemo(() => columns.slice(0, COLUMNS_MOST).map(columnOf), [columns]);
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
            {rows.slice(0, most).map((row) => (
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
          {items.length <= most
            ? `${inThousands(items.length)} ${items.length === 1 ? 'row' : 'rows'}`
            : `The first ${inThousands(most)} of ${inThousands(items.length)} rows`}
          {columns.length > shown.length ? ` · ${columns.length - shown.length} more columns are in the tree and in the CSV` : ''}
        </span>
        {items.length > most ? (
          <Button size="sm" onClick={() => setMost(most * 2)}>
            Show more
          </Button>
        ) : null}
        <CopyButton words text={() => tableCsv(rows.map(({ original }) => original))} label="Copy as CSV" className="ml-auto" />
      </div>
    </div>
  );
}

/** Numbers stand at the right, and so does the name of what is numbers alone. */
function isNumeric(items: readonly object[], name: string): boolean {
  const cells = items.slice(0, ROWS_FIRST).map((item) => memberOf(item, name));
  const known = cells.filter((cell) => cell !== undefined && cell !== null);
  return known.length > 0 && known.every((cell) => isNumber(cell));
}

/** Numbers by size, text as people sort it ("2" before "10"), nothing always last. Equal ones keep their order. */
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
        <Icon aria-hidden className={cx('size-3.5 shrink-0', sorted === false ? 'text-muted' : 'text-accent')} />
      </button>
    </th>
  );
}

function ShownCell({ cell }: { cell: unknown }) {
  const text = cellText(cell);
  return (
    <td
      className={cx(
        'border-b px-3 py-1.5 align-top',
        isNumber(cell) && 'tabular text-right whitespace-nowrap',
        (cell === null || typeof cell === 'boolean') && 'text-muted',
        typeof cell === 'object' && cell !== null && 'font-mono',
      )}
    >
      {/* As wide as its text, to a measure: a narrow table is moved sideways, not broken within words. */}
      <div className={cx('w-max max-w-72 [overflow-wrap:anywhere]', isNumber(cell) && 'ml-auto')}>
        {text.length > CELL_MOST ? `${text.slice(0, CELL_MOST)}…` : text}
      </div>
    </td>
  );
}
