import { z } from 'zod';
import { ok } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import { OPERATIONS } from './operations.ts';
import { parseQuery } from './parse-fields.ts';
import type { Route } from './routes.ts';

/**
 * A query parameter that nobody reads would be lost without a word. On routes that read some their own schema refuses the
 * others; what the address of a probe, of an agent or of the way back from a provider of identities has besides is theirs.
 */
export function refusesUnread(route: Pick<Route, 'path' | 'isOpenedFromElsewhere'>): boolean {
  return route.path.startsWith('/api/v1/') && route.isOpenedFromElsewhere !== true;
}

const NO_QUERY = z.strictObject({});

/** Of a route that reads no query at all. */
export function checkUnreadQuery(route: Route, search: string): Result<unknown> {
  const readsNone = OPERATIONS[`${route.method} ${route.path}`]?.query === undefined;
  return readsNone && refusesUnread(route) ? parseQuery(NO_QUERY, new URLSearchParams(search)) : ok(null);
}
