import type { IncomingMessage } from 'node:http';
import type { Principal } from '#lib/access/principal.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import { wayBack } from '#lib/contract/way-back.ts';
import type { AllowedHosts } from './allowed-hosts.ts';
import type { Doorkeeper } from './doorkeeper.ts';
import { checkBodyHeaders } from './read-json.ts';
import { decodeSegment, matchRoute } from './routes.ts';
import type { Route } from './routes.ts';
import { checkUnreadQuery } from './unread-query.ts';

/**
 * Stands before everything, Next included, and refuses what no honest client sends. In this order: who is addressed
 * (`Host`), from where a browser asks (`Origin`, `Sec-Fetch-Site`), how (request target, framework headers), what (the
 * route table), by which right (`authorize`), and only then with which body and query. A request that has not passed is not read.
 */
export interface Gate {
  admit(request: IncomingMessage): Result<Admission>;
  /** The part that also holds for a connection that asks to be upgraded. */
  checkCaller(request: IncomingMessage): Result<null>;
}

export type Admission =
  | Entered
  /** A stranger wants a page: he is to come in first. */
  | { readonly to: 'sign_in'; readonly location: string };

export type Entered =
  | { readonly to: 'page'; readonly path: string; readonly principal: Principal }
  | { readonly to: 'api'; readonly route: Route; readonly parameter: string; readonly search: string; readonly principal: Principal };

export interface GateOptions {
  readonly hosts: AllowedHosts;
  readonly doorkeeper: Doorkeeper;
}

/** `.` and `..` as a segment, however encoded: the router behind could read another path than the one checked here. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;
const BACKSLASH_OR_NUL = /\\|%5c|%00/i;

const ENTRIES: ReadonlySet<string> = new Set([PAGES.signIn, PAGES.join, '/favicon.ico', '/icon.svg']);

/** Headers by which a framework talks to itself, or starts what this program does not have (Server Actions). */
const FRAMEWORK_HEADERS = [
  'next-action',
  'next-resume',
  'x-matched-path',
  'x-now-route-matches',
  'x-original-url',
  'x-rewrite-url',
  'x-http-method-override',
  'x-nextjs-data',
];
const FRAMEWORK_PREFIXES = ['x-middleware-', 'x-invoke-'];

export function createGate({ hosts, doorkeeper }: GateOptions): Gate {
  const checkCaller = (request: IncomingMessage): Result<null> => {
    const names = countHosts(request.rawHeaders);
    const { host, origin } = request.headers;
    if (names !== 1 || host === undefined || !hosts.isHost(host)) return refuseHost(names, host);
    if (origin !== undefined && !hosts.isOrigin(origin, host)) {
      return refuse(
        'origin_refused',
        `A page of "${origin.slice(0, 100)}" may not use this server. Open the dashboard at ${hosts.originOf(host)}, or add that origin to ALLOWED_ORIGINS.`,
      );
    }
    return ok(null);
  };

  return {
    checkCaller,
    admit(request) {
      const caller = checkCaller(request);
      if (!caller.ok) return caller;

      const target = request.url ?? '';
      const question = target.indexOf('?');
      const path = question === -1 ? target : target.slice(0, question);
      if (!path.startsWith('/') || path.startsWith('//') || DOT_SEGMENT.test(path) || BACKSLASH_OR_NUL.test(path)) {
        return refuse(
          'request_malformed',
          'The request target must be a plain path such as /api/v1/tools, without a scheme, `//`, dot segments, backslashes or NUL.',
        );
      }
      const header = frameworkHeader(request.rawHeaders);
      if (header !== null) return refuse('request_refused', `The header ${header} is not accepted here.`);

      const match = matchRoute(request.method ?? '', path);
      const site = checkSite(request, match.kind === 'page' || (match.kind === 'route' && match.route.isOpenedFromElsewhere === true));
      if (!site.ok) return site;
      // Next answers such a page with a fault of its own.
      if (match.kind === 'malformed' || (match.kind === 'page' && decodeSegment(path) === null))
        return refuse('request_malformed', 'The path has a percent sequence that is not UTF-8. Encode ids with encodeURIComponent.');
      if (match.kind === 'page') {
        if (request.method !== 'GET' && request.method !== 'HEAD') return refuseMethod(request.method, ['GET', 'HEAD']);
        const allowed = doorkeeper.admit(request, isEntry(path) ? 'pages.enter' : 'pages.read', path);
        if (allowed.ok) return ok({ to: 'page', path, principal: allowed.value });
        if (allowed.problem.code !== 'sign_in_needed' || path.startsWith('/_next/')) return allowed;
        return ok({ to: 'sign_in', location: PAGES.signInTo(wayBack(withoutPart(target))) });
      }
      if (match.kind === 'unknown')
        return refuse(
          'not_found',
          `There is nothing at ${path.slice(0, 200)}. The API is below /api/v1: extensions, tools, calls, snapshots, events.`,
        );
      if (match.kind === 'method') return refuseMethod(request.method, match.allow);

      const { route, parameter } = match;
      const resource = parameter === '' ? null : parameter;
      const allowed = doorkeeper.admit(request, route.action, resource);
      if (!allowed.ok) return allowed;
      // Whether it is needed is seen in the body; one that came along is looked at here, where guesses count.
      if (route.mayNeed !== undefined && request.headers['x-admin-token'] !== undefined) {
        const more = doorkeeper.admit(request, route.mayNeed, resource);
        if (!more.ok) return more;
      }
      const body = checkBody(request, route);
      if (!body.ok) return body;
      const search = question === -1 ? '' : target.slice(question + 1);
      const query = search === '' ? ok(null) : checkUnreadQuery(route, search);
      return query.ok ? ok({ to: 'api', route, parameter, search, principal: allowed.value }) : query;
    },
  };
}

/** Pages by which people come in, and the files that any page consists of. */
function isEntry(path: string): boolean {
  return ENTRIES.has(path) || path.startsWith('/_next/static/');
}

/** Next asks for a part of a page by its address with this parameter. */
function withoutPart(target: string): string {
  return target.replace(/([?&])_rsc=[^&]*&?/, '$1').replace(/[?&]$/, '');
}

/** Browsers say whose page asks. Another site may open a page of ours in the address bar's way, and nothing else. */
function checkSite(request: IncomingMessage, isPage: boolean): Result<null> {
  const site = request.headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return ok(null);
  const opensPage =
    isPage &&
    request.method === 'GET' &&
    request.headers['sec-fetch-mode'] === 'navigate' &&
    request.headers['sec-fetch-dest'] === 'document';
  return opensPage
    ? ok(null)
    : refuse('origin_refused', 'A page of another site asked for this. Other sites may link to pages here, but not use them.');
}

function checkBody(request: IncomingMessage, route: Route): Result<null> {
  if (route.method === 'GET') return ok(null);
  const { headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  if (hasBody && route.body === 'none') return refuse('request_malformed', 'This request takes no body; send it without one.');
  return checkBodyHeaders(
    { contentType: headers['content-type'], contentEncoding: headers['content-encoding'], contentLength: headers['content-length'] },
    hasBody,
  );
}

function refuseHost(names: number, host: string | undefined): Result<never> {
  const given = names > 1 ? 'more than one Host' : host ? `the host "${host.slice(0, 100)}"` : 'no Host';
  return refuse(
    'host_refused',
    `The request names ${given}. This server answers for localhost, 127.0.0.1, [::1] and what ALLOWED_HOSTS adds.`,
  );
}

function refuseMethod(method: string | undefined, allow: readonly string[]): Result<never> {
  const others = `${allow.join(', ')} ${allow.length === 1 ? 'is' : 'are'}`;
  return refuse('method_not_allowed', `${method ?? 'This method'} is not supported here; ${others}.`, { extra: { allow } });
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

function frameworkHeader(rawHeaders: readonly string[]): string | null {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const first = rawHeaders[at]?.charCodeAt(0);
    // n, N, x, X: the others cannot match.
    if (first !== 110 && first !== 78 && first !== 120 && first !== 88) continue;
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (FRAMEWORK_HEADERS.includes(name) || FRAMEWORK_PREFIXES.some((prefix) => name.startsWith(prefix))) return name;
  }
  return null;
}
