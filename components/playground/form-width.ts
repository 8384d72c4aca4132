/** Holds the width of the form in percent; the result has the rest. */
export const FORM_WIDTH_COOKIE = 'switchboard_form_width';

export const EQUAL = 50;
export const MIN_WIDTH = 30;
export const MAX_WIDTH = 70;

/** The cookie may hold any text. */
export function parseFormWidth(cookie: string | null | undefined): number {
  const width = Number.parseInt(cookie ?? '', 10);
  return Number.isNaN(width) ? EQUAL : within(width);
}

export function within(width: number): number {
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.round(width)));
}
