'use client';

import { ChevronDown, ChevronUp, ChevronsDownUp, ChevronsUpDown } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { SearchField } from '#components/ui/SearchField.tsx';
import { withoutAnsi } from './ansi.ts';
import { findInJson } from './find-in-json.ts';
import { isContainer, openedLevels, openedTo, rowsOf } from './json-rows.ts';
import type { JsonRow } from './json-rows.ts';
import { ReadableText } from './TextView.tsx';
import { TreeRows } from './TreeRows.tsx';
import { inThousands } from '#components/ui/in-thousands.ts';

const ROWS_FIRST = 120;
const ROWS_MOST = 20_000;
const HITS_MOST = 1_000;
const LINE = 80;

/** JSON as a tree: folds, searches, and copies any place or value of it. The keys are those of every tree. */
export function JsonTree({ value, label }: { value: object; label: string }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => openedLevels(value, ROWS_FIRST));
  const [chosen, setChosen] = useState('');
  const [typed, setTyped] = useState('');
  const word = useDeferredValue(typed.trim().toLowerCase());
  const rows = useMemo(() => rowsOf(value, open), [value, open]);
  const hits = useMemo(() => findInJson(value, word, HITS_MOST), [value, word]);
  const at = rows.findIndex((row) => row.id === chosen);
  const row = rows[at] ?? rows[0];
  if (row === undefined) return null;

  function fold(target: JsonRow, opens = !target.isOpen) {
    const next = new Set(open);
    if (opens) next.add(target.id);
    else next.delete(target.id);
    if (target.canOpen) setOpen(next);
    setChosen(target.id);
  }

  function goTo(pointer: string | undefined) {
    if (pointer === undefined) return;
    setOpen(openedTo(value, pointer, open));
    setChosen(pointer);
  }

  const hit = hits.pointers.indexOf(row.pointer);
  function step(by: 1 | -1) {
    const wanted = typed.trim().toLowerCase();
    // Who types and presses Enter at once is ahead of the search.
    const { pointers } = wanted === word ? hits : findInJson(value, wanted, HITS_MOST);
    goTo(pointers[hit === -1 ? (by === 1 ? 0 : pointers.length - 1) : (hit + by + pointers.length) % pointers.length]);
  }

  function press(event: KeyboardEvent) {
    if (row === undefined || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key !== 'c' || window.getSelection()?.isCollapsed === false) return;
      event.preventDefault();
      void navigator.clipboard.writeText(copied(row.value)).catch(() => undefined);
      return;
    }
    const place = Math.max(0, at);
    const parent = rows.findLast((other, index) => index < place && other.level < row.level);
    const to: Readonly<Record<string, JsonRow | undefined>> = {
      ArrowDown: rows[place + 1],
      ArrowUp: rows[place - 1],
      Home: rows[0],
      End: rows.at(-1),
      PageDown: rows[Math.min(rows.length - 1, place + 15)],
      PageUp: rows[Math.max(0, place - 15)],
      ArrowRight: row.isOpen ? rows[place + 1] : undefined,
      ArrowLeft: row.isOpen ? undefined : parent,
    };
    if (!Object.hasOwn(to, event.key) && event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    const next = to[event.key];
    if (next !== undefined) setChosen(next.id);
    else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
      if (row.canOpen) fold(row, event.key === 'ArrowRight');
    } else if (event.key === 'Enter' || event.key === ' ') fold(row);
  }

  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-center gap-1">
        <SearchField
          label={`Search in ${label}`}
          isLandmark={false}
          placeholder="Search"
          value={typed}
          onChange={setTyped}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            step(event.shiftKey ? -1 : 1);
          }}
          className="min-w-40 flex-1"
        />
        <span role="status" className="tabular px-1 text-sm text-muted empty:hidden">
          {word === '' ? null : hitWords(hit, hits.pointers.length, hits.isCut)}
        </span>
        <span className="ml-auto flex">
          <IconButton size="sm" label="Previous match" disabled={hits.pointers.length === 0} onClick={() => step(-1)}>
            <ChevronUp aria-hidden />
          </IconButton>
          <IconButton size="sm" label="Next match" disabled={hits.pointers.length === 0} onClick={() => step(1)}>
            <ChevronDown aria-hidden />
          </IconButton>
          <IconButton size="sm" label="Open all" onClick={() => setOpen(openedLevels(value, ROWS_MOST))}>
            <ChevronsUpDown aria-hidden />
          </IconButton>
          <IconButton
            size="sm"
            label="Close all"
            onClick={() => {
              setOpen(new Set(['']));
              setChosen('');
            }}
          >
            <ChevronsDownUp aria-hidden />
          </IconButton>
        </span>
      </div>
      <TreeRows
        rows={rows}
        chosen={row}
        label={label}
        word={word}
        onPress={(one, folds) => (folds ? fold(one) : setChosen(one.id))}
        onKeyDown={press}
      />
      <Chosen row={row} />
    </div>
  );
}

/** The chosen place: its pointer, what can be copied of it, and a long text of it to be read. */
function Chosen({ row: { pointer, value } }: { row: JsonRow }) {
  const isLong = typeof value === 'string' && (value.length > LINE || value.includes('\n'));
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-center gap-2 text-sm">
        <code className="min-w-0 flex-1 basis-40 break-all text-muted">{pointer === '' ? 'the whole' : pointer}</code>
        <span className="ml-auto flex flex-wrap gap-2">
          <CopyButton words text={pointer} label="Copy path" />
          <CopyButton words text={() => copied(value)} label="Copy value" />
        </span>
      </div>
      {isLong ? <ReadableText key={pointer} text={value} label={`Text at ${withoutAnsi(pointer)}`} /> : null}
    </div>
  );
}

/** Text as it is, anything else as JSON. */
function copied(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, isContainer(value) ? 2 : 0) ?? 'null');
}

function hitWords(hit: number, count: number, isCut: boolean): string {
  if (count === 0) return 'Not found';
  const all = isCut ? `more than ${inThousands(count)}` : inThousands(count);
  return hit === -1 ? `${all} found` : `${hit + 1} of ${all}`;
}
