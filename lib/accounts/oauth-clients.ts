import { randomUUIDv7 } from 'node:crypto';
import { auditActorOf } from '#lib/access/actor-of.ts';
import { STRANGER } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { clientMetadataSchema } from '#lib/contract/oauth.ts';
import type { OAuthError } from '#lib/contract/oauth.ts';
import type { AttemptRepository } from '#lib/store/instance-store.ts';
import type { OAuthRepository } from '#lib/store/account-store.ts';
import type { Caller } from './accounts.ts';
import type { Audit } from './audit.ts';
import { isDocumentId, readClientDocument } from './client-document.ts';
import type { DocumentOptions } from './client-document.ts';

/**
 * OAuth clients: registered dynamically (RFC 7591), or identified by their metadata document. All are public, with PKCE. What
 * can go wrong:
 * - a flood of registrations: limited per address and in total, and a client without a grant is removed after a day;
 * - a flood of requests for a document: it is cached, and fetched only for signed-in people.
 */
export interface OAuthClient {
  readonly id: string;
  readonly name: string;
  readonly uri: string | null;
  /** Proven by a metadata document. */
  readonly host: string | null;
  readonly redirectUris: readonly string[];
}

export type ClientFound =
  | { readonly ok: true; readonly client: OAuthClient }
  /** `unread`: its document is fetched for signed-in people only. */
  | { readonly ok: false; readonly kind: 'unknown' | 'unread'; readonly why: string };

/** @property retryAfter seconds */
export type OAuthOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: OAuthError; readonly retryAfter?: number };

export interface OAuthClients {
  find(id: string, mayRead: boolean): Promise<ClientFound>;
  register(metadata: unknown, caller: Caller): Promise<OAuthOutcome<Readonly<Record<string, unknown>>>>;
}

export interface OAuthClientsOptions {
  readonly repository: OAuthRepository;
  readonly audit: Pick<Audit, 'record'>;
  readonly documents?: DocumentOptions;
  /** Of all servers; null: there is one. */
  readonly attempts?: Pick<AttemptRepository, 'count'> | null;
  now?(): number;
}

const HOUR_MS = 3_600_000;
const DAY_S = 86_400;
const MOST_NETWORKS = 10_000;
const MOST_DOCUMENTS = 100;

export function createOAuthClients({ repository, audit, documents, attempts = null, now = Date.now }: OAuthClientsOptions): OAuthClients {
  const registrations = new Map<string, { count: number; readonly since: number }>();
  const cached = new Map<string, { readonly found: ClientFound; readonly until: number }>();

  const countRegistration = (network: string): { readonly count: number; readonly ageMs: number } => {
    const known = registrations.get(network);
    if (known !== undefined && now() - known.since < HOUR_MS) return { count: (known.count += 1), ageMs: now() - known.since };
    registrations.delete(network);
    registrations.set(network, { count: 1, since: now() });
    const [oldest] = registrations.keys();
    if (registrations.size > MOST_NETWORKS && oldest !== undefined) registrations.delete(oldest);
    return { count: 1, ageMs: 0 };
  };

  /** Seconds until this address may register another client; 0: now. */
  const takeRegistration = async (network: string): Promise<number> => {
    const counted = attempts === null ? countRegistration(network) : attempts.count(`registration ${network}`, HOUR_MS);
    const { count, ageMs } = await counted;
    return count <= LIMITS.oauthRegistrationsPerHour ? 0 : Math.max(1, Math.ceil((HOUR_MS - ageMs) / 1_000));
  };

  const readDocument = async (id: string): Promise<ClientFound> => {
    const known = cached.get(id);
    if (known !== undefined && known.until > now()) return known.found;
    const read = await readClientDocument(id, documents);
    const fault = read.ok ? firstFault(read.metadata.redirect_uris) : read.why;
    const found: ClientFound =
      read.ok && fault === null
        ? {
            ok: true,
            client: {
              id,
              name: read.metadata.client_name || read.host,
              uri: read.metadata.client_uri ?? null,
              host: read.host,
              redirectUris: read.metadata.redirect_uris,
            },
          }
        : { ok: false, kind: 'unknown', why: `This client is not valid. ${fault ?? ''}`.trim() };
    if (cached.size >= MOST_DOCUMENTS) cached.clear();
    if (found.ok) cached.set(id, { found, until: now() + LIMITS.oauthDocumentCachedMs });
    return found;
  };

  return {
    async find(id, mayRead) {
      if (isDocumentId(id)) return mayRead ? readDocument(id) : { ok: false, kind: 'unread', why: 'Sign in first.' };
      const row = await repository.client(id);
      if (row === null)
        return {
          ok: false,
          kind: 'unknown',
          why: 'This client is not registered here, or was removed because it was not used. Register it again.',
        };
      return { ok: true, client: { id, name: row.name, uri: row.uri, host: null, redirectUris: row.redirectUris } };
    },

    async register(metadata, caller) {
      const parsed = clientMetadataSchema.safeParse(metadata);
      if (!parsed.success) {
        const isRedirect = parsed.error.issues.some(({ path }) => path[0] === 'redirect_uris');
        return isRedirect
          ? refuse('invalid_redirect_uri', `redirect_uris must be a list of 1 to ${LIMITS.oauthRedirects} addresses.`)
          : refuse('invalid_client_metadata', 'The body must be the metadata of a client (RFC 7591).');
      }
      const { redirect_uris: redirectUris, client_name: name = '', client_uri: uri } = parsed.data;
      const fault = firstFault(redirectUris);
      if (fault !== null) return refuse('invalid_redirect_uri', fault);
      const wait = await takeRegistration(caller.network);
      if (wait > 0)
        return refuse(
          'slow_down',
          `This address registered ${LIMITS.oauthRegistrationsPerHour} clients within an hour, the maximum. Try again in ${wait} s.`,
          wait,
        );
      const at = now();
      const row = {
        id: `dcr-${randomUUIDv7()}`,
        name: name || 'Unnamed client',
        uri: uri ?? null,
        redirectUris,
        createdAt: at,
        usedAt: null,
      };
      const kept = await repository.insertClient(row, { most: LIMITS.oauthClientsAtOnce, unusedBefore: at - LIMITS.oauthClientUnusedMs });
      if (kept === 'full')
        return refuse('slow_down', `${LIMITS.oauthClientsAtOnce} clients are registered, the maximum. Try again tomorrow.`, DAY_S);
      audit.record({
        actor: auditActorOf(STRANGER),
        action: 'clients.registered',
        target: row.name,
        outcome: 'done',
        address: caller.address,
        detail: { client: row.id, redirects: redirectUris.join(' ').slice(0, 500) },
      });
      return {
        ok: true,
        value: {
          client_id: row.id,
          client_id_issued_at: Math.floor(at / 1_000),
          client_name: row.name,
          ...(row.uri === null ? {} : { client_uri: row.uri }),
          redirect_uris: redirectUris,
          // Regardless of the request: clients are public, and PKCE authenticates them.
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        },
      };
    },
  };
}

function firstFault(uris: readonly string[]): string | null {
  return uris.map(redirectFault).find((fault) => fault !== null) ?? null;
}

export function refuse(error: OAuthError['error'], description: string, retryAfter?: number): Extract<OAuthOutcome<never>, { ok: false }> {
  return { ok: false, error: { error, error_description: description }, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/**
 * Redirect addresses of OAuth clients, which receive codes. What can go wrong: an address that runs code or reads a file in the
 * browser (`javascript:`); an unencrypted one on the network; one with the registered address as its prefix. So the comparison is
 * exact, except for the port of a loopback address, which a native application chooses when it starts (RFC 8252).
 */
const DENIED =
  /^(?:about|blob|chrome|chrome-extension|data|file|filesystem|ftp|intent|javascript|mailto|moz-extension|resource|tel|vbscript|view-source|ws|wss):/i;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Why an address cannot be registered; null if it can. */
function redirectFault(uri: string): string | null {
  const url = URL.canParse(uri) ? new URL(uri) : null;
  const shown = `The redirect_uri "${uri.slice(0, 100)}"`;
  if (url === null || /[\s\\]/.test(uri)) return `${shown} is no absolute address.`;
  if (uri.includes('#')) return `${shown} has a fragment; remove it.`;
  if (url.username !== '' || url.password !== '') return `${shown} has a user name or password; remove it.`;
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:')
    return LOOPBACK.has(url.hostname) ? null : `${shown} is not encrypted; use https, or http on 127.0.0.1, [::1] or localhost.`;
  return DENIED.test(uri) ? `${shown} has a scheme that no application may have here.` : null;
}

export function isRegistered(registered: readonly string[], asked: string): boolean {
  if (redirectFault(asked) !== null) return false;
  return registered.includes(asked) || registered.some((one) => isLoopback(one) && withoutPort(one) === withoutPort(asked));
}

export function isLoopback(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol === 'http:' && LOOPBACK.has(hostname);
}

function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = '';
  return url.href;
}

/** Adds parameters to a registered address, which may have its own. */
export function redirectTo(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** For people: the host, or the scheme of an application. */
export function shownTarget(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol;
}
