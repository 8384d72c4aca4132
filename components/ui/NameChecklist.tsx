'use client';

import { useState } from 'react';
import { Checkbox } from './Field.tsx';
import { sortByName } from './name-order.ts';
import { SearchField } from './SearchField.tsx';

const SEARCH_FROM = 8;

export interface NameChecklistProps {
  label: string;
  placeholder: string;
  nothing: string;
  rows: readonly { readonly name: string; readonly note: string | null }[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

export function NameChecklist({ label, placeholder, nothing, rows, chosen, onChange }: NameChecklistProps) {
  const [q, setQ] = useState('');
  const shown = sortByName(
    rows.filter((row) => row.name.toLowerCase().includes(q.trim().toLowerCase())),
    ({ name }) => name,
  );
  return (
    <>
      {rows.length < SEARCH_FROM ? null : (
        <SearchField label={placeholder} placeholder={placeholder} value={q} onChange={setQ} isLandmark={false} />
      )}
      <ul className="max-h-56 min-w-0 overflow-y-auto rounded border py-1" aria-label={label}>
        {shown.map((row) => (
          <li key={row.name}>
            <label className="flex min-h-7 min-w-0 items-center gap-2 px-2 hover:bg-hover pointer-coarse:min-h-10">
              <Checkbox
                checked={chosen.includes(row.name)}
                onChange={(event) => onChange(event.target.checked ? [...chosen, row.name] : chosen.filter((name) => name !== row.name))}
              />
              <span className="min-w-0 flex-1 truncate" title={row.name}>
                {row.name}
              </span>
              {row.note === null ? null : <span className="shrink-0 text-xs text-muted">{row.note}</span>}
            </label>
          </li>
        ))}
        {shown.length === 0 ? <li className="px-2 py-2 text-sm text-muted">{nothing}</li> : null}
      </ul>
    </>
  );
}
