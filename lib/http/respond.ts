import { authorize } from '#lib/access/authorize.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Host } from '#lib/host/host.ts';
import { isAdminToken, refuseAdminToken } from './admin-token.ts';
import { authoriseLocal } from './authorise-local.ts';
import { currentPrincipal } from './current-principal.ts';
import { isInternal, problemOfThrown, problemResponse } from './problem.ts';
import { readRequester } from './requester.ts';
import type { Requester } from './requester.ts';
import { matchRoute } from './routes.ts';
import { API_HEADERS } from './security-headers.ts';

/** What every route handler does around its one host call: parse → call → respond, a throw included. */

export async function respond(host: Host, make: (host: Host) => Result<unknown> | Promise<Result<unknown>>): Promise<Response> {
  try {
    const result = await make(host);
    return result.ok ? Response.json(result.value, { headers: API_HEADERS }) : problemResponse(result.problem);
  } catch (error) {
    const problem = problemOfThrown(error);
    if (isInternal(problem)) host.logger.error('A request failed', { error });
    return problemResponse(problem);
  }
}

/**
 * For administrative routes, first of all: the gate has asked and counted the guesses, this makes no handler depend on it.
 * Which action it is stands in the route table.
 */
export function authorise(request: Request, host: Host): Result<Requester> {
  return authoriseFor('action', request, host);
}

/** For routes that are administrative by what they are asked. */
export function authoriseIf(isAdministrative: boolean, request: Request, host: Host): Result<Requester> {
  return authoriseFor(isAdministrative ? 'mayNeed' : 'action', request, host);
}

export function requesterOf(request: Request): Result<Requester> {
  return readRequester((name) => request.headers.get(name));
}

function authoriseFor(what: 'action' | 'mayNeed', request: Request, host: Host): Result<Requester> {
  const match = matchRoute(request.method, new URL(request.url).pathname);
  const action = match.kind === 'route' ? match.route[what] : undefined;
  if (match.kind !== 'route' || action === undefined)
    return refuse('request_refused', 'This is not in the table of routes (lib/http/routes.ts), so nobody may do it.');
  const principal = currentPrincipal();
  if (principal !== null && principal.kind !== 'local') {
    const decision = authorize(principal, action, match.parameter === '' ? null : match.parameter);
    return decision.allowed ? requesterOf(request) : refuse('request_refused', decision.missing);
  }
  const allowed = authoriseLocal(action, match.parameter === '' ? null : match.parameter, () =>
    isAdminToken(request.headers.get('x-admin-token'), host.config.adminToken) ? ok(null) : refuseAdminToken(),
  );
  return allowed.ok ? requesterOf(request) : allowed;
}
