import { expect, test } from '@playwright/test';
import { problemCode, sendRaw } from '#lib/testing/raw-request.ts';
import { startTestServer } from './harness/test-server.ts';
import type { TestServer } from './harness/test-server.ts';

/**
 * Requests that the production server must reject: bundle, API and Next. lib/api/node/hosts.integration.test.ts tests each
 * kind.
 */
const TOKEN = 'the token of this server';
const CALL = '/api/v1/tools/calculate_expression/call';
const RELOAD = '/api/v1/extensions/reload';
const JSON_TYPE = { 'content-type': 'application/json' };
const deep = (levels: number): string => `{"arguments":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;

const ATTACKS: readonly (readonly [string, number, string, string, Readonly<Record<string, string>>, string])[] = [
  ['a foreign Host header', 421, 'GET', '/', { host: 'evil.example' }, ''],
  ['a health check with a foreign Host header', 421, 'GET', '/healthz', { host: '127.0.0.1.evil.example' }, ''],
  ['a page of another site', 403, 'POST', CALL, { ...JSON_TYPE, origin: 'https://evil.example' }, '{}'],
  ['a page with the origin null', 403, 'POST', CALL, { ...JSON_TYPE, origin: 'null' }, '{}'],
  ['a page at another port', 403, 'POST', '/mcp', { ...JSON_TYPE, origin: 'http://127.0.0.1:1' }, '{}'],
  ['a form', 415, 'POST', CALL, { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b'],
  ['JSON with the type text/plain', 415, 'POST', CALL, { 'content-type': 'text/plain' }, '{}'],
  ['an internal framework header', 403, 'GET', '/', { 'x-middleware-subrequest': 'middleware' }, ''],
  ['a server action', 403, 'GET', '/', { 'next-action': 'abcdef' }, ''],
  ['a post to a page', 405, 'POST', '/tools', JSON_TYPE, '{}'],
  ['an absolute request target', 400, 'GET', 'http://127.0.0.1/healthz', {}, ''],
  ['encoded dot segments', 400, 'GET', '/_next/%2e%2e/api/v1/extensions', {}, ''],
  ['a reload without the token', 403, 'POST', RELOAD, {}, ''],
  ['a key __proto__', 400, 'POST', CALL, JSON_TYPE, '{"arguments":{"__proto__":{"x":1}}}'],
  ['a body with 65 levels', 400, 'POST', CALL, JSON_TYPE, deep(63)],
  ['a body with a too large Content-Length', 413, 'POST', CALL, { ...JSON_TYPE, 'content-length': '1048577' }, '{}'],
  ['a compressed body', 415, 'POST', CALL, { ...JSON_TYPE, 'content-encoding': 'gzip' }, '{}'],
];

let server: TestServer;
let port: number;
test.beforeAll(async () => {
  server = await startTestServer({ shipped: ['math'], fixtures: [], env: { EXTENSIONS_ADMIN_TOKEN: TOKEN } });
  port = Number(new URL(server.address).port);
});
test.afterAll(() => server.remove());

test('the production server rejects forbidden requests and runs none of them', async () => {
  for (const [what, status, method, target, headers, body] of ATTACKS) {
    const answer = await sendRaw(port, method, target, headers, body);
    expect([what, answer.status]).toEqual([what, status]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
  expect(await (await fetch(`${server.address}/api/v1/calls`)).json()).toMatchObject({ calls: [] });
});

test('a route without fields accepts an empty object and reports unknown fields', async () => {
  const { id } = await server.call('calculate_expression', { expression: '1 + 1' });
  for (const target of [`/api/v1/calls/${id}/cancel`, '/api/v1/extensions/math/restart']) {
    const send = (body: string | null) =>
      fetch(server.address + target, { method: 'POST', headers: { 'x-admin-token': TOKEN, ...(body === null ? {} : JSON_TYPE) }, body });
    expect((await send('{}')).status).toBe(200);
    expect((await send(null)).status).toBe(200);
    const refused = await send('{"x":1}');
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ code: 'body_fields_invalid', detail: '"x" is not a field here (none are accepted).' });
  }
});

test('after ten wrong tokens, even the right one is rejected with 429', async () => {
  for (let guess = 1; guess <= 10; guess += 1) {
    const answer = await sendRaw(port, 'POST', RELOAD, { 'x-admin-token': `guess ${guess}` });
    expect(JSON.parse(answer.body)).toMatchObject({ status: 403, detail: 'invalid admin token' });
  }
  const late = await sendRaw(port, 'POST', RELOAD, { 'x-admin-token': TOKEN });
  expect([late.status, problemCode(late), late.headers.has('retry-after')]).toEqual([429, 'too_many_attempts', true]);
});

test('every script has the nonce of its page load', async () => {
  const nonces = new Set<string>();
  for (const address of ['/', '/tools/calculate_expression', '/calls', '/channels', '/not-there']) {
    const first = await (await fetch(`${server.address}${address}`)).text();
    const answer = await fetch(`${server.address}${address}`);
    const text = await answer.text();
    const policy = answer.headers.get('content-security-policy') ?? '';
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? 'none';
    nonces.add(nonce);
    const scripts = [...text.matchAll(/<script\b([^>]*)>/g)].map(([, attributes = '']) => attributes);
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.filter((attributes) => !attributes.includes(`nonce="${nonce}"`))).toEqual([]);
    expect(first).not.toContain(nonce);
    expect(text).not.toMatch(/<[a-z][^>]*\son[a-z]+\s*=/i);
  }
  expect(nonces.size).toBe(5);
});
