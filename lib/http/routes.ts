/**
 * Every address of the API in one table: which methods it has, who may use it and who answers. The gate refuses what is
 * not here before anything else runs, so a route cannot be reached without having stated its access. Pages and their
 * assets are not listed: they are read-only and belong to Next as a whole.
 */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** Segments; one that begins with `:` takes any single non-empty segment. */
  readonly path: string;
  /**
   * `admin`: changes what runs or erases; needs the admin token where one is set. `by request`: whether it does is seen in the
   * body; the handler asks for the token, and the gate counts the wrong ones.
   */
  readonly access: 'open' | 'admin' | 'by request';
  /** Answered in the fast lane under this name, or by a route handler of Next. */
  readonly lane: 'call' | 'mcp' | 'events' | 'openapi' | 'metrics' | 'health' | 'ready' | 'next';
  /** `required` and `optional` bodies are JSON; with `none` a body is refused. */
  readonly body: 'none' | 'optional' | 'required';
}

const v1 = '/api/v1';

export const ROUTES: readonly Route[] = [
  { method: 'POST', path: `${v1}/tools/:name/call`, access: 'open', lane: 'call', body: 'optional' },
  { method: 'GET', path: `${v1}/events`, access: 'open', lane: 'events', body: 'none' },
  { method: 'POST', path: '/mcp', access: 'open', lane: 'mcp', body: 'required' },
  { method: 'GET', path: '/mcp', access: 'open', lane: 'mcp', body: 'none' },
  { method: 'DELETE', path: '/mcp', access: 'open', lane: 'mcp', body: 'none' },
  { method: 'GET', path: `${v1}/openapi.json`, access: 'open', lane: 'openapi', body: 'none' },
  { method: 'GET', path: '/healthz', access: 'open', lane: 'health', body: 'none' },
  { method: 'GET', path: '/readyz', access: 'open', lane: 'ready', body: 'none' },
  { method: 'GET', path: '/metrics', access: 'open', lane: 'metrics', body: 'none' },
  { method: 'GET', path: `${v1}/extensions`, access: 'open', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/extensions`, access: 'admin', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/extensions/reload`, access: 'admin', lane: 'next', body: 'optional' },
  { method: 'GET', path: `${v1}/extensions/:id`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/extensions/:id/logs`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/extensions/:id/resources`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/extensions/:id/settings`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/extensions/:id/compare`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/extensions/:id/undo`, access: 'open', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/extensions/:id/undo`, access: 'admin', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/extensions/:id/restart`, access: 'admin', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/extensions/:id/disable`, access: 'admin', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/extensions/:id/enable`, access: 'admin', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/extensions/:id/rollback`, access: 'admin', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/extensions/:id/pin`, access: 'admin', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/extensions/:id/unpin`, access: 'admin', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/tools`, access: 'open', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/tools/:name/probe`, access: 'open', lane: 'next', body: 'optional' },
  { method: 'GET', path: `${v1}/tools/:name`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/calls`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/calls/stats`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/calls/last-hour`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/calls/export`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/calls/:id`, access: 'open', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/calls/:id/cancel`, access: 'open', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/calls/:id/replay`, access: 'open', lane: 'next', body: 'optional' },
  { method: 'GET', path: `${v1}/saved-calls`, access: 'open', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/saved-calls`, access: 'by request', lane: 'next', body: 'required' },
  { method: 'GET', path: `${v1}/saved-calls/:id`, access: 'open', lane: 'next', body: 'none' },
  { method: 'PATCH', path: `${v1}/saved-calls/:id`, access: 'by request', lane: 'next', body: 'required' },
  { method: 'DELETE', path: `${v1}/saved-calls/:id`, access: 'admin', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/saved-calls/:id/run`, access: 'open', lane: 'next', body: 'optional' },
  { method: 'GET', path: `${v1}/failures`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/failures/:id`, access: 'open', lane: 'next', body: 'none' },
  { method: 'PATCH', path: `${v1}/failures/:id`, access: 'open', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/failures/:id/comments`, access: 'open', lane: 'next', body: 'required' },
  { method: 'GET', path: `${v1}/failures/:id/occurrences`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/failures/:id/changes`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/failures/:id/source`, access: 'open', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/failures/:id/merge`, access: 'open', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/failures/:id/split`, access: 'open', lane: 'next', body: 'required' },
  { method: 'GET', path: `${v1}/channels`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/channels/:name`, access: 'open', lane: 'next', body: 'none' },
  { method: 'PATCH', path: `${v1}/channels/:name`, access: 'admin', lane: 'next', body: 'required' },
  { method: 'GET', path: `${v1}/channels/:name/messages`, access: 'open', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/channels/:name/send`, access: 'open', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/channels/:name/inject`, access: 'open', lane: 'next', body: 'required' },
  { method: 'POST', path: `${v1}/channels/:name/retry`, access: 'open', lane: 'next', body: 'none' },
  { method: 'POST', path: `${v1}/messages/:id/resend`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/sources`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/sources/:path`, access: 'open', lane: 'next', body: 'none' },
  { method: 'PUT', path: `${v1}/sources/:path`, access: 'admin', lane: 'next', body: 'required' },
  { method: 'DELETE', path: `${v1}/sources/:path`, access: 'admin', lane: 'next', body: 'required' },
  { method: 'GET', path: `${v1}/snapshots`, access: 'open', lane: 'next', body: 'none' },
  { method: 'GET', path: `${v1}/snapshots/:version`, access: 'open', lane: 'next', body: 'none' },
];

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

function decodeSegment(segment: string): string | null {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
