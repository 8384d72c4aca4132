import { authorize } from '#lib/access/authorize.ts';
import { LOCAL_PERSON, STRANGER } from '#lib/access/principal.ts';
import type { Action } from '#lib/contract/actions.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Host } from '#lib/host/host.ts';
import { isAdminToken, refuseAdminToken } from './admin-token.ts';
import { authoriseLocal } from './authorise-local.ts';
import { currentlyAsked, currentPrincipal } from './current-principal.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { isInternal, problemOfThrown, problemResponse } from './problem.ts';
import { readRequester, requesterFor } from './requester.ts';
import type { Requester } from './requester.ts';
import { matchRoute } from './routes.ts';
import { API_HEADERS } from './security-headers.ts';
import { refusalFor } from './team-doorkeeper.ts';

/**
 * What every route handler does around its one host call: authorise → parse → call → respond, a throw included. With accounts
 * whoever asks must be allowed the action of the route here as well, so no handler depends on the gate.
 */
export async function respond(
  request: Request,
  host: Host,
  make: (host: Host) => Result<unknown> | Promise<Result<unknown>>,
): Promise<Response> {
  return respondWith(request, host, async (made) => {
    const result = await make(made);
    return result.ok ? ok(Response.json(result.value, { headers: API_HEADERS })) : result;
  });
}

/** Likewise, for what answers with more than a text of JSON. */
export async function respondWith(
  request: Request,
  host: Host,
  make: (host: Host) => Result<Response> | Promise<Result<Response>>,
): Promise<Response> {
  try {
    const allowed = host.config.team === null ? ok(null) : authoriseFor('action', request, host);
    const result = allowed.ok ? await make(host) : allowed;
    return result.ok ? result.value : problemResponse(result.problem);
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
  const asked = currentlyAsked();
  if (isAdministrative && asked !== null) asked.audited = matchedAction(request, 'mayNeed');
  return authoriseFor(isAdministrative ? 'mayNeed' : 'action', request, host);
}

/** Who asks: where there are accounts whoever was let in, and without them what the request says. */
export function requesterOf(request: Request): Result<Requester> {
  const principal = currentPrincipal();
  const header = (name: string): string | null => request.headers.get(name);
  return principal === null ? readRequester(header) : requesterFor(principal, header);
}

/** The key of a request that is to run once; null without one. */
export function idempotencyKeyOf(request: Request): Result<string | null> {
  return readIdempotencyKey(currentPrincipal() ?? STRANGER, (name) => request.headers.get(name));
}

/** Whether who asks may also do this, beside what is asked for. */
export function mayAlso(action: Action): boolean {
  return authorize(currentPrincipal() ?? LOCAL_PERSON, action, null).allowed;
}

function matchedAction(request: Request, what: 'action' | 'mayNeed'): Action | null {
  const match = matchRoute(request.method, new URL(request.url).pathname);
  return match.kind === 'route' ? (match.route[what] ?? null) : null;
}

function authoriseFor(what: 'action' | 'mayNeed', request: Request, host: Host): Result<Requester> {
  const match = matchRoute(request.method, new URL(request.url).pathname);
  const action = match.kind === 'route' ? match.route[what] : undefined;
  if (match.kind !== 'route' || action === undefined)
    return refuse('request_refused', 'This is not in the table of routes (lib/http/routes.ts), so nobody may do it.');
  const resource = match.parameter === '' ? null : match.parameter;
  if (host.config.team !== null) {
    const principal = currentPrincipal() ?? STRANGER;
    // Without accounts there is one kind of person, and no request of a team's server may be one of them.
    const decision = authorize(principal.kind === 'local' ? STRANGER : principal, action, resource);
    return decision.allowed ? requesterOf(request) : refusalFor(principal, action, decision.missing);
  }
  const allowed = authoriseLocal(action, resource, () =>
    isAdminToken(request.headers.get('x-admin-token'), host.config.adminToken) ? ok(null) : refuseAdminToken(),
  );
  return allowed.ok ? requesterOf(request) : allowed;
}
