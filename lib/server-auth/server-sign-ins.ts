import { createHash, randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import {
  auth,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  OAuthError,
  refreshAuthorization,
  selectResourceURL,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import { OAUTH } from '#lib/contract/paths.ts';
import { ownClientMetadata, type ServerToken, type TokenAsk } from '#lib/contract/servers.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { ServerSignInRepository, ServerSignInRow } from '#lib/store/server-sign-in-repository.ts';
import { isPublicAddress } from '#lib/network/public-address.ts';

/**
 * Sign-ins at MCP servers by the official client's OAuth. What can go wrong:
 * - tokens leak: they are sealed in the database, unsealed only here, and given only to the process of their own server;
 * - the confused deputy: a member's token is used only for calls of that member, and only the person who began a sign-in completes it;
 * - a token expires: it is renewed before; only one of several servers on a database renews it, since a refresh token works once;
 * - the authorization server is slow, revoked the grant, or answers nonsense: the sign-in is needed again, with the reason;
 * - the server requires more scopes (`insufficient_scope`): the next sign-in requests them too.
 */
export interface ServerSignIns {
  /** The address for the person's browser. */
  begin(at: SignInPlace, by: { readonly id: string; readonly name: string | null }, callback: string): Promise<Result<string>>;
  /** The redirect of the authorization server. `person` is the id of the person who opened it. */
  finish(parameters: URLSearchParams, person: string): Promise<Result<{ readonly server: string }>>;
  token(at: SignInPlace, ask: TokenAsk): Promise<ServerToken>;
  look(server: string, member: string): Promise<SignInState | null>;
  /** Revokes its tokens and forgets it. False: there was none. */
  remove(server: string, member: string): Promise<boolean>;
  /** All sign-ins of a removed server. */
  removeServer(server: string): Promise<void>;
}

interface SignInPlace {
  readonly server: string;
  readonly url: string;
  readonly member: string;
}

interface SignInState {
  readonly isConnected: boolean;
  readonly missingScope: string | null;
  readonly problem: string | null;
  readonly by: string | null;
  readonly since: number | null;
}

export interface ServerSignInsOptions {
  readonly repository: ServerSignInRepository;
  readonly sealer: Sealer;
  /** Redacts a value wherever text is stored or shown. */
  learn(secrets: readonly string[]): void;
  log(level: 'info' | 'warn', message: string, fields: Readonly<Record<string, unknown>>): void;
  readonly timeoutMs?: number;
  now?(): number;
}

/** Encrypted as JSON. Some parts are those of the official client, stored unchanged. */
const heldSchema = z.object({
  url: z.string(),
  client: z.custom<StoredOAuthClientInformation>().optional(),
  tokens: z
    .looseObject({
      access_token: z.string(),
      token_type: z.string().default('Bearer'),
      refresh_token: z.string().optional(),
      scope: z.string().optional(),
      expires_in: z.number().optional(),
    })
    .optional(),
  expiresAt: z.number().nullable().default(null),
  discovery: z.custom<OAuthDiscoveryState>().optional(),
  verifier: z.string().optional(),
  callback: z.string().optional(),
  /** Our client id metadata document, where an authorization server can read it. */
  document: z.string().optional(),
  /** Who is signing in. */
  by: z.string().nullable().default(null),
  begunBy: z.string().default(''),
  begunAt: z.number().default(0),
  missingScope: z.string().nullable().default(null),
  /** Why the last try failed. */
  problem: z.string().nullable().default(null),
});
type Held = z.infer<typeof heldSchema>;

const RENEW_BEFORE_MS = 60_000;
const CLAIM_MS = 30_000;
const CLAIM_POLL_MS = 250;
const STATE_EXPIRY_MS = 600_000;
/** Errors of an authorization server that do not refuse the sign-in. */
const TRANSIENT_ERRORS: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable', 'slow_down', 'too_many_requests']);
const NOT_SIGNED_IN = 'Sign in at the server first: press Connect on the page of the extension.';

export function createServerSignIns(options: ServerSignInsOptions): ServerSignIns {
  const { repository, sealer, learn, log, timeoutMs = LIMITS.serverSignInMs, now = Date.now } = options;
  /** One renewal at a time per sign-in. */
  const renewing = new Map<string, Promise<ServerToken>>();

  const purposeOf = (server: string, member: string): string => `server_sign_in:${server}:${member}`;

  const open = (row: ServerSignInRow | null): Held | null => {
    if (row === null) return null;
    const text = sealer.open(row.sealed, purposeOf(row.server, row.member));
    if (text === null) return null;
    const held = heldSchema.parse(JSON.parse(text));
    learn(secretsOf(held));
    return held;
  };

  const put = async (
    server: string,
    member: string,
    held: Held,
    row: ServerSignInRow | null,
    more: Partial<ServerSignInRow> = {},
  ): Promise<void> => {
    learn(secretsOf(held));
    await repository.put({
      server,
      member,
      state: row?.state ?? null,
      connectedBy: row?.connectedBy ?? null,
      connectedAt: row?.connectedAt ?? null,
      ...more,
      sealed: sealer.seal(JSON.stringify(held), purposeOf(server, member)),
      updatedAt: now(),
    });
  };

  const providerOf = (held: Held, state: string, onRedirect: (url: URL) => void): OAuthClientProvider => ({
    redirectUrl: held.callback ?? '',
    clientMetadata: ownClientMetadata(held.callback ?? ''),
    // Used where the authorization server accepts it; else the client is registered.
    ...(held.document === undefined ? {} : { clientMetadataUrl: held.document }),
    state: () => state,
    clientInformation: () => held.client,
    saveClientInformation(client) {
      held.client = client;
    },
    tokens: () => held.tokens,
    saveTokens(tokens) {
      // A server may leave the refresh token unchanged and omit it.
      const refresh = tokens.refresh_token ?? held.tokens?.refresh_token;
      held.tokens = { ...tokens, ...(refresh === undefined ? {} : { refresh_token: refresh }) };
      held.expiresAt = tokens.expires_in === undefined ? null : now() + tokens.expires_in * 1_000;
    },
    redirectToAuthorization: onRedirect,
    saveCodeVerifier(verifier) {
      held.verifier = verifier;
    },
    codeVerifier: () => held.verifier ?? '',
    saveDiscoveryState(discovery) {
      held.discovery = discovery;
    },
    discoveryState: () => held.discovery,
    invalidateCredentials(scope) {
      if (scope === 'all' || scope === 'client') delete held.client;
      if (scope === 'all' || scope === 'tokens') delete held.tokens;
      if (scope === 'all' || scope === 'discovery') delete held.discovery;
    },
  });

  /**
   * A new token by the refresh token; null: the person has to sign in again. Does not use `auth`, which treats every failure as a refusal:
   * a short outage of the authorization server would sign everyone out.
   */
  const renew = async (
    { server, url, member }: SignInPlace,
    row: ServerSignInRow,
    held: Held,
    refreshToken: string,
  ): Promise<string | null> => {
    const fetchFn = await guardedFetch(url, timeoutMs);
    const provider = providerOf(held, '', () => undefined);
    const { client, tokens, discovery = await discoverOAuthServerInfo(url, { fetchFn }) } = held;
    try {
      if (client === undefined) throw new OAuthError('invalid_client', 'Unknown client');
      const resource = await selectResourceURL(url, provider, discovery.resourceMetadata);
      const renewed = await refreshAuthorization(discovery.authorizationServerUrl, {
        ...(discovery.authorizationServerMetadata === undefined ? {} : { metadata: discovery.authorizationServerMetadata }),
        clientInformation: client,
        refreshToken,
        ...(resource === undefined ? {} : { resource }),
        fetchFn,
      });
      await provider.saveTokens({ ...tokens, ...renewed });
    } catch (error) {
      if (!OAuthError.isInstance(error) || TRANSIENT_ERRORS.has(error.code)) throw error;
      // A refused refresh token is useless; the client registration stays.
      delete held.tokens;
    }
    await put(server, member, held, row);
    return held.tokens?.access_token ?? null;
  };

  /** Waits for another server that renews it. */
  const renewWithClaim = async (at: SignInPlace, refused: string | null): Promise<ServerToken> => {
    const { server, member } = at;
    const until = now() + CLAIM_MS;
    while (!(await repository.claim(server, member, now(), now() + CLAIM_MS))) {
      if (now() > until) return noToken('The sign-in at the server is being renewed. Try again.');
      await new Promise((resolve) => setTimeout(resolve, CLAIM_POLL_MS));
    }
    try {
      const row = await repository.get(server, member);
      const held = open(row);
      if (row === null || held?.tokens === undefined) return noToken(NOT_SIGNED_IN);
      if (isFresh(held, now()) && held.tokens.access_token !== refused) return tokenOf(held.tokens.access_token, row);
      const { refresh_token: refreshToken } = held.tokens;
      if (refreshToken === undefined) {
        delete held.tokens;
        await put(server, member, held, row);
        return noToken(`The sign-in at the server has expired. ${NOT_SIGNED_IN}`);
      }
      const token = await renew(at, row, held, refreshToken);
      return token === null ? noToken(`The server no longer accepts the sign-in. ${NOT_SIGNED_IN}`) : tokenOf(token, row);
    } catch (error) {
      log('warn', 'The sign-in at an MCP server could not be renewed', { extension: server, error: reasonOf(error) });
      return noToken(`The sign-in at the server could not be renewed: ${reasonOf(error)}`);
    } finally {
      await repository.release(server, member);
    }
  };

  const renewOnce = (at: SignInPlace, refused: string | null): Promise<ServerToken> => {
    const key = `${at.server}\n${at.member}`;
    const known = renewing.get(key);
    if (known !== undefined) return known;
    const made = renewWithClaim(at, refused).finally(() => renewing.delete(key));
    renewing.set(key, made);
    return made;
  };

  const remove: ServerSignIns['remove'] = async (server, member) => {
    const row = await repository.get(server, member);
    const held = open(row);
    const isRemoved = await repository.remove(server, member);
    if (held !== null)
      await revoke(held, timeoutMs).catch((error: unknown) =>
        log('warn', 'A sign-in could not be revoked at its server', { extension: server, error: reasonOf(error) }),
      );
    return isRemoved;
  };

  return {
    async begin({ server, url, member }, { id, name }, callback) {
      const row = await repository.get(server, member);
      const known = open(row);
      // A client is registered for one callback and one server.
      const { discovery: _old, ...same } = known ?? {};
      const isSame = known?.url === url && known.callback === callback;
      const document = await documentOf(callback);
      const held: Held = {
        // The server may name another authorization server now.
        ...(isSame
          ? { ...same, url, expiresAt: known.expiresAt, missingScope: known.missingScope }
          : { url, expiresAt: null, missingScope: null }),
        problem: null,
        callback,
        ...(document === null ? {} : { document }),
        by: name,
        begunBy: id,
        begunAt: now(),
      };
      const state = randomBytes(32).toString('base64url');
      let opened: URL | null = null;
      try {
        const fetchFn = await guardedFetch(url, timeoutMs);
        const provider = providerOf(held, state, (address) => {
          opened = address;
        });
        const challenge = await challengeOf(url, fetchFn);
        const scope = held.missingScope === null ? challenge.scope : withScopes(held.tokens?.scope, held.missingScope);
        await auth(provider, {
          serverUrl: url,
          fetchFn,
          forceReauthorization: true,
          ...(scope === undefined ? {} : { scope }),
          ...(challenge.resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: challenge.resourceMetadataUrl }),
        });
      } catch (error) {
        return refuse('state_conflict', `The sign-in at the server could not start: ${reasonOf(error)}`);
      }
      const address = addressOf(opened);
      if (address === null)
        return refuse('state_conflict', 'The sign-in at the server could not start: it gave no address for the browser.');
      await put(server, member, held, row, { state: hashOf(state) });
      return ok(address);
    },

    async finish(parameters, person) {
      const row = await repository.byState(hashOf(parameters.get('state') ?? ''));
      const held = open(row);
      if (row === null || held === null || now() - held.begunAt > STATE_EXPIRY_MS)
        return refuse('request_malformed', 'This sign-in has ended, or was not started on this server. Press Connect again.');
      // Only the person who began a sign-in completes it: the link of another person would connect their account to this one.
      if (held.begunBy !== person) return refuse('not_allowed', 'Another person began this sign-in. Press Connect yourself.');
      const code = parameters.get('code');
      const iss = parameters.get('iss');
      const fail = async (problem: string): Promise<Result<never>> => {
        await put(row.server, row.member, { ...held, problem }, row, { state: null });
        return refuse('state_conflict', problem, { extra: { extension: row.server } });
      };
      if (code === null) {
        const why = parameters.get('error_description') ?? parameters.get('error') ?? 'it sent no code';
        return fail(`The server refused the sign-in: ${why.slice(0, REASON_CHARACTERS)}`);
      }
      try {
        const fetchFn = await guardedFetch(held.url, timeoutMs);
        const provider = providerOf(held, '', () => undefined);
        await auth(provider, { serverUrl: held.url, authorizationCode: code, fetchFn, ...(iss === null ? {} : { iss }) });
      } catch (error) {
        return fail(`The sign-in at the server failed: ${reasonOf(error)}`);
      }
      const { verifier: _verifier, ...kept } = held;
      const connected = { ...kept, missingScope: null };
      await put(row.server, row.member, connected, row, { state: null, connectedBy: held.by, connectedAt: now() });
      return ok({ server: row.server });
    },

    async token(at, { refused, scope, ...ask }) {
      const [newest] = ask.member === '*' ? await repository.ofServer(at.server) : [];
      const member = ask.member === '*' ? (newest?.member ?? '') : ask.member;
      const row = await repository.get(at.server, member);
      const held = open(row);
      if (row === null || held?.tokens === undefined) return noToken(NOT_SIGNED_IN);
      // A changed address is another server.
      if (held.url !== at.url) return noToken(`The address of the server has changed. ${NOT_SIGNED_IN}`);
      if (scope !== null) {
        await put(at.server, member, { ...held, missingScope: scope }, row);
        return noToken(`The server asks for more permissions (${scope}): press Connect on the page of the extension again.`);
      }
      if (isFresh(held, now()) && held.tokens.access_token !== refused) return tokenOf(held.tokens.access_token, row);
      return renewOnce({ ...at, member }, refused);
    },

    async look(server, member) {
      const row = await repository.get(server, member);
      const held = open(row);
      if (row === null || held === null) return null;
      const { missingScope, problem } = held;
      return { isConnected: held.tokens !== undefined, missingScope, problem, by: row.connectedBy, since: row.connectedAt };
    },

    remove,

    async removeServer(server) {
      for (const row of await repository.ofServer(server)) await remove(server, row.member);
    },
  };
}

/** Null: an authorization server on the internet could not read it. */
async function documentOf(callback: string): Promise<string | null> {
  const { protocol, hostname, origin } = new URL(callback);
  return protocol === 'https:' && (await isPublicHost(hostname, false)) ? `${origin}${OAUTH.ownClient}` : null;
}

/** The metadata URL that the server declares, and the scopes that it requires. */
async function challengeOf(url: string, fetchFn: FetchLike): Promise<ReturnType<typeof extractWWWAuthenticateParams>> {
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    return extractWWWAuthenticateParams(await fetchFn(url, { method: 'POST', headers, body: PING }));
  } catch {
    // The standard addresses are tried.
    return {};
  }
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

function tokenOf(token: string, { connectedAt }: ServerSignInRow): ServerToken {
  return { token, since: connectedAt, why: null };
}

function noToken(why: string): ServerToken {
  return { token: null, since: null, why };
}

function isFresh({ expiresAt }: Held, now: number): boolean {
  return expiresAt === null || expiresAt - RENEW_BEFORE_MS > now;
}

function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('hex');
}

function addressOf(opened: URL | null): string | null {
  return opened !== null && /^https?:$/.test(opened.protocol) ? opened.href : null;
}

function withScopes(held: string | undefined, missing: string): string {
  return [...new Set(`${held ?? ''} ${missing}`.split(' ').filter((scope) => scope !== ''))].join(' ');
}

const clientSecretSchema = z.looseObject({ client_id: z.string(), client_secret: z.string().optional() });

function secretsOf({ tokens, client, verifier }: Held): readonly string[] {
  const known = clientSecretSchema.safeParse(client);
  return [tokens?.access_token, tokens?.refresh_token, verifier, known.success ? known.data.client_secret : undefined].filter(
    (one) => one !== undefined,
  );
}

/** RFC 7009, if the authorization server supports it. */
async function revoke({ url, tokens, client }: Held, timeoutMs: number): Promise<void> {
  const known = clientSecretSchema.safeParse(client);
  if (tokens === undefined || !known.success) return;
  const fetchFn: FetchLike = await guardedFetch(url, timeoutMs);
  const { authorizationServerMetadata } = await discoverOAuthServerInfo(url, { fetchFn });
  const endpoint: unknown = Reflect.get({ ...authorizationServerMetadata }, 'revocation_endpoint');
  if (typeof endpoint !== 'string') return;
  const { client_id, client_secret } = known.data;
  const credentials = { client_id, ...(client_secret === undefined ? {} : { client_secret }) };
  for (const [token, hint] of [
    [tokens.refresh_token, 'refresh_token'],
    [tokens.access_token, 'access_token'],
  ] as const)
    if (token !== undefined)
      await fetchFn(endpoint, { method: 'POST', body: new URLSearchParams({ token, token_type_hint: hint, ...credentials }) });
}

const REASON_CHARACTERS = 300;

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error instanceof Error ? error.message : String(error)}${cause}`.replace(/\s+/g, ' ').slice(0, REASON_CHARACTERS);
}

/**
 * Requests to the authorization server of an MCP server, whose addresses the server chooses. What can go wrong: a server on the
 * internet directs Switchboard to addresses in its own network (then only public ones are allowed), the answer never ends, it
 * redirects elsewhere (refused), or it is not encrypted (allowed only if the server is not encrypted either).
 */
const ANSWER_BYTES = 262_144;

async function guardedFetch(serverUrl: string, timeoutMs: number): Promise<FetchLike> {
  const server = new URL(serverUrl);
  // An unknown name may be public.
  const isPublicServer = await isPublicHost(server.hostname, true);
  return async (input, init) => {
    const url = new URL(input);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && server.protocol === 'http:'))
      throw new Error(`${url.origin} is not encrypted; an authorization server must use https`);
    if (isPublicServer && !(await isPublicHost(url.hostname, false))) throw new Error(`${url.host} is not a public address`);
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(url, { ...init, redirect: 'error', signal }).catch((error: unknown) => {
      throw signal.aborted ? new Error(`${url.host} did not answer within ${timeoutMs / 1_000} s`) : error;
    });
    return new Response(await textOf(answer, url.host), { status: answer.status, headers: answer.headers });
  };
}

/** @param isUnknown for a name without an address */
async function isPublicHost(hostname: string, isUnknown: boolean): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) > 0) return isPublicAddress(host);
  try {
    const addresses = await lookup(host, { all: true });
    return addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address));
  } catch {
    return isUnknown;
  }
}

async function textOf(answer: Response, host: string): Promise<string | null> {
  if (answer.status === 204 || answer.body === null) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: ReadableStream<Uint8Array> = answer.body;
  for await (const chunk of body.values()) {
    size += chunk.length;
    if (size > ANSWER_BYTES) throw new Error(`${host} sent more than ${ANSWER_BYTES / 1_024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
