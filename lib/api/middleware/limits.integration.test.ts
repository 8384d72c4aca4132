import { afterEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '#lib/testing/fake-host.ts';

/** A busy machine is slow. */
const PATIENCE = { timeout: 20_000 };

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

const JSON_BODY = { 'content-type': 'application/json' };
const MCP = { ...JSON_BODY, accept: 'application/json, text/event-stream' };
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

const url = (path: string): string => `http://127.0.0.1:${server.port}${path}`;
const call = (): Promise<Response> => fetch(url('/api/v1/tools/echo/call'), { method: 'POST', headers: JSON_BODY, body: '{}' });
const ask = (body: string): Promise<Response> => fetch(url('/mcp'), { method: 'POST', headers: MCP, body });
const write = (): Promise<Response> => fetch(url('/api/v1/extensions/reload'), { method: 'POST', headers: JSON_BODY, body: '{}' });

test('calls of one address beyond its rate are rejected before they run, by any route', async () => {
  server = await startTestServer({ callRate: { count: 3, perMs: 3_600_000 } });
  expect([(await call()).status, (await ask(PING)).status, (await call()).status]).toEqual([200, 200, 200]);
  const refused = await call();
  expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'application/problem+json']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1_000);
  expect(await refused.json()).toMatchObject({ code: 'too_many_requests', status: 429, detail: expect.stringContaining('3 calls/h') });
  expect((await ask(PING)).status).toBe(429);
  const replay = await fetch(url('/api/v1/calls/call-1/replay'), { method: 'POST', headers: JSON_BODY, body: '{}' });
  expect([replay.status, server.started.length]).toEqual([429, 2]);
  const metrics = await (await fetch(url('/metrics'))).text();
  expect(metrics).toContain('switchboard_requests_limited_total{limit="calls"} 3');
  expect(metrics).toContain('switchboard_requests_limited_total{limit="writes"} 0');
});

test('writes have their own limit, and reads have none', async () => {
  server = await startTestServer({ callRate: { count: 1, perMs: 60_000 }, writeRate: { count: 1, perMs: 60_000 } });
  expect((await write()).status).not.toBe(429);
  expect((await write()).status).toBe(429);
  expect((await call()).status).toBe(200);
  for (let at = 0; at < 5; at += 1) expect((await fetch(url('/readyz'))).status).toBe(200);
  const read = await fetch(url('/api/v1/openapi.json'));
  expect(read.status).toBe(200);
});

test('each message of a batch counts as a call', async () => {
  server = await startTestServer({ callRate: { count: 4, perMs: 3_600_000 } });
  expect((await ask(`[${PING},${PING},${PING}]`)).status).not.toBe(429);
  expect((await ask(`[${PING},${PING}]`)).status).toBe(429);
});

test('the allowance of an address refills over time', async () => {
  server = await startTestServer({ callRate: { count: 1, perMs: 1_000 } });
  expect((await call()).status).toBe(200);
  await expect.poll(async () => (await call()).status, { interval: 200, timeout: 20_000 }).toBe(200);
});

test('concurrent requests are limited until one ends', async () => {
  server = await startTestServer({ concurrentRequests: 2 });
  const leaving = new AbortController();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const original = server.host.calls.start;
  let waiting = 0;
  Object.assign(server.host.calls, {
    async start(...args: Parameters<typeof original>) {
      waiting += 1;
      await held;
      return original(...args);
    },
  });
  const first = call();
  const second = fetch(url('/api/v1/tools/echo/call'), { method: 'POST', headers: JSON_BODY, body: '{}', signal: leaving.signal });
  second.catch(() => undefined);
  await expect.poll(() => waiting, PATIENCE).toBe(2);
  expect((await write()).status).toBe(429);
  leaving.abort();
  release();
  expect((await first).status).toBe(200);
  await expect.poll(async () => (await call()).status, PATIENCE).toBe(200);
});

test('nothing is rejected without limits', async () => {
  server = await startTestServer();
  const statuses = await Promise.all(Array.from({ length: 200 }, async () => (await call()).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
});
