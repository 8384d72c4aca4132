import { Activity, CircleX, Gauge, History, MessagesSquare, Puzzle, Wrench } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { PAGES } from '#lib/contract/paths.ts';

export interface Place {
  readonly name: string;
  readonly href: string;
  readonly icon: LucideIcon;
  /** Pressed after `g`. */
  readonly key: string;
}

/** The main pages, in the order of the navigation. */
export const PLACES: readonly Place[] = [
  { name: 'Overview', href: PAGES.overview, icon: Gauge, key: 'o' },
  { name: 'Tools', href: PAGES.tools, icon: Wrench, key: 't' },
  { name: 'Extensions', href: PAGES.extensions, icon: Puzzle, key: 'e' },
  { name: 'Calls', href: PAGES.calls, icon: Activity, key: 'c' },
  { name: 'Failures', href: PAGES.failures, icon: CircleX, key: 'f' },
  { name: 'Channels', href: PAGES.channels, icon: MessagesSquare, key: 'm' },
  { name: 'Time line', href: PAGES.timeline, icon: History, key: 'l' },
];

/** The place a path belongs to; null for a page outside of the navigation. */
export function placeOf(pathname: string): Place | null {
  return (
    PLACES.find((place) => (place.href === '/' ? pathname === '/' : pathname === place.href || pathname.startsWith(`${place.href}/`))) ??
    null
  );
}

/** What of the place is open: "weather" for /extensions/weather; null on the place's own page. */
export function partOf(pathname: string): string | null {
  const rest = pathname.split('/').slice(2).join('/');
  if (rest === '') return null;
  try {
    return decodeURIComponent(rest);
  } catch {
    return rest;
  }
}
