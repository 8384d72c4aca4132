'use client';

import type { Virtualizer, VirtualizerOptions } from '@tanstack/react-virtual';
import {
  type FocusEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { flushSync } from 'react-dom';

/*
 * Virtualization of lists with many rows of different heights. The rows are in the normal flow, and empty elements take the
 * space of the others, so that tables, groups and borders need no positions.
 *
 * Always rendered, besides the visible rows: the first and the last one, the focused and the needed one, each with its
 * neighbours. So the focus is never lost, and code that moves it finds the next row in the document.
 *
 * The server, which knows no window, renders the first rows and the space of the others. The package loads after that, only
 * for a long list; if it cannot, all rows are rendered. They are also all rendered for printing.
 */

/** Up to here all rows are rendered, so that the browser's search finds them. */
const ALL_AT_ONCE = 100;
/** Rows rendered before the window is measured. */
const FIRST = 40;
/** Rows rendered before and after the visible ones. */
const AHEAD = 10;
/** Rows rendered before and after the focused one: the next row, if a heading is between. */
const NEXT = 2;

interface RowProps {
  readonly ref: (row: HTMLElement | null) => void;
  readonly 'data-index': number;
  readonly onFocus: (event: FocusEvent<HTMLElement>) => void;
}

/** A row with the properties of its element, or the space of rows that are not rendered. */
export type VisibleRow<Item> =
  | { readonly item: Item; readonly index: number; readonly props: RowProps }
  | { readonly item: null; readonly key: string; readonly height: number };

interface Identified {
  readonly id: string;
}

interface VisibleRowsOptions<Item> {
  /** Identifies the list: heights of its rows outlast the component, so that the browser restores the right scroll position. */
  readonly name: string;
  readonly items: readonly Item[];
  /** Typical height of a row, in pixels, until some are measured. */
  readonly height: number;
  /** Id of a row that is always rendered, such as the selected one. */
  readonly needed?: string | null;
  /** Index of the heading that is rendered with a row. */
  readonly headingOf?: (index: number) => number;
}

interface VisibleRows<List, Item> {
  /** The element whose content is nothing but the rows. */
  readonly list: RefObject<List | null>;
  readonly rows: readonly VisibleRow<Item>[];
}

type Library = typeof import('@tanstack/react-virtual');

let library: Library | 'failed' | null = null;
let loading: Promise<void> | null = null;

function loadLibrary(changed: () => void): () => void {
  let isWanted = true;
  if (library === null) {
    loading ??= import('@tanstack/react-virtual').then(
      (loaded) => void (library = loaded),
      () => void (library = 'failed'),
    );
    void loading.then(() => {
      if (isWanted) changed();
    });
  }
  return () => void (isWanted = false);
}

let isPrinting = false;

/** The browser prints what is rendered when the event ends. */
function subscribeToPrint(changed: () => void): () => void {
  const change = (next: boolean) => () => {
    isPrinting = next;
    flushSync(changed);
  };
  const [start, end] = [change(true), change(false)];
  window.addEventListener('beforeprint', start);
  window.addEventListener('afterprint', end);
  return () => {
    window.removeEventListener('beforeprint', start);
    window.removeEventListener('afterprint', end);
  };
}

const unsubscribe = () => undefined;
const subscribeToNothing = () => unsubscribe;

interface Place {
  readonly scroller: HTMLElement | Window;
  /** Of the first row, from the start of the scrolled content. */
  readonly top: number;
  readonly height: number;
}

/** Measured heights by list and key. */
const heightsOf = new Map<string, Map<string, number>>();

export function useVisibleRows<List extends HTMLElement, Item extends Identified>({
  name,
  items,
  height,
  needed = null,
  headingOf,
}: VisibleRowsOptions<Item>): VisibleRows<List, Item> {
  const keys = items.map(({ id }) => id);
  const list = useRef<List>(null);
  const isLong = keys.length > ALL_AT_ONCE;
  const loaded = useSyncExternalStore(
    isLong ? loadLibrary : subscribeToNothing,
    () => library,
    () => null,
  );
  const printing = useSyncExternalStore(
    isLong ? subscribeToPrint : subscribeToNothing,
    () => isPrinting,
    () => false,
  );
  const [focused, setFocused] = useState<string | null>(null);
  const [place, setPlace] = useState<Place | null>(null);
  const [, rerender] = useReducer((count: number) => count + 1, 0);

  const [heights] = useState(() => heightsOf.get(name) ?? new Map<string, number>());
  const typical = place?.height ?? height;
  const heightOf = (index: number): number => heights.get(keys[index] ?? '') ?? typical;
  const scroller = isLong ? (place?.scroller ?? null) : null;
  const virtual = useMemo(
    () => (loaded === null || loaded === 'failed' || scroller === null ? null : virtualize(loaded, scroller)),
    [loaded, scroller],
  );

  useLayoutEffect(() => {
    heightsOf.set(name, heights);
  }, [name, heights]);

  useLayoutEffect(() => {
    const element = list.current;
    if (!isLong || element === null) return undefined;
    const measure = () => setPlace((before) => placeOf(element, before));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    observer.observe(element);
    // The browser would restore a position by the number of a row among those that happen to be rendered.
    element.style.overflowAnchor = 'none';
    return () => {
      observer.disconnect();
      element.style.overflowAnchor = '';
    };
  }, [isLong]);

  useLayoutEffect(() => virtual?.attach(), [virtual]);
  useLayoutEffect(() => virtual?.settle());
  const ref = useCallback((row: HTMLElement | null) => virtual?.measure(row), [virtual]);

  const fixed = [0, 1, keys.length - 2, keys.length - 1, ...around(keys, focused, NEXT), ...around(keys, needed, NEXT)];
  const complete = (indexes: Iterable<number>) => {
    const all = new Set([...indexes, ...fixed].filter((index) => index >= 0 && index < keys.length));
    if (headingOf !== undefined) for (const index of all) all.add(headingOf(index));
    return [...all].sort((one, other) => one - other);
  };

  function spots(): readonly Spot[] {
    if (!isLong || printing || loaded === 'failed') return keys.map((_key, index) => ({ index, space: 0 }));
    if (virtual === null) {
      const near = around(keys, needed, FIRST / 2);
      const indexes = complete([...Array.from({ length: FIRST }, (_row, index) => index), ...near]);
      return withSpace(positionsOf(indexes, keys.length, heightOf), keys.length);
    }
    virtual.update({
      count: keys.length,
      getItemKey: (index) => keys[index] ?? index,
      estimateSize: heightOf,
      scrollMargin: place?.top ?? 0,
      overscan: AHEAD,
      rangeExtractor: ({ startIndex, endIndex, overscan }) =>
        complete(Array.from({ length: endIndex - startIndex + 1 + 2 * overscan }, (_row, at) => startIndex - overscan + at)),
      onChange: rerender,
      // A hidden row has no height.
      measureElement: (row) => {
        const key = keys[Number(row.dataset['index'])] ?? '';
        const measured = row.getBoundingClientRect().height;
        if (measured > 0) heights.set(key, measured);
        return heights.get(key) ?? typical;
      },
    });
    return withSpace(virtual.positions(), keys.length);
  }

  const rows: VisibleRow<Item>[] = [];
  for (const { index, space } of spots()) {
    if (space > 0) rows.push({ item: null, key: `space before ${index}`, height: space });
    const item = items[index];
    const onFocus = ({ target }: FocusEvent<HTMLElement>) => {
      if (isLong) setFocused(keys[index] ?? null);
      // Rows that are measured only now would move it out of the window again.
      if (target.matches(':focus-visible')) virtual?.reveal(index, target);
    };
    const props = { ref, 'data-index': index, onFocus };
    if (item !== undefined) rows.push({ item, index, props });
  }
  return { list, rows };
}

/** Indexes of a row and its neighbours. */
function around(keys: readonly string[], key: string | null, distance: number): readonly number[] {
  const at = key === null ? -1 : keys.indexOf(key);
  return at === -1 ? [] : Array.from({ length: 2 * distance + 1 }, (_row, index) => at - distance + index);
}

interface Positions {
  readonly items: readonly { readonly index: number; readonly start: number; readonly size: number }[];
  readonly total: number;
}

function positionsOf(indexes: readonly number[], count: number, heightOf: (index: number) => number): Positions {
  const items = [];
  let start = 0;
  let next = 0;
  const skipTo = (index: number) => {
    for (; next < index; next += 1) start += heightOf(next);
  };
  for (const index of indexes) {
    skipTo(index);
    items.push({ index, start, size: heightOf(index) });
  }
  skipTo(count);
  return { items, total: start };
}

/** A row, or the end of the list, and the space before it. */
interface Spot {
  readonly index: number;
  readonly space: number;
}

function withSpace({ items, total }: Positions, count: number): readonly Spot[] {
  let end = 0;
  const spaceTo = (start: number) => (start - end < 1 ? 0 : start - end);
  const spots = items.map(({ index, start, size }) => {
    const space = spaceTo(start);
    end += space + size;
    return { index, space };
  });
  return [...spots, { index: count, space: spaceTo(total) }];
}

const TYPICAL_OF = 20;

/** Null for a list that is not shown. */
function placeOf(list: HTMLElement, before: Place | null): Place | null {
  if (list.getClientRects().length === 0) return null;
  const scroller = scrollerOf(list);
  const { top } = list.getBoundingClientRect();
  const next = {
    scroller,
    top: Math.round(
      scroller instanceof HTMLElement
        ? top - scroller.getBoundingClientRect().top - scroller.clientTop + scroller.scrollTop
        : top + window.scrollY,
    ),
    height: before?.height ?? typicalHeight(list),
  };
  return before?.scroller === next.scroller && before.top === next.top ? before : next;
}

function typicalHeight(list: HTMLElement): number {
  const heights = [...list.querySelectorAll('[data-index]')].slice(0, TYPICAL_OF).map((row) => row.getBoundingClientRect().height);
  return Math.max(1, heights.reduce((sum, height) => sum + height, 0) / Math.max(1, heights.length));
}

function scrollerOf(list: HTMLElement): HTMLElement | Window {
  for (let element = list.parentElement; element !== null && element !== document.body; element = element.parentElement) {
    const { overflowY } = getComputedStyle(element);
    // One that only scrolls sideways is as high as its content.
    if ((overflowY === 'auto' || overflowY === 'scroll') && element.scrollHeight > element.clientHeight + 1) return element;
  }
  return window;
}

type Changes = Required<
  Pick<VirtualizerOptions<Window, HTMLElement>, 'count' | 'getItemKey' | 'estimateSize' | 'scrollMargin' | 'overscan' | 'rangeExtractor'>
> & { readonly onChange: () => void; readonly measureElement: (row: HTMLElement) => number };

interface Virtual {
  attach(): () => void;
  /** After each render. */
  settle(): void;
  update(changes: Changes): void;
  measure(row: HTMLElement | null): void;
  /** Scrolls to a row that is not completely visible, until it has its place. */
  reveal(index: number, target: HTMLElement): void;
  positions(): Positions;
}

/** Space that stays free for what covers the edges of the scrolled content. */
function paddingOf(scroller: HTMLElement | Window, target: HTMLElement) {
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(scroller instanceof HTMLElement ? scroller : document.documentElement);
  const { scrollMarginTop, scrollMarginBottom } = getComputedStyle(target);
  const sum = (...lengths: string[]) => lengths.reduce((all, length) => all + (Number.parseFloat(length) || 0), 0);
  return { scrollPaddingStart: sum(scrollPaddingTop, scrollMarginTop), scrollPaddingEnd: sum(scrollPaddingBottom, scrollMarginBottom) };
}

/** The virtualizer of the package, for one element that scrolls or for the window. */
function virtualize({ Virtualizer: Packaged, ...core }: Library, scroller: HTMLElement | Window): Virtual {
  function start<Scroller extends HTMLElement | Window>(
    element: Scroller,
    {
      scrollToFn,
      ...observers
    }: Pick<VirtualizerOptions<Scroller, HTMLElement>, 'observeElementOffset' | 'observeElementRect' | 'scrollToFn'>,
  ): Virtual {
    const isElement = scroller instanceof HTMLElement;
    const position = () => (isElement ? scroller.scrollTop : scroller.scrollY);
    const fixed = {
      ...observers,
      getScrollElement: () => element,
      initialOffset: position,
      initialRect: isElement
        ? { width: scroller.clientWidth, height: scroller.clientHeight }
        : { width: scroller.innerWidth, height: scroller.innerHeight },
      scrollToFn(offset, options, shown) {
        // A scroll to the present position would end the browser's own one, which restores a position.
        if (Math.abs(offset + (options.adjustments ?? 0) - position()) >= 1) scrollToFn(offset, options, shown);
      },
    } satisfies Partial<VirtualizerOptions<Scroller, HTMLElement>>;
    let virtualizer: Virtualizer<Scroller, HTMLElement> | null = null;
    let margin = 0;
    let padding = { scrollPaddingStart: 0, scrollPaddingEnd: 0 };
    /** React renders anyway after its own effects, in which it cannot render at once. */
    let isInEffect = false;
    function inEffect<Result>(work: () => Result): Result {
      isInEffect = true;
      try {
        return work();
      } finally {
        isInEffect = false;
      }
    }
    return {
      attach: () => inEffect(() => virtualizer?._didMount() ?? unsubscribe),
      settle: () => inEffect(() => virtualizer?._willUpdate()),
      update({ onChange, ...changes }) {
        margin = changes.scrollMargin;
        const changed = (_virtualizer: unknown, isSync: boolean) => {
          if (isSync && !isInEffect) flushSync(onChange);
          else onChange();
        };
        const options = { ...fixed, ...changes, ...padding, onChange: changed };
        if (virtualizer === null) virtualizer = new Packaged(options);
        else virtualizer.setOptions(options);
      },
      measure: (row) => inEffect(() => virtualizer?.measureElement(row)),
      reveal(index, target) {
        padding = paddingOf(scroller, target);
        virtualizer?.setOptions({ ...virtualizer.options, ...padding });
        virtualizer?.scrollToIndex(index);
      },
      positions: () => ({
        items: virtualizer?.getVirtualItems().map(({ index, start: top, size }) => ({ index, start: top - margin, size })) ?? [],
        total: virtualizer?.getTotalSize() ?? 0,
      }),
    };
  }
  return scroller instanceof HTMLElement
    ? start(scroller, {
        observeElementOffset: core.observeElementOffset,
        observeElementRect: core.observeElementRect,
        scrollToFn: core.elementScroll,
      })
    : start(scroller, {
        observeElementOffset: core.observeWindowOffset,
        observeElementRect: core.observeWindowRect,
        scrollToFn: core.windowScroll,
      });
}

/** Moves the focus to the main link of the next or previous row; from outside, to the first one in the window. */
export function focusNextRow(list: HTMLElement | null, step: 1 | -1): void {
  const links = [...(list?.querySelectorAll('[data-index]') ?? [])].flatMap((row) => row.querySelector<HTMLElement>('a[href]') ?? []);
  const at = links.findIndex((link) => link.closest('[data-index]')?.contains(document.activeElement) === true);
  const next = at === -1 ? (links.find((link) => link.getBoundingClientRect().top > 0) ?? links[0]) : links[at + step];
  next?.focus();
}
