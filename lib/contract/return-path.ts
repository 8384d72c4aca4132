import { PAGES } from './paths.ts';

/** An authorization request of an OAuth client is long. */
const MOST = 4_096;
const HERE = 'http://here.invalid';

/**
 * Page to open after sign-in: a page of this server. Anything else, above all another server's URL, becomes the overview.
 */
export function returnPath(to: unknown): string {
  if (typeof to !== 'string' || to.length > MOST || !/^\/(?!\/)[\x21-\x7e]*$/.test(to) || to.includes('\\')) return PAGES.overview;
  const url = URL.canParse(to, HERE) ? new URL(to, HERE) : null;
  if (url === null || url.origin !== HERE || url.pathname.startsWith('//')) return PAGES.overview;
  if (url.pathname === PAGES.signIn || url.pathname === PAGES.join) return PAGES.overview;
  return `${url.pathname}${url.search}${url.hash}`;
}
