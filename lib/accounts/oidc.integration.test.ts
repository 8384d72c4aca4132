import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LivingHost, startHost } from '#lib/testing/living-host.ts';
import { type ServedHost, serveHost } from '#lib/testing/serve-host.ts';
import { cookieOf, founder, invited, TEAM, type Teammate } from '#lib/testing/team.ts';
import { FROM_ANOTHER_SITE, visit } from '#lib/testing/visit.ts';

let provider: OidcProvider;
let living: LivingHost;
let served: ServedHost;
let admin: Teammate;

beforeAll(async () => {
  provider = await startOidcProvider('RS256');
  const { issuer, clientId, clientSecret } = provider;
  const oidc = { issuer, clientId, clientSecret, name: 'Example ID', role: null };
  living = await startHost({}, { team: { ...TEAM, oidc }, trustedProxies: ['127.0.0.1'] });
  served = await serveHost(living.host);
  admin = await founder(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
  await provider.close();
});
beforeEach(() => {
  provider.fault = 'none';
  provider.person = { sub: 'person-1', email: admin.email, emailVerified: true, name: 'As the provider says' };
});

let visitors = 0;

interface Begun {
  readonly url: string;
  readonly cookie: string;
}

async function begin(to?: string, url = served.url): Promise<Begun> {
  visitors += 1;
  const answer = await visit(`${url}/api/v1/session/oidc`, {
    method: 'POST',
    body: to === undefined ? {} : { to },
    from: `10.0.0.${visitors}`,
  });
  expect(answer.status).toBe(200);
  return { url: String(answer.json['url']), cookie: cookieOf(answer.setCookies) };
}

/** The URL to which the provider redirects the browser. */
async function atProvider(url: string): Promise<string> {
  return (await visit(url)).location ?? '';
}

async function comeBack(callback: string, cookie: string): Promise<{ readonly to: string | null; readonly cookie: string | null }> {
  const answer = await visit(callback, { cookie, headers: FROM_ANOTHER_SITE });
  expect(answer.status).toBe(303);
  const session = answer.setCookies.filter((one) => one.startsWith('__Host-switchboard='));
  expect(answer.setCookies.every((one) => /^__Host-switchboard(\.state)?=/.test(one))).toBe(true);
  return { to: answer.location, cookie: session.length === 0 ? null : cookieOf(session) };
}

async function signIn(to?: string) {
  const { url, cookie } = await begin(to);
  return await comeBack(await atProvider(url), cookie);
}

async function personOf(cookie: string | null) {
  return (await visit(`${served.url}/api/v1/session`, { cookie: cookie ?? '' })).json['person'];
}

test('signs a member in by a verified address, and opens the requested page', async () => {
  const { to, cookie } = await signIn('/calls?status=failed#last');
  expect(to).toBe('/calls?status=failed#last');
  expect(await personOf(cookie)).toMatchObject({ id: admin.id, name: admin.name, role: 'admin' });
  admin = { ...admin, cookie: cookie ?? '' };
});

test('gives an account to the verified owner of its address, and ends the sessions and the password of the previous user', async () => {
  const squatter = await invited(living.host, admin, 'operator', 'Squatting Person');
  provider.person = { sub: 'person-6', email: squatter.email, emailVerified: true, name: 'The Owner' };
  const owner = await signIn();
  expect(await personOf(owner.cookie)).toMatchObject({ id: squatter.id, role: 'operator' });
  expect(await personOf(squatter.cookie)).toBeNull();
  const { email, password } = squatter;
  const again = await visit(`${served.url}/api/v1/session`, { method: 'POST', body: { email, password }, from: '10.2.0.1' });
  expect(again.json).toMatchObject({ code: 'sign_in_failed' });
  // The next sign-in works as usual.
  expect(await personOf((await signIn()).cookie)).toMatchObject({ id: squatter.id });
  expect(await personOf(owner.cookie)).toMatchObject({ id: squatter.id });
});

test('sends state, nonce and a PKCE challenge to the provider, and the verifier later', async () => {
  await signIn();
  const asked = provider.asked.at(-1);
  expect(Object.fromEntries(asked ?? [])).toMatchObject({
    response_type: 'code',
    client_id: 'switchboard',
    scope: 'openid email profile',
    redirect_uri: `${served.url}/api/v1/session/oidc/callback`,
    code_challenge_method: 'S256',
  });
  for (const name of ['state', 'nonce', 'code_challenge']) expect(asked?.get(name)).toMatch(/^[\w-]{32,}$/);
  expect(provider.proven.at(-1)).toBe(true);
});

test('stores no token of the provider', async () => {
  await signIn();
  const rows = await living.rows("select access_token, refresh_token, id_token, scope from member_credentials where provider_id = 'oidc'");
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.flatMap((row) => Object.values(row)).filter((value) => value !== null)).toEqual([]);
});

test.each(['https://evil.example/x', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/sign-in?to=/calls'])(
  'redirects to the overview and not to %s',
  async (to) => {
    expect((await signIn(to)).to).toBe('/');
  },
);

describe('refuses', () => {
  const faults: readonly (readonly [OidcFault, string])[] = [
    ['audience', 'oidc_failed'],
    ['issuer', 'oidc_failed'],
    ['signature', 'oidc_failed'],
    ['unsigned', 'oidc_failed'],
    ['nonce', 'oidc_failed'],
    ['expired', 'oidc_failed'],
    ['denied', 'oidc_refused'],
  ];
  test.each(faults)('an answer of the provider with a wrong %s', async (fault, problem) => {
    provider.fault = fault;
    expect(await signIn()).toEqual({ to: `/sign-in?problem=${problem}`, cookie: null });
  });

  test('an answer without an identity token', async () => {
    provider.fault = 'no_token';
    provider.person = { ...provider.person, sub: 'somebody else' };
    expect(await signIn()).toEqual({ to: '/sign-in?problem=oidc_failed', cookie: null });
  });

  test('an address that the provider has not verified', async () => {
    provider.person = { ...provider.person, sub: 'person-2', emailVerified: false };
    expect(await signIn()).toEqual({ to: '/sign-in?problem=oidc_unverified_email', cookie: null });
  });

  test('a person without an invitation', async () => {
    provider.person = { sub: 'person-3', email: 'nobody@example.com', emailVerified: true, name: 'Nobody' };
    expect(await signIn()).toEqual({ to: '/sign-in?problem=oidc_unknown_person', cookie: null });
    expect(await living.host.accounts?.memberOf('')).toBeNull();
  });

  test('a used state, also from the same browser', async () => {
    const { url, cookie } = await begin();
    const callback = await atProvider(url);
    expect((await comeBack(callback, cookie)).cookie).not.toBeNull();
    expect(await comeBack(callback, cookie)).toEqual({ to: '/sign-in?problem=oidc_expired', cookie: null });
  });

  test('a state of another browser, so that nobody is signed in as somebody else', async () => {
    const { url } = await begin();
    const other = await begin();
    expect(await comeBack(await atProvider(url), other.cookie)).toEqual({ to: '/sign-in?problem=oidc_expired', cookie: null });
    expect(await comeBack(await atProvider(url), '')).toEqual({ to: '/sign-in?problem=oidc_expired', cookie: null });
  });

  test('an unknown state, and a missing one', async () => {
    const { url, cookie } = await begin();
    const forged = new URL(await atProvider(url));
    forged.searchParams.set('state', 'x'.repeat(32));
    expect(await comeBack(forged.href, cookie)).toEqual({ to: '/sign-in?problem=oidc_expired', cookie: null });
    forged.searchParams.delete('state');
    expect(await comeBack(forged.href, cookie)).toEqual({ to: '/sign-in?problem=oidc_expired', cookie: null });
  });

  test('an inactive member', async () => {
    const member = await invited(living.host, admin, 'viewer', 'Gone Again');
    provider.person = { sub: 'person-4', email: member.email, emailVerified: true, name: 'Gone' };
    expect((await signIn()).cookie).not.toBeNull();
    await visit(`${served.url}/api/v1/members/${member.id}`, { method: 'PATCH', cookie: admin.cookie, body: { active: false } });
    expect(await signIn()).toEqual({ to: '/sign-in?problem=oidc_inactive', cookie: null });
  });
});

test('creates a member for an invited address, once, with the invited role and a unique name', async () => {
  const invite = { email: 'Mia@Example.com', role: 'operator' };
  const made = await visit(`${served.url}/api/v1/invitations`, { method: 'POST', cookie: admin.cookie, body: invite });
  expect(made.status).toBe(200);
  provider.person = { sub: 'person-5', email: 'mia@example.com', emailVerified: true, name: ` ${admin.name.toUpperCase()}\u202e ` };
  const { cookie } = await signIn();
  expect(await personOf(cookie)).toMatchObject({ email: 'mia@example.com', name: 'ADA ADMIN (2)', role: 'operator' });
  const open = await visit(`${served.url}/api/v1/invitations`, { cookie: admin.cookie });
  expect(open.json).toEqual({ invitations: [] });
  const members = await visit(`${served.url}/api/v1/members`, { cookie: admin.cookie });
  expect(members.json['members']).toContainEqual(expect.objectContaining({ email: 'mia@example.com', sign_in: 'oidc', active: true }));
  const weak = await visit(`${served.url}/api/v1/profile/password`, {
    method: 'POST',
    cookie: cookie ?? '',
    body: { current: 'none', next: 'a fine and long one' },
    from: '10.1.0.1',
  });
  expect([weak.status, weak.json['code']]).toEqual([409, 'state_conflict']);
});

test('the callback accepts a navigation from the provider, and nothing else from another site', async () => {
  const { url, cookie } = await begin();
  const headers = { ...FROM_ANOTHER_SITE, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
  expect((await visit(await atProvider(url), { cookie, headers })).status).toBe(403);
});

test('reports an unreachable provider, and still accepts passwords', async () => {
  const { issuer, clientId, clientSecret } = provider;
  const oidc = { issuer: `${issuer}/gone`, clientId, clientSecret, name: 'Gone ID', role: null };
  const other = await startHost({}, { team: { ...TEAM, oidc }, trustedProxies: ['127.0.0.1'] });
  const others = await serveHost(other.host);
  const member = await founder(other.host);
  const begun = await visit(`${others.url}/api/v1/session/oidc`, { method: 'POST', body: {} });
  expect([begun.status, begun.json['detail']]).toEqual([409, 'Gone ID cannot be reached. Try again, or sign in with a password.']);
  const { email, password } = member;
  expect((await visit(`${others.url}/api/v1/session`, { method: 'POST', body: { email, password } })).status).toBe(200);
  await others.close();
  await other.remove();
});

test('creates unknown people with the configured role, also with keys of another type', async () => {
  const another = await startOidcProvider('ES256');
  const { issuer, clientId, clientSecret } = another;
  const oidc = { issuer, clientId, clientSecret, name: 'Another ID', role: 'viewer' } as const;
  const other = await startHost({}, { team: { ...TEAM, oidc }, trustedProxies: ['127.0.0.1'] });
  const others = await serveHost(other.host);
  const come = async () => {
    const { url, cookie } = await begin(undefined, others.url);
    return await comeBack(await atProvider(url), cookie);
  };
  // The first member uses the link of the server and is its admin.
  expect(await come()).toEqual({ to: '/sign-in?problem=oidc_unknown_person', cookie: null });
  await founder(other.host);
  const { cookie } = await come();
  const { json } = await visit(`${others.url}/api/v1/session`, { cookie: cookie ?? '' });
  expect(json['person']).toMatchObject({ name: 'Mia Meyer', email: 'mia@example.com', role: 'viewer' });
  await others.close();
  await other.remove();
  await another.close();
});

/** An OpenID Connect provider with one signed-in person. Tests set wrong answers before a request. */
interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The signed-in person. */
  person: OidcPerson;
  /** The error in the next identity token. */
  fault: OidcFault;
  /** Parameters of each authorization request. */
  readonly asked: URLSearchParams[];
  /** For each code exchange: whether the PKCE verifier matched the challenge. */
  readonly proven: boolean[];
  close(): Promise<void>;
}

interface OidcPerson {
  readonly sub: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
}

type OidcFault = 'none' | 'audience' | 'issuer' | 'signature' | 'unsigned' | 'nonce' | 'expired' | 'denied' | 'no_token';

interface PendingCode {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly nonce: string | null;
}

const KEY_ID = 'key-1';

async function startOidcProvider(algorithm: 'RS256' | 'ES256' = 'RS256'): Promise<OidcProvider> {
  const makeKeys = () =>
    algorithm === 'RS256' ? generateKeyPairSync('rsa', { modulusLength: 2_048 }) : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [keys, otherKeys] = [makeKeys(), makeKeys()];
  const codes = new Map<string, PendingCode>();
  let issuer = '';

  const provider = {
    clientId: 'switchboard',
    clientSecret: 'a secret of the provider and this client',
    person: { sub: 'person-1', email: 'mia@example.com', emailVerified: true, name: 'Mia Meyer' },
    fault: 'none',
    asked: [],
    proven: [],
  } satisfies Omit<OidcProvider, 'issuer' | 'close'>;
  const state: Omit<OidcProvider, 'issuer' | 'close'> = provider;

  const idToken = (nonce: string | null): string => {
    const seconds = Math.floor(Date.now() / 1_000);
    const { sub, email, emailVerified, name } = state.person;
    const claims = {
      iss: state.fault === 'issuer' ? 'https://other.example.com' : issuer,
      aud: state.fault === 'audience' ? 'another-client' : state.clientId,
      sub,
      email,
      email_verified: emailVerified,
      name,
      iat: seconds - (state.fault === 'expired' ? 7_200 : 0),
      exp: seconds + (state.fault === 'expired' ? -3_600 : 300),
      ...(nonce === null ? {} : { nonce: state.fault === 'nonce' ? 'that-of-somebody-else' : nonce }),
    };
    if (state.fault === 'unsigned') return `${part({ alg: 'none' })}.${part(claims)}.`;
    const signed = `${part({ alg: algorithm, kid: KEY_ID, typ: 'JWT' })}.${part(claims)}`;
    return `${signed}.${signature(signed, state.fault === 'signature' ? otherKeys.privateKey : keys.privateKey)}`;
  };

  const answers: Readonly<Record<string, (url: URL, request: IncomingMessage, response: ServerResponse) => Promise<void> | void>> = {
    '/.well-known/openid-configuration': (_url, _request, response) =>
      json(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [algorithm],
      }),
    '/jwks': (_url, _request, response) =>
      json(response, { keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: algorithm, use: 'sig' }] }),
    '/authorize': ({ searchParams }, _request, response) => {
      state.asked.push(searchParams);
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      if (state.fault === 'denied') {
        back.searchParams.set('error', 'access_denied');
        back.searchParams.set('error_description', 'The person said no.');
      } else {
        const code = randomUUID();
        codes.set(code, {
          challenge: searchParams.get('code_challenge') ?? '',
          redirectUri: searchParams.get('redirect_uri') ?? '',
          nonce: searchParams.get('nonce'),
        });
        back.searchParams.set('code', code);
      }
      response.writeHead(302, { location: back.href }).end();
    },
    '/token': async (_url, request, response) => {
      const body = new URLSearchParams(await text(request));
      const promised = codes.get(body.get('code') ?? '');
      codes.delete(body.get('code') ?? '');
      const basic = `Basic ${Buffer.from(`${state.clientId}:${state.clientSecret}`).toString('base64')}`;
      const isClient = body.get('client_secret') === state.clientSecret || request.headers.authorization === basic;
      const verifier = createHash('sha256')
        .update(body.get('code_verifier') ?? '')
        .digest('base64url');
      state.proven.push(verifier === promised?.challenge);
      if (promised === undefined || !isClient || verifier !== promised.challenge || body.get('redirect_uri') !== promised.redirectUri)
        return json(response, { error: 'invalid_grant' }, 400);
      const tokens = { access_token: randomUUID(), token_type: 'Bearer', expires_in: 300 };
      return json(response, state.fault === 'no_token' ? tokens : { ...tokens, id_token: idToken(promised.nonce) });
    },
    '/userinfo': (_url, _request, response) => {
      const { sub, email, emailVerified, name } = state.person;
      json(response, { sub, email, email_verified: emailVerified, name });
    },
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    const answer = answers[url.pathname];
    if (answer === undefined) return void response.writeHead(404).end();
    Promise.resolve(answer(url, request, response)).catch(() => response.writeHead(500).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  issuer = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;

  return Object.assign(state, {
    issuer,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function signature(signed: string, key: KeyObject): string {
  return sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
