const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** The day that a text names, or null: the 30th of February is none, and no day is of the year 0. */
export function dateOf(text: string): string | null {
  const match = DAY.exec(text);
  if (match === null || match[1] === '0000') return null;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text ? text : null;
}

/** The moment that an RFC 3339 text names, or null. */
export function momentOf(text: string): Date | null {
  if (!MOMENT.test(text)) return null;
  const moment = new Date(text.toUpperCase());
  return Number.isNaN(moment.getTime()) ? null : moment;
}

/** A moment as the browser's own date field wants it, without a zone: in the zone it is written in, or, where that is UTC, in local time. */
export function pickedTextOf(text: string): string {
  const moment = momentOf(text);
  const [, day = '', time = '', , zone = 'Z'] = MOMENT.exec(text) ?? [];
  if (moment === null) return '';
  if (zone.toUpperCase() !== 'Z') return `${day}T${time}`;
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

/** What was picked, as RFC 3339: in the zone and with the fraction of a second of what was there before, else in UTC. Null: no moment. */
export function momentTextOf(picked: string, before: string): string | null {
  const [, , , fraction = '', zone = 'Z'] = MOMENT.exec(before) ?? [];
  const wall = /T\d{2}:\d{2}$/.test(picked) ? `${picked}:00` : picked.replace(/\.\d+$/, '');
  const text = zone.toUpperCase() === 'Z' ? utcOf(new Date(wall), fraction) : `${wall}${fraction}${zone}`;
  return momentOf(text) === null ? null : text;
}

/** A moment in UTC, to the second. */
export function utcOf(moment: Date, fraction = ''): string {
  return Number.isNaN(moment.getTime()) ? '' : `${moment.toISOString().slice(0, 19)}${fraction}Z`;
}
