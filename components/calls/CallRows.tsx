'use client';

import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ListLink } from '#components/ui/ListLink.tsx';
import { memo, useEffect, useRef, useState } from 'react';
import type { CSSProperties, KeyboardEvent, MouseEvent } from 'react';
import { cx } from '#components/ui/cx.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { usePageKeys } from '#components/ui/use-page-keys.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { COLUMNS, gridOf } from './call-columns.ts';
import type { ColumnKey } from './call-columns.ts';
import { CallCell } from './CallCell.tsx';

const WIDE_ROW = 36;
const NARROW_ROW = 68;
const AHEAD = 10;
/** Of the server's picture, which knows no window. */
const AT_FIRST = 20;
/** Below this width of the list a call takes two lines. */
const TWO_LINES_BELOW = 576;
/** The same in the style sheet: the server's picture stands as it is, whatever the width. */
const HEIGHTS = '[--row:68px] @xl:[--row:36px]';
const GRID = '@xl:gap-x-3 @xl:grid-cols-(--narrower) @4xl:grid-cols-(--wide)';

export interface CallRowsProps {
  calls: readonly Call[];
  columns: readonly ColumnKey[];
  selected: string | null;
  /** A row was pressed with the mouse, or reached by arrow key. True: it is shown beside the list. */
  onSelect: (id: string) => boolean;
  onNearEnd: () => void;
}

/** The calls, of which only those near the window are in the page. Arrows, j and k go up and down, Enter opens. */
export function CallRows({ calls, columns, selected, onSelect, onNearEnd }: CallRowsProps) {
  const list = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ readonly offset: number; readonly height: number } | null>(null);
  const height = place?.height ?? WIDE_ROW;
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized by a compiler
  const rows = useWindowVirtualizer({
    count: calls.length,
    estimateSize: () => height,
    overscan: AHEAD,
    scrollMargin: place?.offset ?? 0,
    getItemKey: (index) => calls[index]?.id ?? index,
  });
  // The server's picture stays until it is known what is in the window.
  const shown = place === null ? calls.slice(0, AT_FIRST).map((_call, index) => index) : rows.getVirtualItems().map(({ index }) => index);
  const { wide, narrower } = gridOf(columns);
  const widths: CSSProperties & Record<`--${string}`, string> = { '--wide': wide, '--narrower': narrower };
  const lastShown = shown.at(-1) ?? 0;

  useEffect(() => {
    function measure() {
      const box = list.current?.getBoundingClientRect();
      if (box === undefined) return;
      const next = { offset: box.top + window.scrollY, height: box.width < TWO_LINES_BELOW ? NARROW_ROW : WIDE_ROW };
      setPlace((present) => (present?.offset === next.offset && present.height === next.height ? present : next));
    }
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    if (list.current !== null) observer.observe(list.current);
    return () => observer.disconnect();
  }, []);

  useEffect(() => rows.measure(), [rows, height]);

  useEffect(() => {
    if (calls.length > 0 && lastShown >= calls.length - AHEAD) onNearEnd();
  }, [lastShown, calls.length, onNearEnd]);

  function move(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[pressedKey(event)];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    if (go(step)) event.preventDefault();
  }

  /** To the next or the previous call; to the first one where none is chosen yet. */
  function go(step: number): boolean {
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['call'] : undefined;
    const at = calls.findIndex((call) => call.id === (focused ?? selected));
    const to = at === -1 ? 0 : at + step;
    const next = calls[to];
    if (next === undefined) return false;
    rows.scrollToIndex(to, { align: 'auto' });
    if (selected !== null) onSelect(next.id);
    // At once where it can be, so that the next key is for it; a row far away is on the page only after the next rendering.
    if (!focusRow(next.id)) requestAnimationFrame(() => focusRow(next.id));
    return true;
  }

  function focusRow(id: string): boolean {
    const link = list.current?.querySelector<HTMLElement>(`[data-call="${CSS.escape(id)}"]`) ?? null;
    link?.focus({ preventScroll: true });
    return link !== null;
  }

  usePageKeys({ j: () => go(1), k: () => go(-1) });

  return (
    <div
      role="table"
      aria-label="Calls, newest first"
      aria-rowcount={calls.length + 1}
      className="@container min-w-0 text-sm"
      style={widths}
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
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the links inside are what takes the keys */}
      <div
        ref={list}
        role="rowgroup"
        onKeyDown={move}
        className={cx('relative', HEIGHTS)}
        style={{ height: `calc(var(--row) * ${calls.length})` }}
      >
        {shown.map((index) => {
          const call = calls[index];
          if (call === undefined) return null;
          return <Row key={call.id} call={call} columns={columns} index={index} selected={call.id === selected} onSelect={onSelect} />;
        })}
      </div>
    </div>
  );
}

interface RowProps {
  call: Call;
  columns: readonly ColumnKey[];
  index: number;
  selected: boolean;
  onSelect: (id: string) => boolean;
}

/** It is asked for again at each step of scrolling, and is mostly what it was. */
const Row = memo(function Row({ call, columns, index, selected, onSelect }: RowProps) {
  function press(event: MouseEvent) {
    // A press by key has no click count: Enter always opens the page.
    if (event.detail === 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    if (onSelect(call.id)) event.preventDefault();
  }

  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      style={{ transform: `translateY(calc(var(--row) * ${index}))` }}
      className={cx(
        'absolute inset-x-0 top-0 grid h-(--row) [content-visibility:auto] items-center border-b px-4 hover:bg-hover @max-xl:grid-cols-[minmax(0,1fr)_auto] @max-xl:content-center @max-xl:gap-x-3 @max-xl:gap-y-0.5',
        GRID,
        selected && 'bg-accent-soft hover:bg-accent-soft',
      )}
    >
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
    </div>
  );
});
