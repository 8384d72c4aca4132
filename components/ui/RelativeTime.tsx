'use client';

import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { MouseEvent, ReactNode } from 'react';
import { keepZone, ownZone } from './time-zone.ts';
import { clockOf, durationInWords, exactByBoth, exactTime, LOCAL, relativeInWords, spanInWords, timeOfDay, UTC } from './times.ts';
import type { Clock } from './times.ts';

/*
 * Server and browser must write the same text at first or React throws the server's away: both use the moment the page
 * was rendered (ServerClock), and the browser goes over to its own clock after that. One timer serves every time on a page that
 * changes by the second, and a time renders again only when its words change.
 */
const RenderedAt = createContext(0);

interface TimeZone {
  readonly clock: Clock;
  readonly isLocal: boolean;
  readonly setLocal: (isLocal: boolean) => void;
}

const TimeZoneContext = createContext<TimeZone>({ clock: UTC, isLocal: false, setLocal: () => undefined });

/** Once, around the app; `renderedAt` is the server's Date.now(), `zone` what this browser chose before: null for UTC. */
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

/** The zone of all times on the pages. */
export function useTimeZone(): TimeZone {
  return useContext(TimeZoneContext);
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

/**
 * Words of a moment, with the exact time as their title. In a row that is a link as a whole they lie above that link (globals.css), so
 * that the title shows; pressed by a mouse they lead where the row does, and by a finger they show the title.
 */
export function TimeText({ time, className, children }: { time: string; className?: string | undefined; children: ReactNode }) {
  const title = useExactTitle(time);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- keys have the link
    <time dateTime={time} title={title} className={className} tabIndex={-1} onClick={followRow}>
      {children}
    </time>
  );
}

function followRow({ currentTarget, nativeEvent }: MouseEvent<HTMLElement>) {
  if (window.matchMedia('(hover: none)').matches) return;
  currentTarget.closest('li, tr, [role=row]')?.querySelector('.row-link')?.dispatchEvent(new window.MouseEvent('click', nativeEvent));
}

/** "3 min ago". */
export function RelativeTime({ time, bare = false, className }: RelativeTimeProps) {
  const at = Date.parse(time);
  const words = useClockText((now) => (Number.isNaN(at) ? time : bare ? spanInWords(now - at) : relativeInWords(at, now)));
  return (
    <TimeText time={time} className={className}>
      {words}
    </TimeText>
  );
}

/** The time of day to the millisecond, for lines of a log. */
export function ClockTime({ time, className }: { time: string; className?: string }) {
  const { clock } = useTimeZone();
  return (
    <TimeText time={time} className={className}>
      {timeOfDay(time, clock)}
    </TimeText>
  );
}

/** The moment to the millisecond, in full. */
export function ExactTime({ time }: { time: string }) {
  const { clock } = useTimeZone();
  return <time dateTime={time}>{exactTime(time, clock)}</time>;
}

/** In the zone of the pages and in the other one; that of the browser once it tells it. */
function useExactTitle(time: string): string {
  const { clock, isLocal } = useTimeZone();
  return useSyncExternalStore(
    subscribeToNothing,
    () => exactByBoth(time, clock, isLocal ? UTC : LOCAL),
    () => exactByBoth(time, clock, UTC),
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
