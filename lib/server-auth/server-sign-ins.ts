import { createHash, randomBytes } from 'node:crypto';
import { auth, discoverOAuthServerInfo, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import type { FetchLike, OAuthClientProvider, OAuthDiscoveryState, StoredOAuthClientInformation } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { ServerToken, TokenAsk } from '#lib/contract/server-sign-in.ts';
import type { Sealer } from '#lib/secrets/sealer.ts';
import type { ServerSignInRepository, ServerSignInRow } from '#lib/store/server-sign-in-repository.ts';
import { guardedFetch } from './guarded-fetch.ts';

/**
 * Sign-ins at MCP servers by the official client's OAuth. What can go wrong:
 * - tokens leak: they are sealed in the database, unsealed only here, and given only to the process of their own server;
 * - the confused deputy: a member's token is used only for calls of that member, and only the person who began a sign-in ends it;
 * - a token expires: it is renewed before; of several servers on one database one renews it, since a refresh token works once;
 * - the authorization server is slow, revoked the grant, or answers nonsense: the sign-in is needed again, with the reason;
 * - the server asks for more (`insufficient_scope`): the next sign-in asks for that too.
 */
export interface ServerSignIns {
  /** The address for the person's browser. */
  begin(at: SignInPlace, by: { readonly id: string; readonly name: string | null }, callback: string): Promise<Result<string>>;
  /** The redirect of the authorization server. `person` is the id of who opened it. */
  finish(parameters: URLSearchParams, person: string): Promise<Result<{ readonly server: string }>>;
  token(at: SignInPlace, ask: TokenAsk): Promise<ServerToken>;
  look(server: string, member: string): Promise<SignInState | null>;
  /** Revokes its tokens and forgets it. False: there was none. */
  remove(server: string, member: string): Promise<boolean>;
  /** All of a server that is gone. */
  removeServer(server: string): Promise<void>;
}

export interface SignInPlace {
  readonly server: string;
  readonly url: string;
  readonly member: string;
}

export interface SignInState {
  readonly isConnected: boolean;
  readonly missingScope: string | null;
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

/** Sealed as JSON. Custom parts are the official client's own, stored as it gave them. */
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
  /** Who is signing in. */
  by: z.string().nullable().default(null),
  begunBy: z.string().default(''),
  begunAt: z.number().default(0),
  missingScope: z.string().nullable().default(null),
});
type Held = z.infer<typeof heldSchema>;

const RENEW_BEFORE_MS = 60_000;
const CLAIM_MS = 30_000;
const CLAIM_LOOK_MS = 250;
const BEGUN_MS = 600_000;
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
    clientMetadata: {
      client_name: 'Switchboard',
      redirect_uris: [held.callback ?? ''],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    state: () => state,
    clientInformation: () => held.client,
    saveClientInformation(client) {
      held.client = client;
    },
    tokens: () => held.tokens,
    saveTokens(tokens) {
      // A server may keep the refresh token and not repeat it.
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

  /** A new token by the refresh token; null: the person has to sign in again. */
  const renew = async ({ server, url, member }: SignInPlace, row: ServerSignInRow, held: Held): Promise<string | null> => {
    const fetchFn = await guardedFetch(url, timeoutMs);
    let isRefused = false;
    const provider = providerOf(held, '', () => {
      isRefused = true;
    });
    await auth(provider, { serverUrl: url, fetchFn });
    // A refused refresh token is of no use any more; the client stays.
    if (isRefused) delete held.tokens;
    await put(server, member, held, row);
    return isRefused ? null : (held.tokens?.access_token ?? null);
  };

  /** Waits for another server that renews it. */
  const renewAlone = async (at: SignInPlace, refused: string | null): Promise<ServerToken> => {
    const { server, member } = at;
    const until = now() + CLAIM_MS;
    while (!(await repository.claim(server, member, now(), now() + CLAIM_MS))) {
      if (now() > until) return none('The sign-in at the server is being renewed. Try again.');
      await new Promise((resolve) => setTimeout(resolve, CLAIM_LOOK_MS));
    }
    try {
      const row = await repository.get(server, member);
      const held = open(row);
      if (row === null || held?.tokens === undefined) return none(NOT_SIGNED_IN);
      if (isFresh(held, now()) && held.tokens.access_token !== refused) return some(held.tokens.access_token, row);
      if (held.tokens.refresh_token === undefined) {
        delete held.tokens;
        await put(server, member, held, row);
        return none(`The sign-in at the server has expired. ${NOT_SIGNED_IN}`);
      }
      const token = await renew(at, row, held);
      return token === null ? none(`The server no longer accepts the sign-in. ${NOT_SIGNED_IN}`) : some(token, row);
    } catch (error) {
      log('warn', 'The sign-in at an MCP server could not be renewed', { extension: server, error: reasonOf(error) });
      return none(`The sign-in at the server could not be renewed: ${reasonOf(error)}`);
    } finally {
      await repository.release(server, member);
    }
  };

  const renewOnce = (at: SignInPlace, refused: string | null): Promise<ServerToken> => {
    const key = `${at.server}\n${at.member}`;
    const known = renewing.get(key);
    if (known !== undefined) return known;
    const made = renewAlone(at, refused).finally(() => renewing.delete(key));
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
      const isSame = known?.url === url && known.callback === callback;
      const held: Held = {
        ...(isSame ? known : { url, expiresAt: null, missingScope: null }),
        callback,
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
        return refuse('state_conflict', `The sign-in at the server could not begin: ${reasonOf(error)}`);
      }
      const address = addressOf(opened);
      if (address === null)
        return refuse('state_conflict', 'The sign-in at the server could not begin: it gave no address for the browser.');
      await put(server, member, held, row, { state: hashOf(state) });
      return ok(address);
    },

    async finish(parameters, person) {
      const row = await repository.byState(hashOf(parameters.get('state') ?? ''));
      const held = open(row);
      if (row === null || held === null || now() - held.begunAt > BEGUN_MS)
        return refuse('request_malformed', 'This sign-in is over, or was not begun here. Press Connect again.');
      // Only the person who began a sign-in ends it: the link of another person would connect their account to this one.
      if (held.begunBy !== person) return refuse('not_allowed', 'Another person began this sign-in. Press Connect yourself.');
      const code = parameters.get('code');
      const iss = parameters.get('iss');
      if (code === null) {
        await put(row.server, row.member, held, row, { state: null });
        const why = parameters.get('error_description') ?? parameters.get('error') ?? 'it sent no code';
        return refuse('state_conflict', `The server refused the sign-in: ${why.slice(0, 300)}`);
      }
      try {
        const fetchFn = await guardedFetch(held.url, timeoutMs);
        const provider = providerOf(held, '', () => undefined);
        await auth(provider, { serverUrl: held.url, authorizationCode: code, fetchFn, ...(iss === null ? {} : { iss }) });
      } catch (error) {
        await put(row.server, row.member, held, row, { state: null });
        return refuse('state_conflict', `The sign-in at the server failed: ${reasonOf(error)}`);
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
      if (row === null || held?.tokens === undefined) return none(NOT_SIGNED_IN);
      // A changed address is another server.
      if (held.url !== at.url) return none(`The address of the server has changed. ${NOT_SIGNED_IN}`);
      if (scope !== null) {
        await put(at.server, member, { ...held, missingScope: scope }, row);
        return none(`The server asks for more permissions (${scope}): press Connect on the page of the extension again.`);
      }
      if (isFresh(held, now()) && held.tokens.access_token !== refused) return some(held.tokens.access_token, row);
      return renewOnce({ ...at, member }, refused);
    },

    async look(server, member) {
      const row = await repository.get(server, member);
      const held = open(row);
      if (row === null || held === null) return null;
      return { isConnected: held.tokens !== undefined, missingScope: held.missingScope, by: row.connectedBy, since: row.connectedAt };
    },

    remove,

    async removeServer(server) {
      for (const row of await repository.ofServer(server)) await remove(server, row.member);
    },
  };
}

/** Where the server says its metadata are, and the scopes it asks for. */
async function challengeOf(url: string, fetchFn: FetchLike): Promise<ReturnType<typeof extractWWWAuthenticateParams>> {
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    return extractWWWAuthenticateParams(await fetchFn(url, { method: 'POST', headers, body: PING }));
  } catch {
    // The usual addresses are tried.
    return {};
  }
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

function some(token: string, { connectedAt }: ServerSignInRow): ServerToken {
  return { token, since: connectedAt, why: null };
}

function none(why: string): ServerToken {
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

/** RFC 7009, where the authorization server has it. */
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
