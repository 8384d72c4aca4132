'use client';

import { Columns3, Download } from 'lucide-react';
import { Button } from '#components/ui/Button.tsx';
import { Checkbox } from '#components/ui/Checkbox.tsx';
import { Popover } from '#components/ui/Popover.tsx';
import { exportAddress } from '#lib/client/call-stats-query.ts';
import type { CallListFilter } from '#lib/client/queries.ts';
import { COLUMNS } from './call-columns.ts';
import type { ColumnKey } from './call-columns.ts';

/** Which columns are shown. */
export function ColumnChoice({
  shown,
  onChange,
}: {
  shown: readonly ColumnKey[];
  onChange: (columns: readonly ColumnKey[] | null) => void;
}) {
  return (
    <Popover label="Columns" trigger={<Button icon={<Columns3 aria-hidden />}>Columns</Button>}>
      <fieldset className="flex flex-col gap-1 p-4">
        <legend className="sr-only">Columns that are shown</legend>
        {COLUMNS.filter((column) => !column.fixed).map(({ key, name }) => (
          <label key={key} className="flex min-h-7 items-center gap-2 pointer-coarse:min-h-10">
            <Checkbox
              checked={shown.includes(key)}
              onChange={(event) => onChange(event.target.checked ? [...shown, key] : shown.filter((each) => each !== key))}
            />
            {name}
          </label>
        ))}
        <p className="mt-1 max-w-48 text-xs text-muted">Kept in this browser. A narrow list shows the most important ones.</p>
        <Button size="sm" className="mt-2" onClick={() => onChange(null)}>
          Show the usual columns
        </Button>
      </fieldset>
    </Popover>
  );
}

/** All calls of the present filter as a file. */
export function ExportMenu({ filter }: { filter: CallListFilter }) {
  return (
    <Popover label="Export" trigger={<Button icon={<Download aria-hidden />}>Export</Button>}>
      <div className="flex min-w-64 flex-col gap-2 p-4">
        <p className="text-sm text-muted">Every call that the filter lets through, whole, the newest first.</p>
        {(['ndjson', 'csv'] as const).map((format) => (
          <Button key={format} asChild>
            <a href={exportAddress(filter, format)} download>
              {format === 'csv' ? 'CSV, for a spreadsheet' : 'NDJSON, one call a line'}
            </a>
          </Button>
        ))}
      </div>
    </Popover>
  );
}
