'use client';

import { ChevronDown, ChevronRight, ChevronUp, ChevronsDownUp, ChevronsUpDown } from 'lucide-react';
import { type KeyboardEvent, memo, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react';
import { CopyButton, copyText } from '#components/ui/CopyButton.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { SearchField } from '#components/ui/SearchField.tsx';
import { cx } from '#components/ui/cx.ts';
import { inThousands } from '#components/ui/numbers.ts';
import { useVisibleRows } from '#components/ui/use-visible-rows.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { visibleJson } from '#components/ui/visible-text.ts';
import { withoutAnsi } from './AnsiText.tsx';
import { ReadableText } from './TextView.tsx';
import { type JsonRow, isContainer, memberOf, openedLevels, openedTo, pointerOf, rowsOf, sizeOf } from './json-rows.ts';

interface JsonHits {
  readonly pointers: readonly string[];
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

/** Case-insensitive, in names and values. Breadth-first, so that depth cannot overflow the stack. */
export function findInJson(root: unknown, word: string, max: number): JsonHits {
  const wanted = word.toLowerCase();
  if (wanted === '') return { pointers: [], isCut: false };
  const pointers: string[] = [];
  const levels: Level[] = [];
  if (isContainer(root)) levels.push(levelOf(root, '', ''));
  else if (includesText(root, wanted)) pointers.push('');
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    if (level.at >= level.size) {
      levels.pop();
      continue;
    }
    const key = level.keys === null ? level.at : (level.keys[level.at] ?? '');
    level.at += 1;
    const value = memberOf(level.value, key);
    const isNamed = typeof key === 'string' && key.toLowerCase().includes(wanted);
    if (isNamed || (!isContainer(value) && includesText(value, wanted))) {
      if (pointers.length === max) return { pointers, isCut: true };
      pointers.push(pointerOf(pointerTo(levels), key));
    }
    if (isContainer(value)) levels.push(levelOf(value, key, null));
  }
  return { pointers, isCut: false };
}

function levelOf(value: object, key: string | number, pointer: string | null): Level {
  const keys = Array.isArray(value) ? null : Object.keys(value);
  return { value, keys, size: Array.isArray(value) ? value.length : (keys?.length ?? 0), pointer, key, at: 0 };
}

function pointerTo(levels: readonly Level[]): string {
  return levels.reduce((way, level) => level.pointer ?? pointerOf(way, level.key), '');
}

function includesText(value: unknown, wanted: string): boolean {
  return String(value).toLowerCase().includes(wanted);
}

const ROWS_FIRST = 120;
const MAX_ROWS = 20_000;
const MAX_HITS = 1_000;
const LINE = 80;

/** Up to here a tree is read at a glance, without a search. */
const SHORT = 20;

function hasAtMost(root: unknown, max: number): boolean {
  const found: unknown[] = [root];
  for (const value of found) {
    if (!isContainer(value)) continue;
    if (found.length + sizeOf(value) > max) return false;
    const members: readonly unknown[] = Object.values(value);
    found.push(...members);
  }
  return true;
}

export function JsonTree({ value, label }: { value: object; label: string }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => openedLevels(value, ROWS_FIRST));
  const [chosen, setChosen] = useState('');
  const [typed, setTyped] = useState('');
  const word = useDeferredValue(typed.trim().toLowerCase());
  const isShort = useMemo(() => hasAtMost(value, SHORT), [value]);
  const rows = useMemo(() => rowsOf(value, open), [value, open]);
  const hits = useMemo(() => findInJson(value, word, MAX_HITS), [value, word]);
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
    // Enter may arrive before the deferred search has finished.
    const { pointers } = wanted === word ? hits : findInJson(value, wanted, MAX_HITS);
    goTo(pointers[hit === -1 ? (by === 1 ? 0 : pointers.length - 1) : (hit + by + pointers.length) % pointers.length]);
  }

  function press(event: KeyboardEvent) {
    const key = pressedKey(event);
    if (row === undefined || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      if (key !== 'c' || window.getSelection()?.isCollapsed === false) return;
      event.preventDefault();
      void copyText(copied(row.value));
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
    if (!Object.hasOwn(to, key) && key !== 'Enter' && key !== ' ') return;
    event.preventDefault();
    const next = to[key];
    if (next !== undefined) setChosen(next.id);
    else if (key === 'ArrowRight' || key === 'ArrowLeft') {
      if (row.canOpen) fold(row, key === 'ArrowRight');
    } else if (key === 'Enter' || key === ' ') fold(row);
  }

  return (
    <div className="flex min-w-0 flex-col gap-2">
      {isShort ? null : (
        <div className="flex min-w-0 flex-wrap items-center gap-1">
          <SearchField
            label={`Search in ${label}`}
            isLandmark={false}
            placeholder="Search"
            value={typed}
            onChange={setTyped}
            onKeyDown={(event) => {
              if (pressedKey(event) !== 'Enter') return;
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
              <ChevronUp />
            </IconButton>
            <IconButton size="sm" label="Next match" disabled={hits.pointers.length === 0} onClick={() => step(1)}>
              <ChevronDown />
            </IconButton>
            <IconButton size="sm" label="Open all" onClick={() => setOpen(openedLevels(value, MAX_ROWS, 'open'))}>
              <ChevronsUpDown />
            </IconButton>
            <IconButton
              size="sm"
              label="Close all"
              onClick={() => {
                setOpen(new Set(['']));
                setChosen('');
              }}
            >
              <ChevronsDownUp />
            </IconButton>
          </span>
        </div>
      )}
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

function Chosen({ row: { pointer, value } }: { row: JsonRow }) {
  const isLong = typeof value === 'string' && (value.length > LINE || value.includes('\n'));
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-center gap-2 text-sm">
        <code className="min-w-0 flex-1 basis-40 break-all text-muted">{pointer === '' ? '(root)' : pointer}</code>
        <span className="ml-auto flex flex-wrap gap-2">
          <CopyButton words text={pointer} label="Copy path" />
          <CopyButton words text={() => copied(value)} label="Copy value" />
        </span>
      </div>
      {isLong ? <ReadableText key={pointer} text={value} label={`Text at ${withoutAnsi(pointer)}`} /> : null}
    </div>
  );
}

function copied(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, isContainer(value) ? 2 : 0) ?? 'null');
}

function hitWords(hit: number, count: number, isCut: boolean): string {
  if (count === 0) return 'Not found';
  const all = isCut ? `more than ${inThousands(count)}` : inThousands(count);
  return hit === -1 ? `${all} found` : `${hit + 1} of ${all}`;
}

interface TreeRowsProps {
  rows: readonly JsonRow[];
  chosen: JsonRow;
  label: string;
  word: string;
  onPress: (row: JsonRow, folds: boolean) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

const ROW_HEIGHT = 20;

function TreeRows({ rows, chosen, label, word, onPress, onKeyDown }: TreeRowsProps) {
  const base = useId();
  const { list, rows: shown } = useVisibleRows<HTMLDivElement, JsonRow>({
    name: label,
    items: rows,
    height: ROW_HEIGHT,
    needed: chosen.id,
  });
  const chosenId = `${base}-${rows.indexOf(chosen)}`;
  const first = useRef(true);
  useEffect(() => {
    // Rows rendered first stay in place.
    if (!first.current) document.getElementById(chosenId)?.scrollIntoView({ block: 'nearest' });
    first.current = false;
  }, [chosen.id, chosenId]);
  return (
    <div
      role="tree"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={chosenId}
      onKeyDown={onKeyDown}
      className="focus-inset max-h-[60dvh] overflow-auto rounded border bg-subtle py-2 font-mono text-sm leading-5"
    >
      <div ref={list} role="none">
        {shown.map((row) =>
          row.item === null ? (
            <div key={row.key} role="none" style={{ height: row.height }} />
          ) : (
            <div key={row.item.id} role="none" {...row.props}>
              <TreeRow id={`${base}-${row.index}`} row={row.item} isChosen={row.item.id === chosen.id} word={word} onPress={onPress} />
            </div>
          ),
        )}
      </div>
    </div>
  );
}

interface TreeRowProps {
  row: JsonRow;
  id: string;
  isChosen: boolean;
  /** Lower case; '' for none. */
  word: string;
  onPress: (row: JsonRow, folds: boolean) => void;
}

const MAX_TEXT = 400;
const MAX_SHOWN_DEPTH = 24;

const TreeRow = memo(function TreeRow({ row, id, isChosen, word, onPress }: TreeRowProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the tree has the focus and handles the keys
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.setSize}
      aria-selected={isChosen}
      aria-expanded={row.canOpen ? row.isOpen : undefined}
      onClick={(event) => onPress(row, event.target instanceof Element && event.target.closest('[data-fold]') !== null)}
      onDoubleClick={() => onPress(row, true)}
      style={{ paddingLeft: `min(${Math.min(row.level - 1, MAX_SHOWN_DEPTH) * 0.875}rem, 35%)` }}
      className={cx('flex min-w-0 cursor-default items-start pr-3 pl-1 hover:bg-hover', isChosen && 'bg-accent-soft hover:bg-accent-soft')}
    >
      <span data-fold className="inline-flex h-5 w-5 shrink-0 items-center justify-center pointer-coarse:w-8">
        {row.canOpen ? <ChevronRight className={cx('size-3.5 text-muted transition-transform', row.isOpen && 'rotate-90')} /> : null}
      </span>
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <RowKey row={row} word={word} />
        <RowValue row={row} word={word} />
      </span>
    </div>
  );
});

function RowKey({ row: { key, range }, word }: { row: JsonRow; word: string }) {
  if (range !== null)
    return (
      <span className="text-muted">
        [{range[0]} … {range[1]}]
      </span>
    );
  if (key === null) return null;
  return (
    <>
      <span className={typeof key === 'number' ? 'text-muted' : 'token-function'}>
        {typeof key === 'number' ? key : <Marked text={visibleJson(key)} word={word} />}
      </span>
      {': '}
    </>
  );
}

function RowValue({ row: { value, range, isOpen }, word }: { row: JsonRow; word: string }) {
  if (range !== null) return null;
  if (isContainer(value)) {
    const size = sizeOf(value);
    const [before, after] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    if (size === 0) return `${before}${after}`;
    const what = Array.isArray(value) ? (size === 1 ? 'item' : 'items') : size === 1 ? 'property' : 'properties';
    return (
      <>
        <span aria-hidden>{isOpen ? before : `${before} … ${after}`}</span>{' '}
        <span className="text-muted">
          {inThousands(size)} {what}
        </span>
      </>
    );
  }
  if (typeof value === 'string') {
    const cut = value.length > MAX_TEXT;
    return (
      <>
        <span className="token-string">
          <Marked text={visibleJson(cut ? value.slice(0, MAX_TEXT) : value)} word={word} />
        </span>
        {cut ? <span className="text-muted"> … {inThousands(value.length)} characters</span> : null}
      </>
    );
  }
  return (
    <span className={typeof value === 'number' || typeof value === 'bigint' ? 'token-number' : 'token-keyword'}>
      <Marked text={visibleJson(value)} word={word} />
    </span>
  );
}

function Marked({ text, word }: { text: string; word: string }) {
  const at = word === '' ? -1 : text.toLowerCase().indexOf(word);
  if (at === -1) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark className="rounded-sm bg-degraded-soft text-fg outline outline-degraded">{text.slice(at, at + word.length)}</mark>
      {text.slice(at + word.length)}
    </>
  );
}
