const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** The day that a text names, or null: the 30th of February is none. */
export function dateOf(text: string): string | null {
  const match = DAY.exec(text);
  if (match === null) return null;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text ? text : null;
}

/** The moment that an RFC 3339 text names, or null. */
export function momentOf(text: string): Date | null {
  if (!MOMENT.test(text)) return null;
  const moment = new Date(text.toUpperCase());
  return Number.isNaN(moment.getTime()) ? null : moment;
}

/** A moment as the browser's own date field wants it: in local time, without a zone. */
export function localTextOf(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}
