import type { Result } from '#lib/contract/result.ts';
import type { Host } from '#lib/host/host.ts';
import { isAdminToken, refuseAdminToken } from './admin-token.ts';
import { isInternal, problemOfThrown, problemResponse } from './problem.ts';
import { readRequester } from './requester.ts';
import type { Requester } from './requester.ts';
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

/** For administrative routes, first of all: the gate has counted the guesses, this makes no handler depend on it. */
export function authorise(request: Request, host: Host): Result<Requester> {
  if (!isAdminToken(request.headers.get('x-admin-token'), host.config.adminToken)) return refuseAdminToken();
  return requesterOf(request);
}

/** For routes that are administrative by what they are asked. */
export function authoriseIf(isAdministrative: boolean, request: Request, host: Host): Result<Requester> {
  return isAdministrative ? authorise(request, host) : requesterOf(request);
}

export function requesterOf(request: Request): Result<Requester> {
  return readRequester((name) => request.headers.get(name));
}
