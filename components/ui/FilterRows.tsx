'use client';

import { type ReactNode, useRef } from 'react';
import { Download, X } from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { type UseQueryStatesKeysMap, useQueryStates } from 'nuqs';
import { Button } from './Button.tsx';
import { Select } from './Field.tsx';
import { Popover } from './Popover.tsx';
import { cx } from './cx.ts';
import { sortByName } from './name-order.ts';
import { SearchField, useSearchText } from './SearchField.tsx';
import { useScrollInRow } from './use-scroll-in-row.ts';

interface FilterRowsProps {
  fields: ReactNode;
  chips: ReactNode;
  /** Of the filters in the address. */
  parsers: UseQueryStatesKeysMap;
}

/** Filters of a list: fields above, chips below. On a phone the chips are one line, scrolled to the pressed one. */
export function FilterRows({ fields, chips, parsers }: FilterRowsProps) {
  const line = useRef<HTMLDivElement>(null);
  useScrollInRow(line, '[aria-pressed=true], [data-active-filter]', null);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-center gap-2">{fields}</div>
      <div
        ref={line}
        className="flex min-w-0 flex-wrap items-center gap-2 max-sm:fade-right max-sm:-mx-4 max-sm:flex-nowrap max-sm:overflow-x-auto max-sm:px-4 max-sm:py-1 max-sm:[&_[role=group]]:flex-nowrap max-sm:[&>*]:shrink-0"
      >
        <IgnoredFilters parsers={parsers} />
        {chips}
      </div>
    </div>
  );
}

interface FilterSearchProps {
  label: string;
  placeholder: string;
  max: number;
}

export function FilterSearch(props: FilterSearchProps) {
  const [text, setText] = useSearchText('q');
  return <SearchField {...props} value={text} onChange={setText} className="w-full sm:w-86" />;
}

interface FilterSelectProps {
  label: string;
  every: string;
  value: string | null;
  names: readonly string[];
  onChange: (value: string | null) => void;
}

/** A selected name that no longer exists stays visible. */
export function FilterSelect({ label, every, value, names, onChange }: FilterSelectProps) {
  const all = sortByName(value === null || names.includes(value) ? names : [value, ...names], (name) => name);
  return (
    <Select
      aria-label={label}
      className="w-44 max-sm:w-[calc(50%-0.25rem)]"
      options={[['', every], ...all.map((name) => [name, name] as const)]}
      value={value ?? ''}
      onChange={(name) => onChange(name || null)}
    />
  );
}

interface ActiveFilterProps {
  name: string;
  value: string;
  isIgnored?: boolean;
  onRemove: () => void;
}

export function ActiveFilter({ name, value, isIgnored = false, onRemove }: ActiveFilterProps) {
  return (
    <span
      data-active-filter
      className={cx(
        'inline-flex h-8 max-w-full items-center gap-1 rounded border pl-2 text-sm',
        isIgnored ? 'border-dashed' : 'border-accent bg-accent-soft',
      )}
    >
      <span className="text-muted">{name}</span>
      <span className="truncate font-medium">{value}</span>
      <button
        type="button"
        aria-label={`Remove the filter ${name} ${value}`}
        onClick={onRemove}
        className="inline-flex size-6 items-center justify-center rounded-sm hover:bg-hover"
      >
        <X className="size-3.5" />
      </button>
    </span>
  );
}

/** Filters in the address whose values are not valid: the list is shown without them. */
function IgnoredFilters({ parsers }: { parsers: UseQueryStatesKeysMap }) {
  const search = useSearchParams();
  const [values, setValues] = useQueryStates(parsers, { history: 'replace' });
  return Object.entries(parsers).map(([name, parser]) => {
    const text = search.get(name);
    if (text === null || text === '' || parser.type === 'multi' || isValid(parser.parse(text), text)) return null;
    return (
      <ActiveFilter
        key={name}
        name="Ignored"
        value={`${name}=${text}`}
        isIgnored
        onRemove={() => void setValues({ [name]: Array.isArray(values[name]) && values[name].length > 0 ? values[name] : null })}
      />
    );
  });
}

/** A list must have all its elements. */
function isValid(value: unknown, text: string): boolean {
  return Array.isArray(value) ? value.length === text.split(',').length : value !== null;
}

interface ExportMenuProps {
  what: string;
  address: (format: 'ndjson' | 'csv') => string;
}

export function ExportMenu({ what, address }: ExportMenuProps) {
  return (
    <Popover label="Export" trigger={<Button icon={<Download />}>Export</Button>}>
      <div className="flex min-w-64 flex-col gap-2 p-4">
        <p className="text-sm text-muted">All {what} matching the filter, newest first</p>
        {(['ndjson', 'csv'] as const).map((format) => (
          <Button key={format} asChild>
            <a href={address(format)} download>
              {format === 'csv' ? 'Download CSV' : 'Download NDJSON'}
            </a>
          </Button>
        ))}
      </div>
    </Popover>
  );
}
