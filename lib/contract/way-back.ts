import { PAGES } from './paths.ts';

const MOST = 2_048;
const HERE = 'http://here.invalid';

/**
 * Where to go on after somebody has signed in: a page of this server, whatever an address names. Anything else, an address of
 * another server above all, is the overview.
 */
export function wayBack(to: unknown): string {
  if (typeof to !== 'string' || to.length > MOST || !/^\/(?!\/)[\x21-\x7e]*$/.test(to) || to.includes('\\')) return PAGES.overview;
  const url = URL.canParse(to, HERE) ? new URL(to, HERE) : null;
  if (url === null || url.origin !== HERE || url.pathname.startsWith('//')) return PAGES.overview;
  if (url.pathname === PAGES.signIn || url.pathname === PAGES.join) return PAGES.overview;
  return `${url.pathname}${url.search}${url.hash}`;
}
