import { isAdministrative } from '#lib/access/principal.ts';
import type { Action } from '#lib/contract/actions.ts';

/**
 * Every address of the API in one table: which methods it has, which action it is and who answers. The gate refuses what is
 * not here before anything else runs, so a route cannot be reached without having stated its action. Pages and their
 * assets are not listed: they are read-only, belong to Next as a whole, and are the action `pages.read`.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Row {
  readonly method: Method;
  /** Segments; one that begins with `:` takes any single non-empty segment. */
  readonly path: string;
  /** Who may is said in lib/access. */
  readonly action: Action;
  /** What it is as well for some bodies; the handler sees which. */
  readonly mayNeed?: Action;
  /** Answered in the fast lane under this name, or by a route handler of Next. */
  readonly lane: 'call' | 'mcp' | 'events' | 'openapi' | 'metrics' | 'health' | 'ready' | 'next';
  /**
   * `required` and `optional` bodies are JSON, `empty` is one of no fields that may be left out, as many clients send one whenever
   * they post; with `none` a body is refused.
   */
  readonly body: 'none' | 'empty' | 'optional' | 'required';
  /** Another site may send a browser here, as it may to a page. */
  readonly isOpenedFromElsewhere?: true;
}

export interface Route extends Row {
  /**
   * `admin`: changes what runs or erases; needs the admin token where one is set. `by request`: whether it does is seen in the
   * body; the handler asks for the token, and the gate counts the wrong ones.
   */
  readonly access: 'open' | 'admin' | 'by request';
}

const v1 = '/api/v1';

const ROWS: readonly Row[] = [
  { method: 'POST', path: `${v1}/tools/:name/call`, action: 'tools.call', lane: 'call', body: 'optional' },
  { method: 'GET', path: `${v1}/events`, action: 'events.read', lane: 'events', body: 'none' },
  { method: 'POST', path: '/mcp', action: 'mcp.connect', lane: 'mcp', body: 'required' },
  { method: 'GET', path: '/mcp', action: 'events.read', lane: 'mcp', body: 'none' },
  { method: 'DELETE', path: '/mcp', action: 'mcp.connect', lane: 'mcp', body: 'none' },
  { method: 'GET', path: `${v1}/openapi.json`, action: 'openapi.read', lane: 'openapi', body: 'none' },
  { method: 'GET', path: '/healthz', action: 'health.read', lane: 'health', body: 'none' },
  { method: 'GET', path: '/readyz', action: 'health.read', lane: 'ready', body: 'none' },
  { method: 'GET', path: '/metrics', action: 'metrics.read', lane: 'metrics', body: 'none' },
  { method: 'GET', path: `${v1}/session`, action: 'session.read', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/session`, action: 'session.begin', lane: 'next', body: 'required' },
  { method: 'DELETE', path: `${v1}/session`, action: 'session.end', lane: 'next', body: 'none' },
  { method: 'DELETE', path: `${v1}/sessions`, action: 'profile.change', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/session/oidc`, action: 'session.begin', lane: 'next', body: 'optional' },
  { method: 'GET', path: `${v1}/session/oidc/callback`, action: 'session.begin', lane: 'next', body: 'none', isOpenedFromElsewhere: true },
  { method: 'POST', path: `${v1}/join/look`, action: 'session.begin', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/join`, action: 'session.begin', lane: 'next', body: 'required' },
  { method: 'PATCH', path: `${v1}/profile`, action: 'profile.change', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/profile/password`, action: 'profile.change', lane: 'next', body: 'required' },
  { method: 'GET', path: `${v1}/members`, action: 'members.read', lane: 'next', body: 'none' },
  { method: 'PATCH', path: `${v1}/members/:id`, action: 'members.manage', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/members/:id/sign-out`, action: 'members.manage', lane: 'next', body: 'empty' },
  { method: 'GET', path: `${v1}/invitations`, action: 'members.manage', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/invitations`, action: 'members.manage', lane: 'next', body: 'required' },
  { method: 'DELETE', path: `${v1}/invitations/:id`, action: 'members.manage', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/tokens`, action: 'tokens.manage', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/tokens`, action: 'tokens.manage', lane: 'next', body: 'required' },
  { method: 'DELETE', path: `${v1}/tokens/:id`, action: 'tokens.manage', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/audit`, action: 'audit.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/audit/export`, action: 'audit.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/extensions`, action: 'extensions.read', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/extensions`, action: 'extensions.edit', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/extensions/reload`, action: 'extensions.reload', lane: 'next', body: 'optional' },
  { method: 'POST', path: `${v1}/watch/self-test`, action: 'extensions.reload', lane: 'next', body: 'empty' },
  { method: 'GET', path: `${v1}/extensions/:id`, action: 'extensions.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/extensions/:id/logs`, action: 'extensions.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/extensions/:id/resources`, action: 'extensions.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/extensions/:id/settings`, action: 'extensions.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/extensions/:id/compare`, action: 'extensions.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/extensions/:id/undo`, action: 'extensions.read', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/extensions/:id/undo`, action: 'extensions.edit', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/extensions/:id/restart`, action: 'extensions.restart', lane: 'next', body: 'empty' },
  { method: 'POST', path: `${v1}/extensions/:id/disable`, action: 'extensions.switch', lane: 'next', body: 'empty' },
  { method: 'POST', path: `${v1}/extensions/:id/enable`, action: 'extensions.switch', lane: 'next', body: 'empty' },
  { method: 'POST', path: `${v1}/extensions/:id/rollback`, action: 'extensions.pin', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/extensions/:id/pin`, action: 'extensions.pin', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/extensions/:id/unpin`, action: 'extensions.pin', lane: 'next', body: 'empty' },
  { method: 'GET', path: `${v1}/tools`, action: 'tools.read', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/tools/:name/probe`, action: 'tools.probe', lane: 'next', body: 'optional' },
  { method: 'GET', path: `${v1}/tools/:name`, action: 'tools.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/calls`, action: 'calls.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/calls/stats`, action: 'calls.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/calls/last-hour`, action: 'calls.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/calls/export`, action: 'calls.export', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/calls/:id`, action: 'calls.read', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/calls/:id/cancel`, action: 'calls.cancel', lane: 'next', body: 'empty' },
  { method: 'POST', path: `${v1}/calls/:id/replay`, action: 'calls.replay', lane: 'next', body: 'optional' },
  { method: 'GET', path: `${v1}/saved-calls`, action: 'saved_calls.read', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/saved-calls`, action: 'saved_calls.write', mayNeed: 'checks.require', lane: 'next', body: 'required' },
  { method: 'GET', path: `${v1}/saved-calls/:id`, action: 'saved_calls.read', lane: 'next', body: 'none' },
  {
    method: 'PATCH',
    path: `${v1}/saved-calls/:id`,
    action: 'saved_calls.write',
    mayNeed: 'checks.require',
    lane: 'next',
    body: 'required',
  },
  { method: 'DELETE', path: `${v1}/saved-calls/:id`, action: 'saved_calls.erase', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/saved-calls/:id/run`, action: 'saved_calls.run', lane: 'next', body: 'optional' },
  { method: 'GET', path: `${v1}/failures`, action: 'failures.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/failures/:id`, action: 'failures.read', lane: 'next', body: 'none' },
  { method: 'PATCH', path: `${v1}/failures/:id`, action: 'failures.review', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/failures/:id/comments`, action: 'failures.review', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/failures/:id/presence`, action: 'failures.attend', lane: 'next', body: 'required' },
  { method: 'GET', path: `${v1}/failures/:id/occurrences`, action: 'failures.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/failures/:id/changes`, action: 'failures.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/failures/:id/source`, action: 'failures.read', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/failures/:id/merge`, action: 'failures.review', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/failures/:id/split`, action: 'failures.review', lane: 'next', body: 'required' },
  { method: 'GET', path: `${v1}/channels`, action: 'channels.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/channels/:name`, action: 'channels.read', lane: 'next', body: 'none' },
  { method: 'PATCH', path: `${v1}/channels/:name`, action: 'channels.configure', lane: 'next', body: 'required' },
  { method: 'GET', path: `${v1}/channels/:name/messages`, action: 'channels.read', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/channels/:name/send`, action: 'channels.send', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/channels/:name/inject`, action: 'channels.inject', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/channels/:name/retry`, action: 'channels.retry', lane: 'next', body: 'empty' },
  { method: 'POST', path: `${v1}/messages/:id/resend`, action: 'channels.send', lane: 'next', body: 'empty' },
  { method: 'GET', path: `${v1}/sources`, action: 'sources.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/sources/:path`, action: 'sources.read', lane: 'next', body: 'none' },
  { method: 'PUT', path: `${v1}/sources/:path`, action: 'extensions.edit', lane: 'next', body: 'required' },
  { method: 'DELETE', path: `${v1}/sources/:path`, action: 'extensions.edit', lane: 'next', body: 'required' },
  { method: 'GET', path: `${v1}/snapshots`, action: 'snapshots.read', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/snapshots/:version`, action: 'snapshots.read', lane: 'next', body: 'none' },
];

export const ROUTES: readonly Route[] = ROWS.map((row) => ({ ...row, access: accessOf(row) }));

function accessOf({ action, mayNeed }: Row): Route['access'] {
  if (isAdministrative(action)) return 'admin';
  return mayNeed === undefined ? 'open' : 'by request';
}

export type RouteMatch =
  | { readonly kind: 'route'; readonly route: Route; readonly parameter: string }
  /** Not part of the API: a page or one of its files. */
  | { readonly kind: 'page' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'method'; readonly allow: readonly string[] };

const OUTSIDE_PAGES = new Set(['api', 'mcp', 'healthz', 'readyz', 'metrics']);

const SPLIT_ROUTES = ROUTES.map((route) => ({ route, segments: route.path.split('/').slice(1) }));

/** `path` is what stands before the `?` of the request target. HEAD is answered wherever GET is. */
export function matchRoute(method: string, path: string): RouteMatch {
  const segments = path.split('/').slice(1);
  if (!OUTSIDE_PAGES.has(segments[0] ?? '')) return { kind: 'page' };

  const asked = method === 'HEAD' ? 'GET' : method;
  const allow = new Set<string>();
  for (const candidate of SPLIT_ROUTES) {
    const raw = parameterOf(candidate.segments, segments);
    if (raw === null) continue;
    if (candidate.route.method !== asked) {
      allow.add(candidate.route.method);
      if (candidate.route.method === 'GET') allow.add('HEAD');
      continue;
    }
    const parameter = decodeSegment(raw);
    return parameter === null ? { kind: 'malformed' } : { kind: 'route', route: candidate.route, parameter };
  }
  return allow.size > 0 ? { kind: 'method', allow: [...allow].toSorted() } : { kind: 'unknown' };
}

/** The one variable segment, '' when the pattern has none, null when it does not fit. */
function parameterOf(pattern: readonly string[], segments: readonly string[]): string | null {
  if (pattern.length !== segments.length) return null;
  let parameter = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const expected = pattern[at] ?? '';
    const given = segments[at] ?? '';
    if (expected.startsWith(':')) {
      if (given === '') return null;
      parameter = given;
    } else if (expected !== given) return null;
  }
  return parameter;
}

/** Null for a percent sequence that is not UTF-8. */
export function decodeSegment(segment: string): string | null {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
