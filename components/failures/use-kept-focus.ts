import { useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';

/** The failure whose line went with the focus, until it stands elsewhere or somebody takes the focus. */
let gone: string | null = null;

/**
 * Keeps the focus on the line of a failure that moves to the list of another status: acknowledged by `e`, it is taken out of one
 * list and put into the other, and the keys that follow are still meant for it.
 */
export function useKeptFocus(id: string): RefObject<HTMLAnchorElement | null> {
  const link = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    const own = link.current;
    if (gone !== null && !isFree()) gone = null;
    if (gone === id) {
      gone = null;
      own?.focus({ preventScroll: true });
    }
    return () => {
      if (own === null || document.activeElement !== own) return;
      const other = otherLine(id, own);
      if (other === undefined) gone = id;
      else other.focus({ preventScroll: true });
    };
  }, [id]);
  return link;
}

/** The lists are read one after the other: for a moment a failure may stand in both. */
function otherLine(id: string, own: HTMLElement): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>(`[data-failure="${CSS.escape(id)}"] a[href]`)].find((link) => link !== own);
}

function isFree(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
