'use client';

import { type RefObject, useEffect, useRef, useState } from 'react';

const ROWS = 100;
/** More rows are rendered before they scroll into view. */
const AHEAD = '1000px';

/**
 * How many rows of a long list to render: the first ones, and more whenever the element after the last comes near. Search and
 * filters use all rows.
 * @param needed rows that must be there, such as the selected one
 */
export function useRowsInSteps<End extends HTMLElement>(
  count: number,
  needed = 0,
): { readonly shown: number; readonly end: RefObject<End | null> } {
  const [steps, setSteps] = useState(1);
  const end = useRef<End>(null);
  const shown = Math.min(count, Math.max(steps, Math.ceil(needed / ROWS)) * ROWS);

  useEffect(() => {
    const element = end.current;
    if (element === null || shown === count) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSteps(shown / ROWS + 1);
      },
      { rootMargin: AHEAD },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [shown, count]);

  return { shown, end };
}
