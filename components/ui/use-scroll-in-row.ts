import { type RefObject, useLayoutEffect } from 'react';

/** Scrolls the selected element of a narrow row into view, at the first render and when `key` changes, without moving the page. */
export function useScrollInRow(row: RefObject<HTMLElement | null>, selected: string, key: unknown): void {
  useLayoutEffect(() => {
    const element = row.current;
    const inner = element?.querySelector(selected)?.getBoundingClientRect();
    if (element === null || inner === undefined) return;
    const outer = element.getBoundingClientRect();
    if (inner.left < outer.left || inner.right > outer.right)
      element.scrollBy({ left: inner.left - outer.left - (outer.width - inner.width) / 2 });
  }, [row, selected, key]);
}
