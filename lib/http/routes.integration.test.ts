import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '#lib/testing/fake-host.ts';
import { API_QUERIES } from './api-schemas.ts';
import { OPERATIONS } from './operations.ts';
import { parseQuery } from './parse-fields.ts';
import { matchRoute, ROUTES } from './routes.ts';
import type { Route } from './routes.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Not there without accounts; with them every handler authorises: routes-by-role.integration.test.ts. */
const OF_ACCOUNTS = /^(session|profile|members|tokens|audit)\./;
const ACTIONS = /\/extensions\/:id\/(restart|disable|enable|rollback|pin|unpin)$/;

function handlerOf(path: string): string {
  const folder = path.replace(ACTIONS, '/extensions/:id/:action').replace(/:(\w+)/g, '[$1]');
  return readFileSync(join(ROOT, 'app', folder, 'route.ts'), 'utf8');
}

function concrete(route: Route): string {
  return route.path.replace(/:\w+/, 'tools%2Fone');
}

test.each(ROUTES)('$method $path is found, with its parameter decoded', (route) => {
  const match = matchRoute(route.method, concrete(route));
  expect(match).toEqual({ kind: 'route', route, parameter: route.path.includes(':') ? 'tools/one' : '' });
});

test.each(ROUTES.filter((route) => route.lane === 'next'))('$method $path has a handler of that method', (route) => {
  expect(handlerOf(route.path)).toMatch(new RegExp(`export (async )?function ${route.method}\\(`));
});

describe.each(ROUTES.filter((route) => route.access === 'admin'))('$method $path', (route) => {
  test('refuses whoever has no token or a wrong one, before it looks at the body', async () => {
    await using server = await startTestServer({ adminToken: 'right token' });
    const url = `http://127.0.0.1:${server.port}${concrete(route)}`;
    for (const token of [null, 'wrong token']) {
      const headers = { 'content-type': 'text/plain', ...(token === null ? {} : { 'x-admin-token': token }) };
      const answer = await fetch(url, { method: route.method, headers, ...(route.method === 'GET' ? {} : { body: 'not JSON' }) });
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ detail: 'invalid admin token', code: 'admin_token_invalid' });
    }
    expect(server.entered).toEqual([]);
    await fetch(url, { method: route.method, headers: { 'x-admin-token': 'right token' } });
    expect(server.entered).toHaveLength(1);
  });

  test('authorises in its handler as well', () => {
    expect(handlerOf(route.path)).toMatch(
      OF_ACCOUNTS.test(route.action) ? /respond(Accounts|Member|With)\(request,/ : /authorise\(request, host\)/,
    );
  });
});

describe.each(ROUTES.filter((route) => route.access === 'by request'))('$method $path', (route) => {
  test('counts wrong tokens, and leaves it to the handler whether one is needed', async () => {
    await using server = await startTestServer({ adminToken: 'right token' });
    const send = (headers: Readonly<Record<string, string>>): Promise<Response> =>
      fetch(`http://127.0.0.1:${server.port}${concrete(route)}`, {
        method: route.method,
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      });
    expect((await send({ 'x-admin-token': 'wrong token' })).status).toBe(403);
    expect(server.entered).toEqual([]);
    await send({});
    await send({ 'x-admin-token': 'right token' });
    expect(server.entered).toHaveLength(2);
    expect(handlerOf(route.path)).toMatch(/authoriseIf\(.+, request, host\)/);
  });
});

test('what is open to everyone and writes only calls, probes, cancels, replays, reviews and sends', () => {
  const open = ROUTES.filter((route) => route.method !== 'GET' && route.access === 'open' && !OF_ACCOUNTS.test(route.action));
  const writes = open.map((route) => route.path.split('/').at(-1));
  expect(writes).toEqual([
    'call',
    'mcp',
    'mcp',
    'probe',
    'cancel',
    'replay',
    'run',
    ':id',
    'comments',
    'presence',
    'merge',
    'split',
    'send',
    'inject',
    'retry',
    'resend',
  ]);
});

describe('a query parameter that nobody reads', () => {
  const ofApi = ROUTES.filter((route) => route.path.startsWith('/api/v1/') && route.isOpenedFromElsewhere !== true);
  const queryOf = (route: Route) => OPERATIONS[`${route.method} ${route.path}`]?.query;

  test('is refused by name on every route of the API, those that read none included', async () => {
    await using server = await startTestServer();
    for (const route of ofApi.filter((one) => queryOf(one) === undefined)) {
      const answer = await fetch(`http://127.0.0.1:${server.port}${concrete(route)}?colour=red&colour_of=2`, { method: route.method });
      expect(await answer.json(), `${route.method} ${route.path}`).toMatchObject({
        status: 422,
        code: 'query_invalid',
        issues: [{ path: '/colour' }, { path: '/colour_of' }],
      });
    }
    expect(server.entered).toEqual([]);
    await fetch(`http://127.0.0.1:${server.port}/api/v1/extensions?`);
    expect(server.entered).toHaveLength(1);
  });

  test.each(ofApi.filter((route) => queryOf(route) !== undefined))('is refused by the schema of $method $path', (route) => {
    const name = queryOf(route);
    if (name === undefined) throw new Error('it has no query');
    const refused = parseQuery(API_QUERIES[name], new URLSearchParams('colour=red'));
    expect(refused).toMatchObject({ problem: { code: 'query_invalid', detail: expect.stringContaining('"colour" is not a field here') } });
    if (route.lane === 'next') expect(handlerOf(route.path)).toMatch(/parseQuery\(\w+Schema, /);
  });

  test('is left alone where another program chooses them: what a provider of identities sends back, probes and agents', async () => {
    await using server = await startTestServer();
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await fetch(`http://127.0.0.1:${server.port}${path}?verbose=1`)).status).toBe(200);
    await fetch(`http://127.0.0.1:${server.port}/api/v1/session/oidc/callback?code=1&state=2&iss=3`);
    expect(server.entered).toHaveLength(1);
  });
});

test('an id with a slash is understood as it is, too: by the API at once, by a page under its one address', async () => {
  await using server = await startTestServer();
  const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${server.port}${path}`, { redirect: 'manual' });
  await ask('/api/v1/extensions/tools/one/logs');
  expect(server.entered).toEqual(['/api/v1/extensions/tools%2Fone/logs']);
  const page = await ask('/extensions/tools/one?tab=source');
  expect([page.status, page.headers.get('location')]).toEqual([303, '/extensions/tools%2Fone?tab=source']);
});

test('an extension may be called reload', () => {
  expect(matchRoute('GET', '/api/v1/extensions/reload')).toMatchObject({ kind: 'route', parameter: 'reload' });
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
])('%s is unknown', (path) => {
  expect(matchRoute('GET', path).kind).toMatch(/unknown|method/);
});
