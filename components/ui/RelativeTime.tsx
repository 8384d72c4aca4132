'use client';

import { createContext, useContext, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { durationInWords, exactHere, exactUtc, relativeInWords, spanInWords, timeOfDay } from './times.ts';

/*
 * Server and browser must write the same text at first or React throws the server's away: both use the moment the page
 * was rendered (ServerClock), and the browser goes over to its own clock after that. One timer serves every time on a page that
 * changes by the second, and a time renders again only when its words change.
 */
const RenderedAt = createContext(0);

/** Once, around the app; `renderedAt` is the server's Date.now(). */
export function ServerClock({ renderedAt, children }: { renderedAt: number; children: ReactNode }) {
  return <RenderedAt value={renderedAt}>{children}</RenderedAt>;
}

type Subscribe = (listener: () => void) => () => void;

/** One timer for all that listen, which runs while somebody does. */
function createTicker(everyMs: number): Subscribe {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | null = null;
  return (listener) => {
    listeners.add(listener);
    timer ??= setInterval(() => {
      for (const each of listeners) each();
    }, everyMs);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && timer !== null) {
        clearInterval(timer);
        timer = null;
      }
    };
  };
}

const everySecond = createTicker(1_000);
const everyTenth = createTicker(100);

/** A text that depends on the time of day, kept up to date by the second where nothing else is asked for. */
export function useClockText(text: (now: number) => string, subscribe: Subscribe = everySecond): string {
  const renderedAt = useContext(RenderedAt);
  return useSyncExternalStore(
    subscribe,
    () => text(Date.now()),
    () => text(renderedAt),
  );
}

export interface RelativeTimeProps {
  /** ISO 8601. */
  time: string;
  /** Only the span, without "ago": "3 min". */
  bare?: boolean;
  className?: string;
}

/** "3 min ago", with the exact moment in the title. */
export function RelativeTime({ time, bare = false, className }: RelativeTimeProps) {
  const at = Date.parse(time);
  const title = useExactTitle(time);
  const words = useClockText((now) => (Number.isNaN(at) ? time : bare ? spanInWords(now - at) : relativeInWords(at, now)));
  return (
    <time dateTime={time} title={title} className={className}>
      {words}
    </time>
  );
}

/** The time of day to the millisecond, for lines of a log; in UTC, as all times on the pages, and in the zone of the reader in the title. */
export function ClockTime({ time, className }: { time: string; className?: string }) {
  const title = useExactTitle(time);
  return (
    <time dateTime={time} title={title} className={className}>
      {timeOfDay(time)}
    </time>
  );
}

/** Both zones once the browser tells its own; UTC alone before. */
export function useExactTitle(time: string): string {
  return useSyncExternalStore(
    subscribeToNothing,
    () => exactHere(time),
    () => exactUtc(time),
  );
}

function subscribeToNothing(): () => void {
  return () => undefined;
}

/** How long something took, exact milliseconds in the title; a dash when it is not known. */
export function Duration({ ms, className }: { ms: number | null; className?: string }) {
  if (ms === null) return <span className={className}>–</span>;
  return (
    <span className={className} title={`${ms} ms`}>
      {durationInWords(ms)}
    </span>
  );
}

const TENTHS_UNTIL_MS = 10_000;

/** How long something has been going on, counting up while it does: by the tenth of a second at first, then by the second. */
export function RunningDuration({ since, className }: { since: string; className?: string }) {
  const start = Date.parse(since);
  const title = useExactTitle(since);
  const words = useClockText((now) => runningInWords(Math.max(0, now - start)), everyTenth);
  return (
    <span className={className} title={`since ${title}`}>
      {words}
    </span>
  );
}

function runningInWords(ms: number): string {
  if (ms < TENTHS_UNTIL_MS) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  return durationInWords(Math.floor(ms / 1_000) * 1_000)
    .replace('.00', '')
    .replace('.0', '');
}
