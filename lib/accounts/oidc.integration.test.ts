import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { startOidcProvider } from '#lib/testing/oidc-provider.ts';
import type { OidcFault, OidcProvider } from '#lib/testing/oidc-provider.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';
import { cookieOf, founder, invited, TEAM } from '#lib/testing/team.ts';
import type { Teammate } from '#lib/testing/team.ts';
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
