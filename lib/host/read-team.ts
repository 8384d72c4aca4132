import { isIP, isIPv4 } from 'node:net';
import type { OidcSettings, TeamSettings } from '#lib/accounts/accounts.ts';
import { ROLE_NAMES } from '#lib/contract/actions.ts';
import { errorPrefix } from './read-config-lists.ts';

/**
 * Who can reach the server, and how: address and accounts belong together, because a public server without accounts
 * would give everybody this machine. What can go wrong: an address that is more open than intended, so one that is not
 * loopback needs AUTH=team, PUBLIC_URL and AUTH_SECRET, each with its own error line. No message contains a secret.
 */
export interface Reach {
  readonly host: string;
  /** Null: no accounts. */
  readonly team: TeamSettings | null;
}

export type ReadReach = { readonly ok: true; readonly value: Reach } | { readonly ok: false; readonly reason: string };

type Environment = Readonly<Record<string, string | undefined>>;

class BadReach extends Error {}

const SECRET_LEAST = 32;
const LOOPBACK_ONLY =
  'a loopback address (127.0.0.1, localhost, ::1). Other addresses open the server to the network; they need accounts: AUTH=team, PUBLIC_URL and AUTH_SECRET.';
const OIDC_NAMES = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

export function readReach(env: Environment): ReadReach {
  try {
    return { ok: true, value: read(env) };
  } catch (error) {
    if (error instanceof BadReach) return { ok: false, reason: error.message };
    throw error;
  }
}

function read(env: Environment): Reach {
  const isTeam = readMode(env);
  const host = env['HOST'] === undefined ? '127.0.0.1' : env['HOST'].toLowerCase();
  const isLoopback = host === 'localhost' || host === '::1' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
  if (!isLoopback && !(isTeam && isIP(host.replace(/^\[|\]$/g, '')) > 0)) {
    const accepted = isTeam ? 'an IP address of this machine, such as 127.0.0.1, or 0.0.0.0 and :: for all of them.' : LOOPBACK_ONLY;
    throw new BadReach(`${errorPrefix('HOST', env['HOST'] ?? '')} ${accepted}`);
  }
  const settings = { secret: readSecret(env), publicUrl: readPublicUrl(env), oidc: readOidc(env) };
  if (!isTeam) return { host, team: null };
  if (!isLoopback && settings.publicUrl === null)
    throw new BadReach(
      `PUBLIC_URL is not set; with HOST="${host}" others reach this server, so accepted: the https origin by which they do, such as https://board.example.com.`,
    );
  if (!isLoopback && settings.secret === null)
    throw new BadReach(
      `AUTH_SECRET is not set; with HOST="${host}" others reach this server, so accepted: ${SECRET_LEAST} characters or more that nobody can guess. Create it with \`openssl rand -hex 32\`.`,
    );
  return { host, team: settings };
}

function readMode(env: Environment): boolean {
  const given = env['AUTH'];
  if (!given || given.toLowerCase() === 'local') return false;
  if (given.toLowerCase() === 'team') return true;
  throw new BadReach(`${errorPrefix('AUTH', given)} local (one user, on this machine alone) or team (accounts).`);
}

function readSecret(env: Environment): string | null {
  const given = env['AUTH_SECRET'];
  if (!given) return null;
  if (given.length >= SECRET_LEAST && new Set(given).size >= 8) return given;
  throw new BadReach(
    `AUTH_SECRET is too easy to guess (${given.length} characters, ${new Set(given).size} different ones); accepted: ${SECRET_LEAST} characters or more, 8 of them different. Create it with \`openssl rand -hex 32\`.`,
  );
}

function readPublicUrl(env: Environment): string | null {
  const given = env['PUBLIC_URL'];
  if (!given) return null;
  const origin = given.toLowerCase().replace(/\/$/, '');
  if (origin.startsWith('https://') && URL.canParse(origin) && new URL(origin).origin === origin) return origin;
  throw new BadReach(`${errorPrefix('PUBLIC_URL', given)} an https origin without a path, such as https://board.example.com.`);
}

function readOidc(env: Environment): OidcSettings | null {
  const [issuer = '', clientId = '', clientSecret = ''] = OIDC_NAMES.map((name) => env[name] ?? '');
  const name = env['OIDC_NAME'] ?? '';
  const role = readRole(env);
  if (issuer === '' && clientId === '' && clientSecret === '') return null;
  const missing = OIDC_NAMES.find((name) => !env[name]);
  if (missing !== undefined)
    throw new BadReach(`${missing} is not set; sign-in through an identity provider needs all of ${OIDC_NAMES.join(', ')}.`);
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  const isLocal = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url === null || (url.protocol !== 'https:' && !isLocal) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new BadReach(
      `${errorPrefix('OIDC_ISSUER', issuer)} the https address of the issuer, below which /.well-known/openid-configuration lies, such as https://id.example.com.`,
    );
  return { issuer: issuer.replace(/\/+$/, ''), clientId, clientSecret, name: name.trim() || url.hostname, role };
}

function readRole(env: Environment): OidcSettings['role'] {
  const given = env['OIDC_ROLE'];
  if (!given) return null;
  const role = ROLE_NAMES.find((known) => known === given.toLowerCase());
  if (role !== undefined) return role;
  throw new BadReach(
    `${errorPrefix('OIDC_ROLE', given)} the role for a first sign-in (${ROLE_NAMES.join(', ')}), or nothing, to require an invitation.`,
  );
}
