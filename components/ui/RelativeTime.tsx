'use client';

import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { MouseEvent, ReactNode } from 'react';
import {
  keepZone,
  ownZone,
  clockOf,
  durationInWords,
  exactByBoth,
  exactTime,
  LOCAL,
  relativeInWords,
  spanInWords,
  timeOfDay,
  UTC,
} from './times.ts';
import { useBrowserValue } from './browser-value.ts';
import type { Clock } from './times.ts';

/*
 * Server and browser must render the same text at first, or React discards the server's HTML: both use the render time of the
 * page (ServerClock); later the browser uses its own clock. One timer serves all relative times, and each re-renders only if
 * its text changes.
 */
const RenderedAt = createContext(0);

interface TimeZone {
  readonly clock: Clock;
  readonly isLocal: boolean;
  readonly setLocal: (isLocal: boolean) => void;
}

const TimeZoneContext = createContext<TimeZone>({ clock: UTC, isLocal: false, setLocal: () => undefined });

/** `renderedAt`: the server's Date.now(). `zone`: stored choice of this browser; null for UTC. */
export function ServerClock({ renderedAt, zone: chosen, children }: { renderedAt: number; zone: string | null; children: ReactNode }) {
  const [zone, setZone] = useState(chosen);
  const times = useMemo<TimeZone>(() => {
    const setLocal = (isLocal: boolean) => {
      const next = isLocal ? ownZone() : null;
      keepZone(next);
      setZone(next);
    };
    return { clock: zone === null ? UTC : clockOf(zone), isLocal: zone !== null, setLocal };
  }, [zone]);

  // The time zone of the browser may have changed since.
  useEffect(() => {
    if (times.isLocal) times.setLocal(true);
  }, [times]);

  return (
    <RenderedAt value={renderedAt}>
      <TimeZoneContext value={times}>{children}</TimeZoneContext>
    </RenderedAt>
  );
}

export function useTimeZone(): TimeZone {
  return useContext(TimeZoneContext);
}

type Subscribe = (listener: () => void) => () => void;

/** One timer for all subscribers, running only with subscribers. */
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

/** A time-dependent text, updated every second by default. */
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
  bare?: boolean;
  className?: string;
}

/**
 * Times with the exact time as title. In a row that is one link they lie above the link (globals.css), so that the title shows;
 * a click follows the link, a touch shows the title.
 */
export function TimeText({ time, className, children }: { time: string; className?: string | undefined; children: ReactNode }) {
  const title = useExactTitle(time);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- the link handles the keys
    <time dateTime={time} title={title} className={className} tabIndex={-1} onClick={followRow}>
      {children}
    </time>
  );
}

function followRow({ currentTarget, nativeEvent }: MouseEvent<HTMLElement>) {
  if (window.matchMedia('(hover: none)').matches) return;
  currentTarget.closest('li, tr, [role=row]')?.querySelector('.row-link')?.dispatchEvent(new window.MouseEvent('click', nativeEvent));
}

export function RelativeTime({ time, bare = false, className }: RelativeTimeProps) {
  const at = Date.parse(time);
  const words = useClockText((now) => (Number.isNaN(at) ? time : bare ? spanInWords(now - at) : relativeInWords(at, now)));
  return (
    <TimeText time={time} className={className}>
      {words}
    </TimeText>
  );
}

/** Time of day in milliseconds, for logs. */
export function ClockTime({ time, className }: { time: string; className?: string }) {
  const { clock } = useTimeZone();
  return (
    <TimeText time={time} className={className}>
      {timeOfDay(time, clock)}
    </TimeText>
  );
}

export function ExactTime({ time }: { time: string }) {
  const { clock } = useTimeZone();
  return <time dateTime={time}>{exactTime(time, clock)}</time>;
}

/** In the zone of the pages and the other zone; the browser's zone is known after hydration. */
function useExactTitle(time: string): string {
  const { clock, isLocal } = useTimeZone();
  return useBrowserValue(() => exactByBoth(time, clock, isLocal ? UTC : LOCAL), exactByBoth(time, clock, UTC));
}

/** A duration, with exact milliseconds as title; a dash for unknown. */
export function Duration({ ms, className }: { ms: number | null; className?: string }) {
  if (ms === null) return <span className={className}>–</span>;
  return (
    <span className={className} title={`${ms} ms`}>
      {durationInWords(ms)}
    </span>
  );
}

const TENTHS_UNTIL_MS = 10_000;

/** A running duration, counting in tenths of a second at first, then in seconds. */
export function RunningDuration({ since }: { since: string }) {
  const start = Date.parse(since);
  const title = useExactTitle(since);
  const words = useClockText((now) => runningInWords(Math.max(0, now - start)), everyTenth);
  return <span title={`since ${title}`}>{words}</span>;
}

function runningInWords(ms: number): string {
  if (ms < TENTHS_UNTIL_MS) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  return durationInWords(Math.floor(ms / 1_000) * 1_000)
    .replace('.00', '')
    .replace('.0', '');
}
