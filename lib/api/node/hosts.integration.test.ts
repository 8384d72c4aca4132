import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROBLEMS } from '#lib/contract/problems.ts';
import { startTestServer, type TestServer } from '#lib/testing/fake-host.ts';
import { problemCode, type RawAnswer, rawRequest, requestText, sendRaw } from '#lib/testing/raw-request.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    allowedHosts: ['status.example.com', 'other.example.com:8443'],
    allowedOrigins: ['https://status.example.com'],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const HEALTH = '/healthz';
const CALL = '/api/v1/tools/echo/call';
type Request = Parameters<typeof sendRaw> extends [number, ...infer Rest] ? Rest : never;

const send = (...request: Request): Promise<RawAnswer> => sendRaw(server.port, ...request);

describe('the host of a request', () => {
  test.each([
    'evil.example',
    'evil.example:3000',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil-localhost',
    'localhost.',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    '127.0.0.1@evil.example',
    'evil.example#127.0.0.1',
    '127.0.0.1:3000:3000',
    '127.0.0.1, evil.example',
    'localhost:99999',
    'other.example.com:1',
  ])('refuses the host %s before anything runs, health included', async (host) => {
    for (const target of [HEALTH, '/api/v1/events', '/mcp', '/', '/api/v1/tools']) {
      const answer = await send('GET', target, { host });
      expect(answer.status).toBe(421);
      expect(problemCode(answer)).toBe('host_refused');
    }
    expect(server.entered).toEqual([]);
  });

  test('refuses a request with no host, an empty one, and two', async () => {
    expect((await rawRequest(server.port, requestText('GET', HEALTH, []))).status).toBe(421);
    expect((await rawRequest(server.port, requestText('GET', HEALTH, ['host:']))).status).toBe(421);
    expect((await rawRequest(server.port, requestText('GET', HEALTH, ['host: localhost', 'Host: localhost']))).status).toBe(421);
    expect((await rawRequest(server.port, `GET ${HEALTH} HTTP/1.0\r\n\r\n`)).status).toBe(421);
  });

  test.each([
    'localhost',
    'LOCALHOST:3000',
    '127.0.0.1',
    '127.0.0.1:8080',
    '[::1]:3000',
    'status.example.com',
    'status.example.com:444',
    'other.example.com:8443',
  ])('answers for the host %s', async (host) => {
    expect((await send('GET', HEALTH, { host })).status).toBe(200);
  });
});

describe('the origin of a request', () => {
  test.each([
    'http://evil.example',
    'null',
    'http://127.0.0.1',
    'http://127.0.0.1:1',
    'https://127.0.0.1',
    'file://',
    'http://localhost',
    '',
  ])('refuses the origin "%s"', async (origin) => {
    for (const [method, target] of [
      ['POST', CALL],
      ['GET', '/api/v1/events'],
      ['POST', '/mcp'],
      ['GET', '/mcp'],
      ['DELETE', '/mcp'],
      ['GET', HEALTH],
      ['GET', '/'],
    ] as const) {
      const answer = await send(method, target, { origin });
      expect(answer.status).toBe(403);
      expect(problemCode(answer)).toBe('origin_refused');
    }
    expect(server.started).toEqual([]);
  });

  test('accepts its own origin and those of ALLOWED_ORIGINS', async () => {
    expect((await send('GET', HEALTH, { origin: `http://127.0.0.1:${server.port}` })).status).toBe(200);
    expect((await send('GET', HEALTH, { host: 'status.example.com', origin: 'https://status.example.com' })).status).toBe(200);
  });

  test.each(['cross-site', 'same-site'])(
    'refuses API requests from a page of another site (%s), but allows links to pages',
    async (site) => {
      const navigation = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
      expect((await send('GET', '/api/v1/tools', navigation)).status).toBe(403);
      expect((await send('GET', HEALTH, navigation)).status).toBe(403);
      expect((await send('GET', '/tools', navigation)).status).toBe(200);
      expect((await send('POST', '/tools', navigation)).status).toBe(403);
      expect((await send('GET', '/tools', { ...navigation, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
      expect(
        (await send('GET', '/_next/static/a.js', { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }))
          .status,
      ).toBe(403);
    },
  );

  test('never answers with CORS headers', async () => {
    for (const answer of [await send('OPTIONS', CALL, { 'access-control-request-method': 'POST' }), await send('GET', HEALTH)]) {
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('the form of a request', () => {
  test.each([
    'http://127.0.0.1/healthz',
    'http://evil.example/',
    '//evil.example/healthz',
    '*',
    '/_next/../api/v1/extensions',
    '/a/%2e%2E/api/v1/tools',
    '/./healthz',
    '/a\\b',
    '/a%5cb',
    '/%00',
  ])('refuses the target %s', async (target) => {
    const before = server.entered.length;
    expect((await send(target === '*' ? 'OPTIONS' : 'GET', target)).status).toBe(400);
    expect(server.entered).toHaveLength(before);
  });

  test.each([
    'x-middleware-subrequest',
    'X-Middleware-Rewrite',
    'x-invoke-path',
    'next-action',
    'Next-Resume',
    'x-matched-path',
    'x-nextjs-data',
    'x-http-method-override',
  ])('refuses the header %s', async (name) => {
    const answer = await send('GET', '/', { [name]: '1' });
    expect(answer.status).toBe(403);
    expect(problemCode(answer)).toBe('request_refused');
  });

  test('refuses upgrades and proxy requests', async () => {
    expect((await send('GET', '/', { connection: 'Upgrade', upgrade: 'websocket' })).status).toBe(403);
    expect((await send('GET', '/', { host: 'evil.example', connection: 'Upgrade', upgrade: 'websocket' })).status).toBe(421);
    expect((await send('CONNECT', 'evil.example:443')).status).toBe(403);
  });

  test('answers malformed requests with a problem', async () => {
    const answer = await rawRequest(server.port, 'NONSENSE\r\n\r\n');
    expect(answer.status).toBe(400);
    expect(problemCode(answer)).toBe('request_malformed');
  });

  test('distinguishes unknown paths from unsupported methods', async () => {
    expect(problemCode(await send('GET', '/api/v1/nothing'))).toBe('not_found');
    expect(problemCode(await send('GET', '/api'))).toBe('not_found');
    expect(problemCode(await send('GET', '/mcp/x'))).toBe('toolset_not_found');
    const answer = await send('PUT', '/api/v1/tools');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(answer.body).toContain('PUT is not supported here; GET, HEAD are.');
    expect((await send('POST', '/tools')).status).toBe(405);
    expect(problemCode(await send('GET', '/api/v1/calls/%E0%A4%A'))).toBe('request_malformed');
    expect(problemCode(await send('GET', '/tools/%E0%A4%A'))).toBe('request_malformed');
  });

  test('gives a page a policy with a fresh nonce, the same to Next and to the browser, and no forwarding headers', async () => {
    const first = await send('GET', '/', { 'x-forwarded-host': 'evil.example', 'content-security-policy': "script-src 'nonce-mine'" });
    const seen = server.enteredHeaders.at(-1);
    const second = await send('GET', '/');
    const policy = first.headers.get('content-security-policy') ?? '';
    expect(seen).toMatchObject({ 'content-security-policy': policy });
    expect(seen).not.toHaveProperty('x-forwarded-host');
    expect(/script-src [^;]*/.exec(policy)?.[0]).not.toContain('unsafe-inline');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(second.headers.get('content-security-policy')).not.toBe(policy);
    expect(first.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('the page of problem types', () => {
  test('has no scripts and an anchor for every code', async () => {
    const page = await send('GET', '/docs/errors');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'nonce-/);
    expect(Object.keys(PROBLEMS).filter((known) => !page.body.includes(`<h3 id="${known}">`))).toEqual([]);
    expect(page.body).not.toMatch(/<script|href="(?!#)/);
    const refused: unknown = JSON.parse((await send('GET', '/api/v1/nothing')).body);
    expect(refused).toMatchObject({ type: '/docs/errors#not_found' });
    expect((await send('POST', '/docs/errors')).status).toBe(405);
  });
});
