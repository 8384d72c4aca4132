const YEAR_S = 31_536_000;

/** In the browser. Settings of the pages are cookies, so that the server renders them. Null removes the cookie. */
export function writeCookie(name: string, value: string | null): void {
  document.cookie = `${name}=${value ?? ''}; Path=/; Max-Age=${value === null ? 0 : YEAR_S}; SameSite=Lax`;
}

/** Null on the server and for a cookie that is not set. */
export function cookieInBrowser(name: string): string | null {
  if (typeof document === 'undefined') return null;
  const pair = document.cookie.split('; ').find((each) => each.startsWith(`${name}=`));
  return pair === undefined ? null : pair.slice(name.length + 1);
}
