const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Each with the one below it. */
const UNITS = [
  [DAY, HOUR],
  [HOUR, MINUTE],
  [MINUTE, SECOND],
] as const;

/** Two digits of precision are enough to say how long ago: "now", "8 s", "3 min", "2 h", "5 d". */
export function spanInWords(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 3 * SECOND) return 'now';
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min`;
  if (span < DAY) return `${Math.floor(span / HOUR)} h`;
  return `${Math.floor(span / DAY)} d`;
}

/** "8 s ago", or "in 8 s" for what is to come: what was just set to 90 days from now is in 90 days, not in 89. */
export function relativeInWords(time: number, now: number): string {
  if (time - now > SECOND) return `in ${spanInWords(toNearest(Math.max(3 * SECOND, time - now)))}`;
  const words = spanInWords(now - time);
  return words === 'now' ? 'just now' : `${words} ago`;
}

/** Rounded to the unit in which it is told. */
function toNearest(ms: number): number {
  const [unit] = UNITS.find(([size, below]) => ms >= size - below / 2) ?? [SECOND];
  return Math.round(ms / unit) * unit;
}

/** A length of time with three significant figures: "0.42 ms", "12.3 ms", "1.23 s", "2 min 05 s". */
export function durationInWords(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–';
  if (ms < 999.5) return `${significant(ms)} ms`;
  if (ms < MINUTE - 5) return `${significant(ms / SECOND)} s`;
  const seconds = Math.round(ms / SECOND);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** The exact moment in UTC, the same on server and browser: "2026-11-21 22:49:05.120 UTC". */
export function exactUtc(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : `${date.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

/** For a title: "2026-11-21 22:49:05.120 UTC, 23:49:05.120 here (UTC+01:00)"; the day where it is another one here. */
export function exactHere(time: string, minutesWest = new Date(time).getTimezoneOffset()): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime()) || minutesWest === 0) return exactUtc(time);
  const local = new Date(date.getTime() - minutesWest * MINUTE).toISOString();
  const here = local.slice(0, 10) === date.toISOString().slice(0, 10) ? local.slice(11, 23) : local.slice(0, 23).replace('T', ' ');
  return `${exactUtc(time)}, ${here} here (UTC${offsetInWords(minutesWest)})`;
}

function offsetInWords(minutesWest: number): string {
  const minutes = Math.abs(minutesWest);
  const two = (count: number) => String(count).padStart(2, '0');
  return `${minutesWest > 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** "22:49:05.120 UTC". */
export function timeOfDay(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : `${date.toISOString().slice(11, 23)} UTC`;
}

function significant(value: number): string {
  if (value === 0) return '0';
  if (value >= 100) return String(Math.round(value));
  if (value >= 10) return value.toFixed(1);
  return value.toFixed(2);
}
