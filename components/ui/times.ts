import { writeCookie } from './write-cookie.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = [
  [DAY, HOUR],
  [HOUR, MINUTE],
  [MINUTE, SECOND],
] as const;

/** Relative time: "now", "8 s", "3 min", "2 h", "5 d". */
export function spanInWords(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 3 * SECOND) return 'now';
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min`;
  if (span < DAY) return `${Math.floor(span / HOUR)} h`;
  return `${Math.floor(span / DAY)} d`;
}

/** "8 s ago" or "in 8 s". Future times are rounded up: 90 days from now is not shown as 89. */
export function relativeInWords(time: number, now: number): string {
  if (time - now > SECOND) return `in ${spanInWords(toNearest(Math.max(3 * SECOND, time - now)))}`;
  const words = spanInWords(now - time);
  return words === 'now' ? 'just now' : `${words} ago`;
}

function toNearest(ms: number): number {
  const [unit] = UNITS.find(([size, below]) => ms >= size - below / 2) ?? [SECOND];
  return Math.round(ms / unit) * unit;
}

/** Three significant digits: "0.42 ms", "12.3 ms", "1.23 s", "2 min 05 s". */
export function durationInWords(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–';
  if (ms < 999.5) return `${significant(ms)} ms`;
  if (ms < MINUTE - 5) return `${significant(ms / SECOND)} s`;
  const seconds = Math.round(ms / SECOND);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** Minutes ahead of UTC at a moment. */
export type Clock = (moment: Date) => number;

export const UTC: Clock = () => 0;
export const LOCAL: Clock = (moment) => -moment.getTimezoneOffset();

const clocks = new Map<string, Clock>();

/** Of a named zone ("Europe/Oslo"); equal on server and browser. */
export function clockOf(zone: string): Clock {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const clock: Clock = (moment) => {
    const [, sign = '', hours = 0, minutes = 0] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(moment)) ?? [];
    return Number(`${sign}${Number(hours) * 60 + Number(minutes)}`);
  };
  clocks.set(zone, clock);
  return clock;
}

/** Start and end in "2026-11-21 22:49:05.120". */
const EXACT = [0, 23] as const;
const MINUTES = [0, 16] as const;
const OF_DAY = [11, 23] as const;

function written(time: string, clock: Clock, [from, to]: readonly [number, number]): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const ahead = clock(date);
  const text = new Date(date.getTime() + ahead * MINUTE).toISOString().replace('T', ' ').slice(from, to);
  return `${text} ${zoneInWords(ahead)}`;
}

/** "2026-11-21 22:49:05.120 UTC". */
export function exactTime(time: string, clock = UTC): string {
  return written(time, clock, EXACT);
}

/** "2026-11-21 22:49 UTC". */
export function minuteOf(time: string, clock = UTC): string {
  return written(time, clock, MINUTES);
}

/** "22:49:05.120 UTC". */
export function timeOfDay(time: string, clock = UTC): string {
  return written(time, clock, OF_DAY);
}

/** For titles: "2026-11-21 22:49:05.120 UTC, 23:49:05.120 UTC+01:00", with a second date if it differs. */
export function exactByBoth(time: string, clock: Clock, other: Clock): string {
  const first = exactTime(time, clock);
  const second = exactTime(time, other);
  if (first === second) return first;
  return `${first}, ${first.slice(0, 10) === second.slice(0, 10) ? second.slice(11) : second}`;
}

/** "UTC", "UTC+01:00". */
export function zoneInWords(ahead: number): string {
  if (ahead === 0) return 'UTC';
  const two = (count: number) => String(count).padStart(2, '0');
  return `UTC${ahead < 0 ? '-' : '+'}${two(Math.floor(Math.abs(ahead) / 60))}:${two(Math.abs(ahead) % 60)}`;
}

function significant(value: number): string {
  if (value === 0) return '0';
  if (value >= 100) return String(Math.round(value));
  if (value >= 10) return value.toFixed(1);
  return value.toFixed(2);
}

/*
 * The time zone is a cookie, as the theme is, so that server and browser render the same text. It holds the zone name; none
 * means UTC.
 */
export const ZONE_COOKIE = 'switchboard_zone';

/** The cookie may hold any text: only zones known to both are used. */
export function isZone(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[\w+/-]{1,64}$/.test(value)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).format(0) !== '';
  } catch {
    return false;
  }
}

export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function keepZone(zone: string | null): void {
  writeCookie(ZONE_COOKIE, zone);
}
