import { describe, expect, test } from 'vitest';
import { startTestServer } from '#lib/testing/fake-host.ts';
import { parseQuery } from '../middleware/validation.ts';
import type { Route } from '../route.ts';
import { ROUTES } from '../routes.ts';

/** Unavailable without accounts: routes-by-role.integration.test.ts tests them. */
const OF_ACCOUNTS = /^(session|profile|members|tokens|audit)\./;

function concrete(route: Route): string {
  return route.path.replace(/:\w+/, 'tools%2Fone');
}

test('every route is among the supported methods of its address', async () => {
  await using server = await startTestServer();
  for (const route of ROUTES) {
    const answer = await fetch(`http://127.0.0.1:${server.port}${concrete(route)}`, { method: 'OPTIONS' });
    expect([answer.status, answer.headers.get('allow')?.split(', ')]).toEqual([405, expect.arrayContaining([route.method])]);
  }
});

describe.each(ROUTES.filter((route) => route.access === 'admin'))('$method $path', (route) => {
  test('refuses a missing and a wrong token before it reads the body', async () => {
    await using server = await startTestServer({ adminToken: 'right token' });
    const url = `http://127.0.0.1:${server.port}${concrete(route)}`;
    for (const token of [null, 'wrong token']) {
      const headers = { 'content-type': 'text/plain', ...(token === null ? {} : { 'x-admin-token': token }) };
      const answer = await fetch(url, { method: route.method, headers, ...(route.method === 'GET' ? {} : { body: 'not JSON' }) });
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ detail: 'invalid admin token', code: 'admin_token_invalid' });
    }
    const allowed = await fetch(url, { method: route.method, headers: { 'x-admin-token': 'right token' } });
    expect(allowed.status).not.toBe(403);
  });
});

describe.each(ROUTES.filter((route) => route.access === 'by request'))('$method $path', (route) => {
  test('counts wrong tokens, and requires a token depending on the body', async () => {
    await using server = await startTestServer({ adminToken: 'right token' });
    const send = (headers: Readonly<Record<string, string>>): Promise<Response> =>
      fetch(`http://127.0.0.1:${server.port}${concrete(route)}`, {
        method: route.method,
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      });
    expect((await send({ 'x-admin-token': 'wrong token' })).status).toBe(403);
    expect((await send({})).status).not.toBe(403);
    expect((await send({ 'x-admin-token': 'right token' })).status).not.toBe(403);
  });
});

test('writes without the admin token only call, probe, cancel, answer, replay, review, send and read from MCP servers', () => {
  const open = ROUTES.filter((route) => route.method !== 'GET' && route.access === 'open' && !OF_ACCOUNTS.test(route.action));
  expect(open.map((route) => route.path.split('/').at(-1) ?? '').toSorted()).toEqual([
    ':id',
    ':toolset',
    ':toolset',
    'answer',
    'call',
    'cancel',
    'comments',
    'complete',
    'consent',
    'get',
    'inject',
    'mcp',
    'mcp',
    'merge',
    'presence',
    'probe',
    'read',
    'replay',
    'resend',
    'retry',
    'run',
    'send',
    'split',
  ]);
});

describe('an unknown query parameter', () => {
  const ofApi = ROUTES.filter((route) => route.path.startsWith('/api/v1/') && route.openedFromElsewhere !== true);

  test('is refused by name on every API route, also on those without parameters', async () => {
    await using server = await startTestServer();
    for (const route of ofApi.filter(({ query }) => query === undefined)) {
      const answer = await fetch(`http://127.0.0.1:${server.port}${concrete(route)}?colour=red&colour_of=2`, { method: route.method });
      expect(await answer.json(), `${route.method} ${route.path}`).toMatchObject({
        status: 422,
        code: 'query_invalid',
        issues: [{ path: '/colour' }, { path: '/colour_of' }],
      });
    }
    expect((await fetch(`http://127.0.0.1:${server.port}/api/v1/extensions?`)).status).toBe(200);
  });

  // OAuth requires servers to ignore unknown parameters of an authorization request (RFC 6749, 3.1).
  const strict = ofApi.filter(({ query, path }) => query !== undefined && !path.startsWith('/api/v1/oauth/'));
  test.each(strict)('is refused by the schema of $method $path', ({ query }) => {
    if (query === undefined) throw new Error('it has no query');
    const refused = parseQuery(query, new URLSearchParams('colour=red'));
    expect(refused).toMatchObject({ problem: { code: 'query_invalid', detail: expect.stringContaining('"colour" is not a field here') } });
  });

  test('is ignored on routes for other programs: identity providers, probes and agents', async () => {
    await using server = await startTestServer();
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await fetch(`http://127.0.0.1:${server.port}${path}?verbose=1`)).status).toBe(200);
    const callback = await fetch(`http://127.0.0.1:${server.port}/api/v1/session/oidc/callback?code=1&state=2&iss=3`);
    expect(await callback.json()).toMatchObject({ detail: 'This server has no accounts. Set AUTH=team to enable them.' });
  });
});

test('an id with an unencoded slash is accepted by the API, and redirected by a page to its canonical address', async () => {
  await using server = await startTestServer();
  const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${server.port}${path}`, { redirect: 'manual' });
  expect(await (await ask('/api/v1/extensions/tools/one/logs')).json()).toMatchObject({ code: 'extension_not_found' });
  const page = await ask('/extensions/tools/one?tab=source');
  expect([page.status, page.headers.get('location')]).toEqual([303, '/extensions/tools%2Fone?tab=source']);
});

test('an extension can be named reload', async () => {
  await using server = await startTestServer();
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/extensions/reload`);
  expect(await answer.json()).toMatchObject({ code: 'extension_not_found' });
});

test.each([
  '/api',
  '/api/',
  '/api/v1',
  '/api/v1/tools/',
  '/api/v1/tools//call',
  '/api/v1/tools/a/b',
  '/api/v2/tools',
  '/healthz/',
  '/metrics/x',
])('%s is unknown', async (path) => {
  await using server = await startTestServer();
  expect([404, 405]).toContain((await fetch(`http://127.0.0.1:${server.port}${path}`)).status);
});
