/*
 * Whether times stand in UTC or in the reader's own zone is a cookie, as the theme is: the server then writes the same text as the
 * browser. It holds the name of the zone; none means UTC.
 */
export const ZONE_COOKIE = 'switchboard_zone';

const YEAR_S = 31_536_000;

/** A zone that both can reckon with: it comes from a cookie. */
export function isZone(value: unknown): value is string {
  if (typeof value !== 'string' || !/^[\w+/-]{1,64}$/.test(value)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).format(0) !== '';
  } catch {
    return false;
  }
}

/** In the browser. */
export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** For the next visits; null for UTC. */
export function keepZone(zone: string | null): void {
  document.cookie = `${ZONE_COOKIE}=${zone ?? ''}; Path=/; Max-Age=${zone === null ? 0 : YEAR_S}; SameSite=Lax`;
}
