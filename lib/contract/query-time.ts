import * as z from 'zod';

/**
 * A time in a query or on the command line: UTC without a zone, a date is its start, a space may replace the `T`, seconds are
 * optional. An unencoded plus in a URL arrives as a space.
 */
export const queryTime = z
  .string()
  .overwrite(written)
  .check(z.iso.datetime({ offset: true }));

function written(given: string): string {
  const text = given
    .replace(/^(\d{4}-\d\d-\d\d) (?=\d\d:)/, '$1T')
    .replace(/ (?=\d\d:\d\d$)/, '+')
    .replace(/(T\d\d:\d\d)(?=$|Z$|[+-])/, '$1:00');
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00Z`;
  return /T[\d:.]+$/.test(text) ? `${text}Z` : text;
}
