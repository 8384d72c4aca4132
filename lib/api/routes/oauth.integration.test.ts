import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import { consentDecidedSchema, consentViewSchema, type TokenAnswer, tokenAnswerSchema } from '#lib/contract/oauth.ts';
import { type Token, tokenListSchema } from '#lib/contract/token.ts';
import { memoryProvider, pkce } from '#lib/testing/oauth-client.ts';
import { serveTeam, type TeamServer } from '#lib/testing/team-client.ts';
import { visit } from '#lib/testing/visit.ts';

const TOOL = `export const TOOL = { label: 'Add', name: 'add', description: 'Adds.', parameters: { a: { type: 'number' }, b: { type: 'number' } }, execute: ({ a, b }) => a + b };`;
const REDIRECT = 'http://127.0.0.1:40404/callback';
let server: TeamServer;
let shared: string;
beforeAll(async () => {
  server = await serveTeam({ 'add/extension.ts': TOOL });
  shared = await register();
});
afterAll(() => server.close());

const json = async (answer: Response): Promise<Record<string, unknown>> => Object(await answer.json());
const form = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(server.url + path, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });

async function register(metadata: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const answer = await server.ask('/oauth/register', { body: { client_name: 'Hand', redirect_uris: [REDIRECT], ...metadata } });
  return String((await json(answer))['client_id']);
}

interface Asked {
  readonly client_id: string;
  readonly verifier: string;
  readonly query: Readonly<Record<string, string>>;
}

async function request(more: Readonly<Record<string, string>> = {}, id?: string): Promise<Asked> {
  const { verifier, challenge } = pkce();
  const client_id = id ?? shared;
  const query = {
    client_id,
    redirect_uri: REDIRECT,
    response_type: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'xyz',
    resource: `${server.url}/mcp`,
    ...more,
  };
  return { client_id, verifier, query };
}

/** The person decides; resolves to the URL that their browser opens. */
async function decide(
  query: Readonly<Record<string, string>>,
  more: Readonly<Record<string, unknown>> = {},
  cookie = server.team.operator.cookie,
) {
  const answer = await server.ask('/api/v1/oauth/consent', { cookie, body: { request: query, allow: true, role: 'operator', ...more } });
  if (answer.status !== 200) throw new Error(JSON.stringify(await answer.json()));
  return new URL(consentDecidedSchema.parse(await answer.json()).redirect_to);
}

const exchange = (asked: Asked, code: string, more: Readonly<Record<string, string>> = {}): Promise<Response> =>
  form('/oauth/token', {
    grant_type: 'authorization_code',
    code,
    client_id: asked.client_id,
    redirect_uri: REDIRECT,
    code_verifier: asked.verifier,
    ...more,
  });

const codeOf = (to: URL): string => to.searchParams.get('code') ?? '';

async function signIn(more: Readonly<Record<string, unknown>> = {}, cookie?: string): Promise<TokenAnswer & { client_id: string }> {
  const asked = await request();
  const answer = await exchange(asked, codeOf(await decide(asked.query, more, cookie)));
  return { ...tokenAnswerSchema.parse(await answer.json()), client_id: asked.client_id };
}

const refresh = (client_id: string, refresh_token: string): Promise<Response> =>
  form('/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token });

const list = async (): Promise<readonly Token[]> =>
  tokenListSchema.parse(await (await server.ask('/api/v1/tokens', { cookie: server.team.admin.cookie })).json()).tokens;

describe('the official client', () => {
  const clients: Client[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });
  const connect = async (provider: ReturnType<typeof memoryProvider>): Promise<Client> => {
    const client = new Client({ name: 'official', version: '1' });
    clients.push(client);
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { authProvider: provider }));
    return client;
  };

  it('registers, signs a person in, calls, refreshes its token, and is revoked on the tokens page', async () => {
    const provider = memoryProvider();
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { authProvider: provider });
    await expect(new Client({ name: 'official', version: '1' }).connect(transport)).rejects.toThrow(UnauthorizedError);
    const [opened] = provider.opened;
    expect(opened?.origin).toBe(server.url);
    expect(opened?.searchParams.get('resource')).toBe(`${server.url}/mcp`);
    expect(opened?.searchParams.get('scope')).toContain('tools.call');

    // The browser opens the consent page first, then sends the decision.
    const begun = await server.ask(`${opened?.pathname}${opened?.search}`, { cookie: server.team.operator.cookie });
    expect([begun.status, begun.headers.get('location')]).toEqual([303, `/consent${opened?.search}`]);
    const search = opened?.search ?? '';
    const view = consentViewSchema.parse(
      await (await server.ask(`/api/v1/oauth/consent${search}`, { cookie: server.team.operator.cookie })).json(),
    );
    expect(view).toMatchObject({
      client: { name: 'Official client', host: null },
      redirect: '127.0.0.1:40404',
      is_on_this_computer: true,
      suggested: 'operator',
    });
    expect(view.roles.map(({ role }) => role)).toEqual(['viewer', 'operator']);
    const back = await decide(Object.fromEntries(opened?.searchParams ?? []));
    expect(back.searchParams.get('iss')).toBe(server.url);
    await transport.finishAuth(back.searchParams);

    const client = await connect(provider);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['add']);
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({ content: [{ text: '3' }] });

    // The access token is invalid, so the client refreshes it.
    const old = provider.current();
    provider.set({ ...(old ?? { access_token: '', token_type: 'Bearer' }), access_token: 'swo_expired' });
    expect(await (await connect(provider)).callTool({ name: 'add', arguments: { a: 2, b: 2 } })).toMatchObject({
      content: [{ text: '4' }],
    });
    expect(provider.current()?.access_token).not.toBe(old?.access_token);

    const shown = (await list()).find(({ name }) => name === 'Official client');
    expect(shown).toMatchObject({ state: 'active', role: 'operator', owner: { name: 'Otto Operator' }, client: { host: null } });
    expect((await server.ask(`/api/v1/tokens/${shown?.id}`, { method: 'DELETE', cookie: server.team.admin.cookie })).status).toBe(200);
    const token = provider.current()?.access_token ?? '';
    const refused = await server.rpc(token, 'tools/list');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
    // An entry is written after the response.
    await vi.waitFor(async () =>
      expect((await server.audited('action=clients')).map(({ action }) => action)).toEqual(
        expect.arrayContaining(['clients.registered', 'clients.allowed', 'clients.signed_in', 'clients.refreshed', 'clients.revoked']),
      ),
    );
    expect(JSON.stringify(await server.audited('action=clients'))).not.toMatch(/sw[cor]_/);
  });
});

describe('metadata', () => {
  it('is announced by the endpoint, and served at both addresses', async () => {
    const answer = await server.ask('/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    expect(answer.status).toBe(401);
    const challenge = answer.headers.get('www-authenticate') ?? '';
    expect(challenge).toMatch(/^Bearer resource_metadata="/);
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    expect(address).toBe(`${server.url}/.well-known/oauth-protected-resource/mcp`);
    for (const path of [address, `${server.url}/.well-known/oauth-protected-resource`])
      expect(await json(await fetch(path))).toMatchObject({ resource: `${server.url}/mcp`, authorization_servers: [server.url] });
    for (const path of ['', '/mcp'])
      expect(await json(await fetch(`${server.url}/.well-known/oauth-authorization-server${path}`))).toMatchObject({
        issuer: server.url,
        code_challenge_methods_supported: ['S256'],
        client_id_metadata_document_supported: true,
      });
    expect(await json(await fetch(`${server.url}/.well-known/oauth-protected-resource/mcp/mine`))).toMatchObject({
      resource: `${server.url}/mcp/mine`,
    });
  });
});

describe('a request', () => {
  const begin = (query: Readonly<Record<string, string>>, cookie?: string): Promise<Response> =>
    server.ask(`/oauth/authorize?${new URLSearchParams(query).toString()}`, cookie === undefined ? {} : { cookie });

  it.each([
    ['another host', 'https://evil.example/callback'],
    ['another path', 'http://127.0.0.1:40404/callback/more'],
    ['another scheme', 'javascript:alert(1)'],
    ['a host with the same beginning', 'http://127.0.0.1.evil.example/callback'],
    ['a user name', 'http://127.0.0.1:40404@evil.example/callback'],
  ])('to %s is refused without a redirect', async (_what, redirect_uri) => {
    const { query } = await request({ redirect_uri });
    const answer = await begin(query);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    const consent = await server.ask('/api/v1/oauth/consent', {
      cookie: server.team.operator.cookie,
      body: { request: query, allow: true, role: 'viewer' },
    });
    expect(consent.status).toBe(400);
  });

  it('to another port is allowed for a loopback address, and refused for other hosts', async () => {
    const { query } = await request({ redirect_uri: 'http://127.0.0.1:1/callback' });
    expect((await begin(query)).headers.get('location')).toMatch(/^\/consent\?/);
    const id = await register({ redirect_uris: ['https://app.example/callback'] });
    const other = await request({ redirect_uri: 'https://app.example:8443/callback' }, id);
    expect((await begin(other.query)).status).toBe(400);
  });

  it.each([
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    [{ scope: 'everything' }, 'invalid_scope'],
  ])('with %j returns to the client with %s', async (more, error) => {
    const { query } = await request(more);
    const to = new URL((await begin(query)).headers.get('location') ?? '');
    expect(to.origin + to.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(to.searchParams)).toMatchObject({ error, state: 'xyz', iss: server.url });
  });

  it('without PKCE returns to the client with an error', async () => {
    const { query } = await request();
    const { code_challenge: _challenge, code_challenge_method: _method, ...rest } = query;
    expect((await begin(rest)).headers.get('location')).toContain('error=invalid_request');
  });

  it('of an unknown client shows the reason on the consent page', async () => {
    const { query } = await request({}, 'dcr-nobody');
    expect(await json(await begin(query))).toMatchObject({ error: 'invalid_client' });
    const page = await server.ask(`/oauth/authorize?${new URLSearchParams(query).toString()}`, { headers: { accept: 'text/html' } });
    expect(page.headers.get('location')).toMatch(/^\/consent\?/);
    const view = await server.ask(`/api/v1/oauth/consent?${new URLSearchParams(query).toString()}`, {
      cookie: server.team.operator.cookie,
    });
    expect(await json(view)).toMatchObject({ code: 'request_malformed', detail: expect.stringContaining('not registered') });
  });

  it('can only be decided by a signed-in person on our own page', async () => {
    const { query } = await request();
    const body = { request: query, allow: true, role: 'operator' };
    const { cookie } = server.team.operator;
    expect((await server.ask('/api/v1/oauth/consent', { body })).status).toBe(401);
    const { token } = await server.makeToken();
    expect((await server.ask('/api/v1/oauth/consent', { token, body })).status).toBe(403);
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { 'content-type': 'text/plain' }])
      expect([403, 415]).toContain((await visit(`${server.url}/api/v1/oauth/consent`, { method: 'POST', cookie, body, headers })).status);
  });

  it('that is denied returns to the client', async () => {
    const { query } = await request();
    expect(Object.fromEntries((await decide(query, { allow: false })).searchParams)).toMatchObject({
      error: 'access_denied',
      state: 'xyz',
    });
  });

  it('never grants more than the role of the person, or more than the client requested', async () => {
    const { query } = await request();
    await expect(decide(query, { role: 'admin' })).rejects.toThrow('not_allowed');
    const asked = await request({ scope: 'mcp.connect tools.read members.manage' });
    const { scope } = tokenAnswerSchema.parse(await (await exchange(asked, codeOf(await decide(asked.query)))).json());
    expect(scope).toBe('mcp.connect tools.read');
  });
});

describe('a code', () => {
  it('works once; its second use revokes the tokens of the first', async () => {
    const asked = await request();
    const code = codeOf(await decide(asked.query));
    const first = tokenAnswerSchema.parse(await (await exchange(asked, code)).json());
    expect((await server.rpc(first.access_token, 'tools/list')).status).toBe(200);
    expect(await json(await exchange(asked, code))).toMatchObject({ error: 'invalid_grant' });
    expect((await server.rpc(first.access_token, 'tools/list')).status).toBe(401);
    expect(await json(await refresh(asked.client_id, first.refresh_token))).toMatchObject({ error: 'invalid_grant' });
    await vi.waitFor(async () => expect(await server.audited('action=clients.reused')).toMatchObject([{ outcome: 'refused' }]));
  });

  it('is refused for another client, without its verifier, for another address, and for another audience', async () => {
    const asked = await request();
    const code = codeOf(await decide(asked.query));
    const other = await register();
    for (const more of [
      { client_id: other },
      { code_verifier: pkce().verifier },
      { code_verifier: '' },
      { redirect_uri: 'http://127.0.0.1:1/callback' },
    ])
      expect([(await exchange(asked, code, more)).status, more]).toEqual([400, more]);
    expect(await json(await exchange(asked, code, { resource: `${server.url}/mcp/other` }))).toMatchObject({ error: 'invalid_target' });
    expect((await exchange(asked, code)).status).toBe(200);
  });
});

it('a request that repeats a field is refused as the RFC defines it', async () => {
  for (const path of ['/oauth/token', '/oauth/revoke']) {
    const body = new URLSearchParams([
      ['client_id', shared],
      ['client_id', shared],
    ]);
    const answer = await fetch(server.url + path, { method: 'POST', body });
    expect([answer.status, await json(answer)]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'The field "client_id" is given twice. Give it once.' },
    ]);
  }
});

it('a code needs no redirect_uri at the token endpoint, since PKCE binds it to its request', async () => {
  const asked = await request();
  const fields = { grant_type: 'authorization_code', code: codeOf(await decide(asked.query)), client_id: asked.client_id };
  expect((await form('/oauth/token', { ...fields, code_verifier: asked.verifier })).status).toBe(200);
});

describe('a refresh token', () => {
  it('is replaced with each use; the use of an old one revokes all', async () => {
    const { client_id, refresh_token } = await signIn();
    const second = tokenAnswerSchema.parse(await (await refresh(client_id, refresh_token)).json());
    expect(second.refresh_token).not.toBe(refresh_token);
    expect((await server.rpc(second.access_token, 'tools/list')).status).toBe(200);
    expect(await json(await refresh(client_id, refresh_token))).toMatchObject({ error: 'invalid_grant' });
    expect((await server.rpc(second.access_token, 'tools/list')).status).toBe(401);
    expect((await refresh(client_id, second.refresh_token)).status).toBe(400);
    await vi.waitFor(async () => expect(await server.audited('action=clients.reused')).toMatchObject([{ outcome: 'refused' }, {}]));
  });

  it('of another client is refused, and stays valid', async () => {
    const { client_id, refresh_token } = await signIn();
    expect((await refresh(await register(), refresh_token)).status).toBe(400);
    expect((await refresh(client_id, refresh_token)).status).toBe(200);
  });

  it('can be revoked by the client', async () => {
    const { client_id, refresh_token, access_token } = await signIn();
    expect((await form('/oauth/revoke', { client_id: 'dcr-other', token: refresh_token })).status).toBe(200);
    expect((await server.rpc(access_token, 'tools/list')).status).toBe(200);
    expect((await form('/oauth/revoke', { client_id, token: refresh_token })).status).toBe(200);
    expect((await server.rpc(access_token, 'tools/list')).status).toBe(401);
  });
});

describe('an access token', () => {
  it('is valid for its audience only', async () => {
    const { access_token: token } = await signIn();
    expect((await server.rpc(token, 'tools/list')).status).toBe(200);
    const elsewhere = await server.ask('/api/v1/tools', { token });
    expect(await json(elsewhere)).toMatchObject({ code: 'sign_in_needed', token: 'wrong_audience' });
    const otherName = await fetch(`${server.url.replace('127.0.0.1', 'localhost')}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(otherName.status).toBe(401);
  });

  it('has the scopes and tools that the person allowed', async () => {
    const asked = await request({ scope: 'mcp.connect tools.read' });
    const reading = tokenAnswerSchema.parse(await (await exchange(asked, codeOf(await decide(asked.query)))).json());
    const refused = await server.rpc(reading.access_token, 'tools/call', { name: 'add', arguments: { a: 1, b: 1 } });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toMatch(/error="insufficient_scope".*scope="[^"]*tools\.call/);
    const limited = await signIn({ tools: ['other'] });
    expect(await json(await server.rpc(limited.access_token, 'tools/list'))).toMatchObject({ result: { tools: [] } });
  });

  it('loses a role when its owner loses it', async () => {
    const { access_token: token } = await signIn({ role: 'author' }, server.team.author.cookie);
    const change = (role: string) =>
      server.ask(`/api/v1/members/${server.team.author.id}`, { method: 'PATCH', cookie: server.team.admin.cookie, body: { role } });
    const call = () => server.rpc(token, 'tools/call', { name: 'add', arguments: { a: 1, b: 1 } });
    expect((await call()).status).toBe(200);
    expect((await change('viewer')).status).toBe(200);
    expect((await call()).status).toBe(403);
    expect((await change('author')).status).toBe(200);
    expect((await call()).status).toBe(200);
  });
});

describe('registration', () => {
  it.each([
    [{}, 'invalid_redirect_uri'],
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['http://evil.example/callback'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://app.example/#x'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://app.example/'], grant_types: 'code' }, 'invalid_client_metadata'],
  ])('of %j is refused as %s', async (body, error) => {
    expect(await json(await server.ask('/oauth/register', { body }))).toMatchObject({ error });
  });

  it('creates public clients, regardless of the request', async () => {
    const answer = await server.ask('/oauth/register', {
      body: {
        redirect_uris: ['cursor://anysphere.cursor/callback'],
        token_endpoint_auth_method: 'client_secret_basic',
        client_name: `A\u202Eb${'c'.repeat(56)}😀`,
      },
    });
    expect(answer.status).toBe(201);
    expect(await json(answer)).toMatchObject({ token_endpoint_auth_method: 'none', client_name: `A b${'c'.repeat(56)}` });
  });

  it('is rate-limited per address, and removes unused clients', async () => {
    const flooded = await serveTeam({});
    try {
      const answers: Response[] = [];
      for (let made = 0; made <= LIMITS.oauthRegistrationsPerHour; made += 1)
        answers.push(await flooded.ask('/oauth/register', { body: { redirect_uris: [REDIRECT] } }));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(LIMITS.oauthRegistrationsPerHour);
      expect(answers.at(-1)?.status).toBe(429);
      const wait = Number(answers.at(-1)?.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(3_600);
    } finally {
      await flooded.close();
    }
  });
});

describe('the clients of a member', () => {
  const own = async (cookie: string): Promise<readonly Token[]> =>
    tokenListSchema.parse(await (await server.ask('/api/v1/profile/tokens', { cookie })).json()).tokens;
  const revoke = (id: string, cookie: string): Promise<Response> =>
    server.ask(`/api/v1/profile/tokens/${id}`, { method: 'DELETE', cookie });

  it('are listed for the member only, who can revoke them immediately', async () => {
    const { operator, viewer } = server.team;
    const { access_token: token } = await signIn();
    await signIn({ role: 'viewer' }, viewer.cookie);
    const [mine] = await own(operator.cookie);
    expect((await own(operator.cookie)).every(({ owner }) => owner.id === operator.id)).toBe(true);
    expect(await own(viewer.cookie)).toMatchObject([{ owner: { id: viewer.id }, client: { host: null } }]);
    const works = (): Promise<Response> => server.rpc(token, 'tools/list');
    expect((await works()).status).toBe(200);
    expect((await revoke(mine?.id ?? '', viewer.cookie)).status).toBe(404);
    expect((await works()).status).toBe(200);
    expect((await revoke(mine?.id ?? '', operator.cookie)).status).toBe(200);
    expect((await works()).status).toBe(401);
    await vi.waitFor(async () =>
      expect(await server.audited('action=clients.revoked')).toContainEqual(
        expect.objectContaining({ actor: expect.objectContaining({ name: operator.name }) }),
      ),
    );
  });

  it('cannot be revoked with a token', async () => {
    const { token } = await server.makeToken();
    expect((await server.ask('/api/v1/profile/tokens', { token })).status).toBe(403);
  });
});

describe('a toolset of some members', () => {
  it('is refused for others, also with their clients and tokens', async () => {
    const { operator, viewer, admin } = server.team;
    const put = (members: readonly string[] | null): Promise<Response> =>
      server.ask('/api/v1/toolsets/sums', { method: 'PUT', cookie: admin.cookie, body: { tools: [{ tool: 'add' }], members } });
    expect((await put([operator.id])).status).toBe(200);
    const clientOf = async (cookie: string): Promise<string> => {
      const asked = await request({ resource: `${server.url}/mcp/sums` });
      const answer = await exchange(asked, codeOf(await decide(asked.query, { role: 'viewer' }, cookie)));
      return tokenAnswerSchema.parse(await answer.json()).access_token;
    };
    const ask = (token: string): Promise<Response> =>
      server.ask('/mcp/sums', {
        token,
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        headers: { accept: 'application/json, text/event-stream' },
      });
    const theirs = await clientOf(admin.cookie);
    expect((await list())[0]).toMatchObject({ toolset: 'sums', client: { scopes: expect.anything() } });
    expect((await ask(await clientOf(operator.cookie))).status).toBe(200);
    for (const token of [theirs, await clientOf(viewer.cookie), (await server.makeToken()).token]) {
      const refused = await ask(token);
      expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'not_allowed' }]);
    }
    expect((await put(null)).status).toBe(200);
    expect((await ask(theirs)).status).toBe(200);
  });
});

it('publishes its metadata as a client of other authorization servers', async () => {
  const answer = await fetch(`${server.url}/oauth/client-metadata.json`);
  expect(answer.status).toBe(200);
  expect(await json(answer)).toMatchObject({
    client_id: `${server.url}/oauth/client-metadata.json`,
    redirect_uris: [`${server.url}/api/v1/servers/sign-in/callback`],
    token_endpoint_auth_method: 'none',
  });
});
