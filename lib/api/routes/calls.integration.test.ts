import { afterAll, beforeAll, expect, test } from 'vitest';
import { callSchema } from '#lib/contract/call.ts';
import { startTestServer, type TestServer } from '#lib/testing/fake-host.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

function call(body: string | null, headers: Record<string, string> = {}, tool = 'echo'): Promise<Response> {
  const url = `http://127.0.0.1:${server.port}/api/v1/tools/${encodeURIComponent(tool)}/call`;
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
}

test('returns the finished call, which must not be cached', async () => {
  const answer = await call('{"arguments":{"text":"hé"},"timeout_ms":500,"revision":2}', { 'x-actor': 'Ada' });
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    200,
    'application/json',
    'no-store',
  ]);
  expect(callSchema.parse(await answer.json())).toMatchObject({ status: 'succeeded', result: { text: 'hé' } });
  expect(server.started.at(-1)).toEqual({
    tool: 'echo',
    arguments: { text: 'hé' },
    timeoutMs: 500,
    revision: 2,
    source: 'api',
    actor: { name: 'Ada', member: 'local' },
  });
});

test('returns a large result completely, with any characters', async () => {
  const text = 'é€😀x'.repeat(70_000);
  const answer = await call(JSON.stringify({ arguments: { text } }));
  const body = await answer.text();
  expect(Number(answer.headers.get('content-length'))).toBe(Buffer.byteLength(body));
  expect(callSchema.parse(JSON.parse(body))).toMatchObject({ status: 'succeeded', result: { text } });
});

test('treats a call without a body as a call without arguments', async () => {
  expect((await call(null)).status).toBe(200);
  expect(server.started.at(-1)).toMatchObject({ arguments: {} });
});

test('returns the running call immediately on request', async () => {
  const answer = await call('{}', { prefer: 'wait=1, respond-async' });
  expect([answer.status, answer.headers.get('location'), answer.headers.get('preference-applied')]).toEqual([
    202,
    '/api/v1/calls/call-1',
    'respond-async',
  ]);
  expect(callSchema.parse(await answer.json())).toMatchObject({ status: 'running' });
});

test('reports an unknown tool before it validates the arguments', async () => {
  const answer = await call('{"nonsense": 1}', {}, 'no/such tool');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  expect(await answer.json()).toMatchObject({ code: 'tool_not_found', status: 404, type: '/docs/errors#tool_not_found' });
});

test('turns storage errors into their problems, and other errors into one without internals', async () => {
  const original = server.host.calls.start;
  const throwing = (error: Error): void => {
    Object.assign(server.host.calls, { start: () => Promise.reject(error) });
  };
  throwing(Object.assign(new Error('locked'), { code: 'storage_unavailable' }));
  const locked = await call('{}');
  expect([locked.status, locked.headers.get('retry-after')]).toEqual([503, '5']);
  throwing(Object.assign(new Error('full'), { code: 'storage_full' }));
  expect((await call('{}')).status).toBe(507);
  throwing(new Error('secret path /inside'));
  const failed = await call('{}');
  expect(failed.status).toBe(500);
  expect(await failed.text()).not.toContain('secret');
  Object.assign(server.host.calls, { start: original });
});

test('health and readiness distinguish a server that starts, runs and stops', async () => {
  const base = `http://127.0.0.1:${server.port}`;
  expect(await (await fetch(`${base}/healthz`)).json()).toMatchObject({ status: 'ok', ready: true });
  expect((await fetch(`${base}/readyz`)).status).toBe(200);
  expect((await fetch(`${base}/readyz`, { method: 'HEAD' })).status).toBe(200);
});
