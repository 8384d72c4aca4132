'use client';

import { useEffect, useState, useSyncExternalStore } from 'react';
import { newerThan } from './call-filter.ts';

const ON_TOP_PX = 80;

interface Seen {
  /** Of which list. */
  readonly list: string;
  /** The newest that the reader has seen; null before there was one. */
  readonly id: string | null;
}

/** Outlives a look at a single call: who comes back finds the list as he left it, what waited still waiting. */
let lastSeen: Seen = { list: '', id: null };

/**
 * How many of the newest wait to be shown. While the reader is on top none does; further down, all that came since,
 * so that what is read stays where it is.
 *
 * @param list what tells one list from another
 * @param ids  newest first
 */
export function useSeen(list: string, ids: readonly string[]): { readonly waiting: number; readonly showAll: () => void } {
  const scrolled = useScrolled();
  const settled = useSettled();
  const [seen, setSeen] = useState<Seen>(lastSeen);
  const newest = ids[0] ?? null;
  const held = scrolled || !settled;
  if (seen.list !== list || (seen.id !== newest && (!held || seen.id === null))) setSeen({ list, id: newest });
  useEffect(() => {
    lastSeen = seen;
  }, [seen]);
  return { waiting: held && seen.list === list ? newerThan(ids, seen.id) : 0, showAll: () => setSeen({ list, id: newest }) };
}

/** Looked up when the window scrolls and not while drawing, where it would have the page laid out once more. */
let isScrolled = false;

function subscribeToScroll(changed: () => void): () => void {
  let told = isScrolled;
  function look() {
    isScrolled = window.scrollY > ON_TOP_PX;
    if (told === isScrolled) return;
    told = isScrolled;
    changed();
  }
  look();
  window.addEventListener('scroll', look, { passive: true });
  return () => window.removeEventListener('scroll', look);
}

function useScrolled(): boolean {
  return useSyncExternalStore(
    subscribeToScroll,
    () => isScrolled,
    () => false,
  );
}

/** False until the browser has had the time to scroll back to where one was: it does so once the page is drawn. */
function useSettled(): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setSettled(true));
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return settled;
}
