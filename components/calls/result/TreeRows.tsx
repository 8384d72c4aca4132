'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useId, useRef } from 'react';
import type { KeyboardEvent } from 'react';
import type { JsonRow } from './json-rows.ts';
import { TreeRow } from './TreeRow.tsx';

export interface TreeRowsProps {
  rows: readonly JsonRow[];
  chosen: JsonRow;
  label: string;
  word: string;
  onPress: (row: JsonRow, folds: boolean) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** Up to here every row is on the page, so that the browser's own search finds it. */
const ALL_AT_ONCE = 200;
const ROW_HEIGHT = 20;

/** The rows of the tree, of many only those in sight. */
export function TreeRows({ rows, chosen, label, word, onPress, onKeyDown }: TreeRowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const base = useId();
  const isLong = rows.length > ALL_AT_ONCE;
  // oxlint-disable-next-line react/incompatible-library -- its answers are used here and nowhere else
  const window = useVirtualizer({
    count: isLong ? rows.length : 0,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (at) => rows[at]?.id ?? at,
    overscan: 12,
  });
  const shown = isLong ? window.getVirtualItems().map((item) => ({ row: rows[item.index], at: item.index, start: item.start })) : null;
  const at = rows.indexOf(chosen);
  const isChosenDrawn = shown === null || shown.some((item) => item.at === at);
  const first = useRef(true);

  useEffect(() => {
    // What stands there at first stays where it is.
    if (first.current) {
      first.current = false;
      return;
    }
    if (isLong) window.scrollToIndex(at, { align: 'auto' });
    else document.getElementById(`${base}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen.id, at, isLong, window, base]);

  return (
    <div
      ref={box}
      role="tree"
      tabIndex={0}
      aria-label={label}
      {...(isChosenDrawn ? { 'aria-activedescendant': `${base}-${at}` } : {})}
      onKeyDown={onKeyDown}
      className="focus-inset max-h-[60dvh] overflow-auto rounded border bg-subtle py-2 font-mono text-sm leading-5"
    >
      {shown === null ? (
        rows.map((row, index) => (
          <TreeRow key={row.id} id={`${base}-${index}`} row={row} isChosen={row.id === chosen.id} word={word} onPress={onPress} />
        ))
      ) : (
        <div role="none" className="relative" style={{ height: window.getTotalSize() }}>
          {shown.map(({ row, at: index, start }) =>
            row === undefined ? null : (
              <div
                key={row.id}
                role="none"
                ref={window.measureElement}
                data-index={index}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                <TreeRow id={`${base}-${index}`} row={row} isChosen={row.id === chosen.id} word={word} onPress={onPress} />
              </div>
            ),
          )}
        </div>
      )}
    </div>
  );
}
