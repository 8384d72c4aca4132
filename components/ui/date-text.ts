export type DateKind = 'date' | 'time' | 'date-time';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const CLOCK = String.raw`((?:[01]\d|2[0-3]):[0-5]\d)(?:(:[0-5]\d)(\.\d+)?)?`;
const ZONE = String.raw`([Zz]|[+-]\d{2}:\d{2})?`;
const TIME = new RegExp(`^()${CLOCK}${ZONE}$`);
const MOMENT = new RegExp(String.raw`^(\d{4}-\d{2}-\d{2})[Tt ]${CLOCK}${ZONE}$`);

interface Written {
  readonly day: string;
  readonly time: string;
  readonly fraction: string;
  readonly zone: string | null;
  readonly isComplete: boolean;
}

/** Null for invalid dates, such as February 30 or year 0. */
export function dateOf(text: string): string | null {
  if (!DAY.test(text) || text.startsWith('0000')) return null;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text ? text : null;
}

function writtenAs(kind: DateKind, text: string): Written | null {
  const match = kind === 'date' ? null : (kind === 'time' ? TIME : MOMENT).exec(text);
  if (match === null) return null;
  const [, day = '', minutes = '', seconds, fraction = '', zone] = match;
  if (kind === 'date-time' && dateOf(day) === null) return null;
  const isComplete = seconds !== undefined && zone !== undefined && !text.includes(' ');
  return { day, time: `${minutes}${seconds ?? ':00'}`, fraction, zone: zone ?? null, isComplete };
}

/**
 * Value to send for a typed text: the trimmed text if it is valid. A time without a zone is local: a date-time is sent in UTC;
 * a time of day keeps its zone, since UTC could change its day.
 */
export function sentText(kind: DateKind, typed: string): string {
  const text = typed.trim();
  if (kind === 'date') return dateOf(text) ?? typed;
  const written = writtenAs(kind, text);
  if (written === null) return typed;
  if (written.isComplete) return text;
  const { day, time, fraction, zone } = written;
  if (kind === 'time') return `${time}${fraction}${zone ?? zoneOf(new Date())}`;
  return zone === null ? (utcOf(new Date(`${day}T${time}`), fraction) ?? typed) : `${day}T${time}${fraction}${zone}`;
}

/** Text for the native picker, without a zone: in the zone as written; a UTC moment in local time. */
export function pickerText(kind: DateKind, text: string): string {
  const day = dateOf(text.trim().slice(0, 10)) ?? '';
  if (kind === 'date') return day;
  const written = writtenAs(kind, text.trim());
  if (kind === 'time') return written?.time ?? '';
  if (written === null) return day === '' ? '' : `${day}T00:00:00`;
  return written.zone?.toUpperCase() === 'Z' ? (localOf(momentOf(text)) ?? '') : `${written.day}T${written.time}`;
}

/** The picked value with the zone and fraction of the previous one. Null if it cannot be sent. */
export function pickedText(kind: DateKind, picked: string, before: string): string | null {
  if (kind === 'date') return dateOf(picked);
  const written = writtenAs(kind, picked);
  if (written === null) return null;
  const { fraction = '', zone = null } = writtenAs(kind, before.trim()) ?? {};
  const { day, time } = written;
  if (kind === 'time') return `${time}${fraction}${zone ?? zoneOf(new Date())}`;
  return zone === null || zone.toUpperCase() === 'Z' ? utcOf(new Date(`${day}T${time}`), fraction) : `${day}T${time}${fraction}${zone}`;
}

/** Local time of a moment; null if it is already written that way or invalid. */
export function localTimeText(text: string): string | null {
  const written = writtenAs('date-time', text);
  const local = written?.zone === null ? null : localOf(momentOf(text));
  return written === null || local === null || local === `${written.day}T${written.time}` ? null : local.replace('T', ' ');
}

/** In UTC, to the second; null for years without four digits. */
export function utcOf(moment: Date, fraction = ''): string | null {
  const text = Number.isNaN(moment.getTime()) ? '' : moment.toISOString();
  return text.length === 24 ? `${text.slice(0, 19)}${fraction}Z` : null;
}

function momentOf(text: string): Date {
  return new Date(text.trim().toUpperCase().replace(' ', 'T'));
}

function localOf(moment: Date): string | null {
  if (Number.isNaN(moment.getTime())) return null;
  return utcOf(new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000))?.slice(0, 19) ?? null;
}

/**
 * Parses a date, or a date and time, with or without a zone. Null if invalid.
 *
 * @param zoneless zone used if none is written
 */
export function momentIn(text: string, zoneless: 'utc' | 'local'): { readonly date: Date; readonly isDay: boolean } | null {
  const zone = zoneless === 'utc' ? 'Z' : '';
  const day = dateOf(text.trim());
  const written = writtenAs('date-time', text.trim());
  if (day === null && written === null) return null;
  const date = new Date(
    written === null
      ? `${day}T00:00:00${zone}`
      : `${written.day}T${written.time}${written.fraction}${(written.zone ?? zone).toUpperCase()}`,
  );
  return Number.isNaN(date.getTime()) ? null : { date, isDay: written === null };
}

/** UTC offset of this computer at a moment, as in RFC 3339. */
function zoneOf(moment: Date): string {
  const ahead = -moment.getTimezoneOffset();
  if (ahead === 0) return 'Z';
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0');
  return `${ahead < 0 ? '-' : '+'}${two(Math.abs(ahead) / 60)}:${two(Math.abs(ahead) % 60)}`;
}
