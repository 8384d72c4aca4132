import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOCAL_PERSON } from '#lib/access/principal.ts';
import { ACTIONS } from '#lib/contract/actions.ts';
import { answerAs, currentHost } from '#lib/host/current-host.ts';
import { startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { answerInNext, serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';

/** A running host with an admin token behind the real server, without extensions: every id is unknown. */
const TOKEN = 'the token of this server';
let living: LivingHost;
let served: ServedHost;

beforeAll(async () => {
  living = await startHost({}, { adminToken: TOKEN });
  served = await serveHost(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
});

/** Unavailable without accounts: see below; routes-by-role.integration.test.ts tests them with accounts. */
const ofAccounts = ROUTES.filter(({ action }) => /^(session|profile|members|tokens|audit)\./.test(action));
const administrative = ROUTES.filter((route) => route.access === 'admin' && !ofAccounts.includes(route));
const others = ROUTES.filter((route) => route.access !== 'admin' && !ofAccounts.includes(route));

const isInNext = ({ path }: Route): boolean => path.startsWith('/api/v1/');

function addressOf({ path }: Route): string {
  return served.url + path.replace(/:\w+/, 'tools%2Fabsent');
}

function refusalOf({ action, path }: Route) {
  const subject = path.includes(':') ? ' (tools/absent)' : '';
  return {
    status: 403,
    code: 'admin_token_invalid',
    detail: 'invalid admin token',
    action,
    missing: `${ACTIONS[action]}${subject} needs the admin token of this server.`,
  };
}

/** A request as Next creates it, with the Host header of our server. */
function requestInNext(route: Route, init: RequestInit): Request {
  const headers = new Headers(init.headers);
  headers.set('host', new URL(served.url).host);
  return new Request(addressOf(route), { ...init, headers });
}

/** A body that every route refuses: a route that reads it before authorization returns another error. */
function wrongRequest({ method }: Route, more: Readonly<Record<string, string>> = {}): RequestInit {
  return { method, headers: { 'content-type': 'text/plain', ...more }, ...(method === 'GET' ? {} : { body: 'not JSON' }) };
}

test('gives a page the host only within a checked request', () => {
  expect(currentHost).toThrow('No server has checked this request');
  expect(answerAs(LOCAL_PERSON, currentHost)).toBe(living.host);
});

describe('without the admin token', () => {
  test.each(administrative)('$method $path is refused before its id and its body are read', async (route) => {
    const answer = await fetch(addressOf(route), wrongRequest(route));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'application/problem+json']);
    expect(await answer.json()).toMatchObject(refusalOf(route));
  });

  test.each(administrative.filter(isInNext))('$method $path is refused by Next too, without the server in front', async (route) => {
    const answer = await answerInNext(requestInNext(route, wrongRequest(route)));
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject(refusalOf(route));
  });

  test.each(others)('$method $path needs no permission', async (route) => {
    const over = new AbortController();
    const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const withBody = route.body !== undefined && route.method !== 'GET' ? { body: '{}' } : {};
    const answer = await fetch(addressOf(route), { method: route.method, headers: json, ...withBody, signal: over.signal });
    expect([401, 403, 405, 429, 500]).not.toContain(answer.status);
    over.abort();
  });

  test('a request to require a check is refused because of its body', async () => {
    const route = ROUTES.find(({ method, path }) => method === 'POST' && path.endsWith('/saved-calls'));
    const answer = await fetch(`${served.url}${route?.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"required": true}',
    });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({
      action: 'checks.require',
      missing: 'Changing required checks needs the admin token of this server.',
    });
  });
});

describe('with the admin token', () => {
  test.each(administrative)('$method $path returns the validation error of the request', async (route) => {
    const answer = await fetch(addressOf(route), wrongRequest(route, { 'x-admin-token': TOKEN }));
    expect([400, 415]).toContain(answer.status);
  });

  test.each(administrative.filter(isInNext))('$method $path is allowed by Next too', async (route) => {
    const answer = await answerInNext(requestInNext(route, { method: route.method, headers: { 'x-admin-token': TOKEN } }));
    expect([401, 403, 500]).not.toContain(answer.status);
  });
});

describe('without accounts', () => {
  /** Available without accounts too: our client metadata document, and the session of the local person. */
  const alsoAlone = new Set(['GET /api/v1/session', 'GET /oauth/client-metadata.json']);
  test.each(ofAccounts.filter(({ method, path }) => !alsoAlone.has(`${method} ${path}`)))('$method $path returns 404', async (route) => {
    const answer = await answerInNext(requestInNext(route, { method: route.method, headers: { 'x-admin-token': TOKEN } }));
    expect([answer.status, await answer.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'not_found', detail: 'This server has no accounts. Set AUTH=team to enable them.' }),
    ]);
  });

  test('GET /api/v1/session reports that there are no accounts', async () => {
    const answer = await fetch(`${served.url}/api/v1/session`);
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ mode: 'local', person: null })]);
  });
});

describe('in Next, without the server in front', () => {
  const save = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    answerInNext(
      new Request(`${served.url}/api/v1/saved-calls`, { method: 'POST', headers, body: JSON.stringify({ nope: 'x'.repeat(100_000) }) }),
    );

  test('a request body is read and validated', async () => {
    const answer = await save({ host: new URL(served.url).host, 'content-type': 'application/json' });
    expect([answer.status, await answer.json()]).toEqual([422, expect.objectContaining({ code: 'body_fields_invalid' })]);
  });

  test('a request for a foreign host is refused before its body is read', async () => {
    expect((await save({ host: 'evil.example', 'content-type': 'application/json' })).status).toBe(421);
  });
});
