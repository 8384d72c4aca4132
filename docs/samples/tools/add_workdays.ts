import type { ToolContext } from 'switchboard';
import type { Weekday } from './_weekdays.ts';

/**
 * Find the day that comes a number of working days after another.
 * @param start - The day to count from
 * @param days - How many working days
 * @param off - Days of the week on which nobody works
 */
export function run(start: Date, days: number, off: Weekday[] = ['Sat', 'Sun'], ctx?: ToolContext) {
  const names = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' });
  const free = new Set<string>(off);
  if (free.size === 7) throw new Error('`off` names every day of the week; leave at least one on which somebody works.');
  const day = new Date(start);
  let left = days;
  while (left > 0) {
    day.setUTCDate(day.getUTCDate() + 1);
    if (!free.has(names.format(day))) left -= 1;
  }
  ctx?.log.info('Counted', { days });
  return { day: day.toISOString().slice(0, 10), weekday: names.format(day) };
}
