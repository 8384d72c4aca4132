'use client';

import { type CSSProperties, type KeyboardEvent, type MouseEvent, memo, useEffect, useRef } from 'react';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Duration, RelativeTime, RunningDuration } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/Badge.tsx';
import { cx } from '#components/ui/cx.ts';
import { usePageKeys } from '#components/ui/use-page-keys.ts';
import { useVisibleRows } from '#components/ui/use-visible-rows.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { ownStorage, safeStorage } from '#components/ui/safe-storage.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { SOURCE_WORDS, argumentsInLine, errorWords } from './call-words.ts';

/** Narrower lists show only `essential` columns; cards of the narrowest show the others in one line. */
export const COLUMNS = [
  { key: 'time', name: 'Time', width: '5rem', essential: true, fixed: true },
  { key: 'tool', name: 'Tool', width: 'minmax(8rem,13rem)', essential: true, fixed: true },
  { key: 'extension', name: 'Extension', width: 'minmax(5rem,9rem)', essential: false, fixed: false },
  { key: 'revision', name: 'Revision', width: '4.5rem', essential: false, fixed: false },
  { key: 'status', name: 'Status', width: '7rem', essential: true, fixed: false },
  { key: 'error', name: 'Error', width: 'minmax(8rem,14rem)', essential: false, fixed: false },
  { key: 'source', name: 'Source', width: '7rem', essential: false, fixed: false },
  { key: 'actor', name: 'Actor', width: 'minmax(5rem,8rem)', essential: false, fixed: false },
  { key: 'instance', name: 'Instance', width: 'minmax(5rem,9rem)', essential: false, fixed: false },
  { key: 'arguments', name: 'Arguments', width: 'minmax(0,1fr)', essential: true, fixed: false },
  { key: 'duration', name: 'Duration', width: '5rem', essential: true, fixed: false },
] as const;

export type ColumnKey = (typeof COLUMNS)[number]['key'];

const AT_FIRST: readonly ColumnKey[] = ['time', 'tool', 'status', 'source', 'arguments', 'duration'];

/** The instance column exists if several are alive, and is shown until columns are chosen. */
export function columnsFor(chosen: readonly ColumnKey[], areSeveral: boolean): readonly ColumnKey[] {
  if (!areSeveral) return chosen.filter((key) => key !== 'instance');
  return chosen === AT_FIRST ? [...chosen, 'instance'] : chosen;
}

export function gridOf(shown: readonly ColumnKey[]): { readonly wide: string; readonly narrower: string } {
  const columns = COLUMNS.filter((column) => shown.includes(column.key));
  const widths = (some: readonly (typeof COLUMNS)[number][]) =>
    some.map(({ key, width }) => (key === 'tool' && !shown.includes('arguments') ? 'minmax(8rem,1fr)' : width)).join(' ');
  return { wide: widths(columns), narrower: widths(columns.filter((column) => column.essential)) };
}

export function readColumns(text: string | null): readonly ColumnKey[] {
  if (text === null) return AT_FIRST;
  const names = text.split(',');
  const known = COLUMNS.filter((column) => column.fixed || names.includes(column.key)).map((column) => column.key);
  return names.every((name) => COLUMNS.some((column) => column.key === name)) ? known : AT_FIRST;
}

interface ColumnMemory {
  subscribe(changed: () => void): () => void;
  current(): readonly ColumnKey[];
  atFirst(): readonly ColumnKey[];
  set(columns: readonly ColumnKey[] | null): void;
}

const KEY = 'switchboard.calls.columns';

/** Stored in this browser; without storage it lasts as long as the page. */
export function createColumnMemory(storage: () => Storage | null): ColumnMemory {
  const stored = safeStorage(storage);
  const listeners = new Set<() => void>();
  let chosen: readonly ColumnKey[] | null = null;

  return {
    subscribe(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    current: () => (chosen ??= readColumns(stored.read(KEY))),
    atFirst: () => AT_FIRST,
    set(columns) {
      chosen =
        columns === null ? AT_FIRST : COLUMNS.filter((column) => column.fixed || columns.includes(column.key)).map((column) => column.key);
      stored.write(KEY, columns === null ? null : chosen.join(','));
      for (const changed of listeners) changed();
    },
  };
}

export const columnMemory = createColumnMemory(() => ownStorage('localStorage'));

const WIDE_ROW = 36;
const CARD = 68;
const CARD_WITH_DETAILS = 86;
/** The next page is read before its rows scroll into view. */
const READ_AHEAD = '1000px';
const HEIGHTS = '[--row:var(--card)] @xl:[--row:36px]';
const GRID = '@xl:gap-x-3 @xl:grid-cols-(--narrower) @4xl:grid-cols-(--wide)';

interface CallRowsProps {
  calls: readonly Call[];
  columns: readonly ColumnKey[];
  selected: string | null;
  onSelect: (id: string) => boolean;
  onNearEnd: () => void;
}

/** Virtualized. Arrow keys, j and k move; Enter opens. */
export function CallRows({ calls, columns, selected, onSelect, onNearEnd }: CallRowsProps) {
  const end = useRef<HTMLDivElement>(null);
  const { list, rows } = useVisibleRows<HTMLDivElement, Call>({
    name: 'calls',
    items: calls,
    height: WIDE_ROW,
    needed: selected,
  });
  const { wide, narrower } = gridOf(columns);
  const hasDetails = COLUMNS.some((column) => !column.essential && columns.includes(column.key));
  const card = hasDetails ? CARD_WITH_DETAILS : CARD;
  const sizes: CSSProperties & Record<`--${string}`, string> = { '--wide': wide, '--narrower': narrower, '--card': `${card}px` };

  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) onNearEnd();
      },
      { rootMargin: READ_AHEAD },
    );
    if (end.current !== null) observer.observe(end.current);
    return () => observer.disconnect();
  }, [calls.length, onNearEnd]);

  function move(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[pressedKey(event)];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    if (go(step)) event.preventDefault();
  }

  function go(step: number): boolean {
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['call'] : undefined;
    const at = calls.findIndex((call) => call.id === (focused ?? selected));
    const to = at === -1 ? 0 : at + step;
    const next = calls[to];
    if (next === undefined) return false;
    if (selected !== null) onSelect(next.id);
    list.current?.querySelector<HTMLElement>(`[data-call="${CSS.escape(next.id)}"]`)?.focus();
    return true;
  }

  usePageKeys({ j: () => go(1), k: () => go(-1) });

  return (
    <div
      role="table"
      aria-label="Calls, newest first"
      aria-rowcount={calls.length + 1}
      className="@container min-w-0 text-sm"
      style={sizes}
    >
      <div role="rowgroup" className="@max-xl:sr-only">
        <div role="row" aria-rowindex={1} className={cx('grid h-8 items-center border-b px-4 text-xs font-medium text-muted', GRID)}>
          {COLUMNS.filter((column) => columns.includes(column.key)).map(({ key, name, essential }) => (
            <span
              key={key}
              role="columnheader"
              className={cx('truncate', !essential && '@max-4xl:hidden', (key === 'duration' || key === 'revision') && 'text-right')}
            >
              {name}
            </span>
          ))}
        </div>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the links inside handle the keys */}
      <div ref={list} role="rowgroup" onKeyDown={move} className={HEIGHTS}>
        {rows.map((row) =>
          row.item === null ? (
            <div key={row.key} aria-hidden style={{ height: row.height }} />
          ) : (
            <div
              key={row.item.id}
              {...row.props}
              role="row"
              aria-rowindex={row.index + 2}
              aria-selected={row.item.id === selected}
              className={cx(
                'relative grid h-(--row) [content-visibility:auto] items-center border-b px-4 hover:bg-hover @max-xl:grid-cols-[minmax(0,1fr)_auto_auto] @max-xl:content-center @max-xl:gap-x-3 @max-xl:gap-y-0.5',
                GRID,
                row.item.id === selected && 'bg-accent-soft hover:bg-accent-soft',
              )}
            >
              <Cells call={row.item} columns={columns} hasDetails={hasDetails} onSelect={onSelect} />
            </div>
          ),
        )}
      </div>
      <div ref={end} />
    </div>
  );
}

interface CellsProps {
  call: Call;
  columns: readonly ColumnKey[];
  hasDetails: boolean;
  onSelect: (id: string) => boolean;
}

const Cells = memo(function Cells({ call, columns, hasDetails, onSelect }: CellsProps) {
  function press(event: MouseEvent) {
    // A key press has no click count: Enter always opens the page.
    if (event.detail === 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    if (onSelect(call.id)) event.preventDefault();
  }

  return (
    <>
      {COLUMNS.filter((column) => columns.includes(column.key)).map(({ key }) =>
        key === 'tool' ? (
          <span key={key} role="cell" className="flex min-w-0 @max-xl:order-1">
            <ListLink
              href={PAGES.call(call.id)}
              data-call={call.id}
              onClick={press}
              title={call.tool}
              className="focus-inset truncate rounded-sm font-medium row-link"
            >
              {call.tool}
            </ListLink>
          </span>
        ) : (
          <CallCell key={key} column={key} call={call} />
        ),
      )}
      {hasDetails ? <CardDetails call={call} columns={columns} /> : null}
    </>
  );
});

function CallCell({ column, call }: { column: Exclude<ColumnKey, 'tool'>; call: Call }) {
  switch (column) {
    case 'time':
      return (
        <span role="cell" className="whitespace-nowrap text-muted @max-xl:order-5 @max-xl:col-start-3 @max-xl:text-right">
          <RelativeTime time={call.started_at} />
        </span>
      );
    case 'status':
      return (
        <span role="cell" className="flex items-center @max-xl:order-2 @max-xl:col-span-2 @max-xl:justify-self-end">
          <StateText state={call.status} />
        </span>
      );
    case 'arguments':
      return (
        <span role="cell" className="truncate @max-xl:order-3 @max-xl:col-start-1">
          <code className="text-xs text-muted">{argumentsInLine(call) || 'no arguments'}</code>
        </span>
      );
    case 'duration':
      return (
        <span role="cell" className="tabular text-right whitespace-nowrap text-muted @max-xl:order-4 @max-xl:col-start-2">
          {call.status === 'running' ? <RunningDuration since={call.started_at} /> : <Duration ms={call.duration_ms} />}
        </span>
      );
    case 'instance':
      return <TruncatedCell text={call.instance ?? '–'} shown={endOf(call.instance ?? '–')} />;
    case 'revision':
      return (
        <span role="cell" className="tabular text-right text-muted @max-4xl:hidden">
          {call.revision ?? '–'}
        </span>
      );
    case 'source':
    case 'extension':
    case 'actor':
    case 'error':
      return <TruncatedCell text={detailOf(column, call) ?? '–'} />;
  }
}

function detailOf(column: ColumnKey, call: Call): string | null {
  switch (column) {
    case 'source':
      return call.actor === null ? SOURCE_WORDS[call.source] : `${SOURCE_WORDS[call.source]} · ${call.actor}`;
    case 'extension':
      return call.extension;
    case 'actor':
      return call.actor;
    case 'instance':
      return call.instance;
    case 'revision':
      return call.revision === null ? null : `revision ${call.revision}`;
    case 'error':
      return call.error === null ? null : `${errorWords(call.error).word}: ${call.error.message}`;
    default:
      return null;
  }
}

/** The chosen columns that are not essential, as text of a card. */
export function detailsInWords(call: Call, columns: readonly ColumnKey[]): string {
  const shown = columns.filter((column) => column !== 'actor' || !columns.includes('source'));
  return shown
    .map((column) => detailOf(column, call))
    .filter((text) => text !== null)
    .join(' · ');
}

function CardDetails({ call, columns }: { call: Call; columns: readonly ColumnKey[] }) {
  const text = detailsInWords(call, columns);
  return (
    <span
      role="cell"
      title={text}
      className="order-6 col-span-full truncate @xl:hidden text-xs text-muted [unicode-bidi:plaintext] empty:hidden"
    >
      {text}
    </span>
  );
}

/** Names of instances differ at their end. */
const END = 14;

function endOf(text: string): string {
  return text.length > END + 2 ? `…${text.slice(-END)}` : text;
}

function TruncatedCell({ text, shown = text }: { text: string; shown?: string }) {
  return (
    <span role="cell" className="truncate text-muted [unicode-bidi:plaintext] @max-4xl:hidden" title={text}>
      {shown}
    </span>
  );
}
