import { writeCookie } from './write-cookie.ts';

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

/** In the browser. */
export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Null for UTC. */
export function keepZone(zone: string | null): void {
  writeCookie(ZONE_COOKIE, zone);
}
