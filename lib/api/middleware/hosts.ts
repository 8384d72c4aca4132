import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { HostConfig } from '#lib/host/config.ts';
import type { RequestHead } from '../request.ts';

/**
 * Rejects requests that no honest client sends, before routing: the addressed host (`Host`), the page that sends it (`Origin`),
 * request target and framework headers. The body of a rejected request is not read.
 */
/** `.` and `..` as a segment, however encoded: a router behind could read another path than the one checked here. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;
const BACKSLASH_OR_NUL = /\\|%5c|%00/i;

/** Internal headers of frameworks, or for features that this program lacks (Server Actions). */
const FRAMEWORK_HEADER =
  /^(?:next-action|next-resume|x-matched-path|x-now-route-matches|x-original-url|x-rewrite-url|x-http-method-override|x-nextjs-data|x-middleware-.*|x-invoke-.*)$/;

export function createHeadCheck(hosts: AllowedHosts) {
  /** The checks that also apply to upgrade requests. */
  const checkCaller = (request: RequestHead): Result<null> => {
    const names = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length;
    const { host, origin } = request.headers;
    if (names !== 1 || host === undefined || !hosts.isHost(host)) return refuseHost(names, host);
    if (origin !== undefined && !hosts.isOrigin(origin, host)) {
      return refuse(
        'origin_refused',
        `The origin "${origin.slice(0, 100)}" is not allowed. Open the dashboard at ${hosts.originOf(host)}, or add that origin to ALLOWED_ORIGINS.`,
      );
    }
    return ok(null);
  };

  return {
    checkCaller,
    check(request: RequestHead): Result<null> {
      const caller = checkCaller(request);
      if (!caller.ok) return caller;
      const path = pathOf(request);
      if (!path.startsWith('/') || path.startsWith('//') || DOT_SEGMENT.test(path) || BACKSLASH_OR_NUL.test(path)) {
        return refuse(
          'request_malformed',
          'The request target must be a plain path such as /api/v1/tools, without a scheme, `//`, dot segments, backslashes or NUL.',
        );
      }
      const header = Object.keys(request.headers).find((name) => FRAMEWORK_HEADER.test(name));
      return header === undefined ? ok(null) : refuse('request_refused', `The header ${header} is not accepted here.`);
    },
  };
}

/** The path of the request target, as sent. */
export function pathOf({ url = '' }: Pick<RequestHead, 'url'>): string {
  const question = url.indexOf('?');
  return question === -1 ? url : url.slice(0, question);
}

/** Rejects percent sequences that are not UTF-8. */
export function checkPath(path: string): Result<null> {
  if (!path.includes('%')) return ok(null);
  try {
    decodeURIComponent(path);
    return ok(null);
  } catch {
    return refuse('request_malformed', 'The path has a percent sequence that is not UTF-8. Encode ids with encodeURIComponent.');
  }
}

/** Browsers report the requesting site. Another site may only navigate to our pages. */
export function checkSite(request: RequestHead, isPage: boolean): Result<null> {
  const site = request.headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return ok(null);
  const opensPage =
    isPage &&
    request.method === 'GET' &&
    request.headers['sec-fetch-mode'] === 'navigate' &&
    request.headers['sec-fetch-dest'] === 'document';
  return opensPage
    ? ok(null)
    : refuse('origin_refused', 'A page of another site sent this request. Other sites may only link to pages here.');
}

function refuseHost(names: number, host: string | undefined): Result<never> {
  const given = names > 1 ? 'more than one Host' : host ? `the host "${host.slice(0, 100)}"` : 'no Host';
  return refuse(
    'host_refused',
    `The request names ${given}. This server accepts localhost, 127.0.0.1, [::1] and the hosts in ALLOWED_HOSTS.`,
  );
}

/**
 * Accepted `Host` and `Origin` values. A foreign page can resolve its own name to 127.0.0.1 (DNS rebinding) and then acts as if
 * it were ours; only these headers reveal it. So names are compared as text, never resolved, and other spellings of a loopback
 * address (`127.1`, `2130706433`, `localhost.`) are rejected.
 */
type AllowedHosts = ReturnType<typeof createAllowedHosts>;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?$/;

type AllowedHostsConfig = Pick<HostConfig, 'host' | 'allowedHosts' | 'allowedOrigins' | 'team'>;

/** `allowedHosts`: `host` (any port) or `host:port`; `allowedOrigins`: complete origins such as `https://status.example.com`. */
export function createAllowedHosts({ host: bound, allowedHosts, allowedOrigins, team }: AllowedHostsConfig) {
  const publicUrl = team?.publicUrl ?? null;
  const publicHost = publicUrl === null ? null : new URL(publicUrl).host;
  const hosts = new Set([...LOOPBACK, ...allowedHosts.map((name) => name.toLowerCase()), ...(publicHost === null ? [] : [publicHost])]);
  const own = bound.toLowerCase();
  hosts.add(own.includes(':') && !own.startsWith('[') ? `[${own}]` : own);
  const knownOrigins = new Set([...allowedOrigins, ...(publicUrl === null ? [] : [publicUrl])].map((origin) => origin.toLowerCase()));

  return {
    isHost(host: string): boolean {
      const lower = host.toLowerCase();
      const [, name, port] = HOST.exec(lower) ?? [];
      return name !== undefined && Number(port ?? 0) <= 65_535 && (hosts.has(name) || hosts.has(lower));
    },
    /** URL of the dashboard under that name. */
    originOf: (host: string): string => (publicUrl !== null && host.toLowerCase() === publicHost ? publicUrl : `http://${host}`),
    /** `origin` of a request to `host`. */
    isOrigin(origin: string, host: string): boolean {
      const [given, asked] = [origin.toLowerCase(), host.toLowerCase()];
      // The public name is https only: an http origin there is an attacker in between.
      return knownOrigins.has(given) || (asked !== publicHost && given === `http://${asked}`);
    },
  };
}
