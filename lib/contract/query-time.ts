import { z } from 'zod';

/**
 * A time in a query or on the command line: one without a zone is UTC, as all times of the API are, and a day is its beginning. A
 * blank may stand for the `T`, and seconds may be left out. In an address a plus that was not encoded arrives as a blank.
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
