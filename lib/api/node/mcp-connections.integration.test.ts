import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { afterEach, expect, test, vi } from 'vitest';
import { LOCAL_PERSON, type Principal, type TokenHolder } from '#lib/access/principal.ts';
import type { McpAnswer, McpExchange } from '#lib/contract/mcp-exchange.ts';
import { ok } from '#lib/contract/result.ts';
import { createFakeHost, TEST_CONFIG } from '#lib/testing/fake-host.ts';
import { createEventStreams } from './event-streams.ts';
import { createAuthentication } from '../middleware/authentication.ts';
import { createClientAddress } from '../middleware/client-address.ts';
import { createMcpConnections, type McpConnections } from './mcp-connections.ts';
import type { ApiEnv } from '../request.ts';

let server: Server;
let url: string;
let asked: Asked[];
let connections: McpConnections;
let principal: Principal;
let streams: ReturnType<typeof createEventStreams>;

interface Asked {
  readonly exchange: McpExchange;
  answer(answer: McpAnswer): void;
}

async function serve(heartbeatMs: number): Promise<void> {
  asked = [];
  principal = LOCAL_PERSON;
  streams = createEventStreams({ events: createFakeHost(TEST_CONFIG).host.events, snapshotVersion: () => 1, mostStreams: 2 });
  const endpoint = {
    post: (exchange: McpExchange) => new Promise<McpAnswer>((answer) => void asked.push({ exchange, answer })),
    get: () => Promise.resolve(ok(new Response(null))),
    delete: async () => ok(null),
    close: () => undefined,
  };
  connections = createMcpConnections({
    endpoint,
    streams,
    authentication: createAuthentication({ adminToken: null, team: null }, createClientAddress([]), () => null),
    takeCalls: () => ok(null),
    audit: () => undefined,
    heartbeatMs,
  });
  const app = new Hono<ApiEnv>().all('/mcp', async (context) => {
    const answered = await connections.answer(context, principal, null);
    return answered instanceof Response ? answered : new Response(null, { status: 500 });
  });
  const listener = getRequestListener(app.fetch, { autoCleanupIncoming: false });
  server = createServer((request, response) => void listener(request, response)).listen(0, '127.0.0.1');
  server.on('close', () => connections.close());
  await once(server, 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/mcp`;
}
afterEach(async () => {
  streams.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

interface Posted {
  readonly exchange: McpExchange;
  readonly answer: Promise<Response>;
  reply(answer: McpAnswer): void;
}

async function post(signal?: AbortSignal): Promise<Posted> {
  const answer = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    ...(signal === undefined ? {} : { signal }),
  });
  answer.catch(() => undefined);
  const before = asked.length;
  const newest = await vi.waitFor(() => {
    const [one] = asked.slice(before);
    if (one === undefined) throw new Error('not asked yet');
    return one;
  });
  return { exchange: newest.exchange, answer, reply: newest.answer };
}

/** A stream that the test writes to. */
function openStream(): { readonly response: Response; readonly controller: ReadableStreamDefaultController<Uint8Array> } {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>({
    start(made) {
      controller = made;
    },
  });
  if (controller === null) throw new Error('the stream did not start');
  return { response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }), controller };
}

test('a slow answer becomes a stream with comments, so that proxies keep it open', async () => {
  await serve(20);
  const { reply, answer } = await post();
  const begun = await answer;
  expect(begun.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  reply({ status: 500, json: '{"late":true}' });
  expect(await begun.text()).toMatch(/^(?::\n\n)+event: message\ndata: \{"late":true\}\n\n$/);
});

test('sends an answer with status, type, session and headers', async () => {
  await serve(60_000);
  const { reply, answer } = await post();
  reply({ status: 404, json: '{"a":1}', headers: { 'mcp-session-id': 's' } });
  const { status, headers } = await answer;
  expect(await (await answer).json()).toEqual({ a: 1 });
  expect([status, headers.get('content-type'), headers.get('mcp-session-id'), headers.get('x-content-type-options')]).toEqual([
    404,
    'application/json',
    's',
    'nosniff',
  ]);
});

test('sends the chunks of a stream as they arrive', async () => {
  await serve(60_000);
  const { reply, answer } = await post();
  const { response, controller } = openStream();
  reply(response);
  controller.enqueue(Buffer.from('data: 1\n\n'));
  const reader = (await answer).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n');
  controller.enqueue(Buffer.from('data: 2\n\n'));
  controller.close();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 2\n\n');
  expect((await reader?.read())?.done).toBe(true);
});

test('the handler is notified once when the client disconnects', async () => {
  await serve(60_000);
  const gone = vi.fn<() => void>();
  const controller = new AbortController();
  const { exchange, reply } = await post(controller.signal);
  exchange.onClose(gone);
  expect(exchange.isBehind()).toBe(false);
  controller.abort();
  await vi.waitFor(() => expect(gone).toHaveBeenCalledOnce(), { timeout: 10_000 });
  expect(exchange.isBehind()).toBe(true);
  reply({ status: 200, json: 'nobody reads this' });
  const late = vi.fn<() => void>();
  exchange.onClose(late);
  expect(late).toHaveBeenCalledOnce();
});

test('open streams count until they close, and are cut off when unread', async () => {
  await serve(60_000);
  const asking = [await post(), await post(), await post()];
  expect(asking.map(({ exchange }) => exchange.keepOpen().ok)).toEqual([true, true, false]);
  expect(streams.count()).toBe(2);
  const [first, second] = asking;
  const { response, controller } = openStream();
  first?.reply(response);
  const ended = vi.fn<() => void>();
  first?.exchange.onClose(ended);
  for (let sent = 0; sent < 200 && ended.mock.calls.length === 0; sent += 1) {
    controller.enqueue(Buffer.alloc(1_000_000, 'x'));
    await new Promise(setImmediate);
  }
  await vi.waitFor(() => expect(ended).toHaveBeenCalled());
  await vi.waitFor(() => expect(streams.count()).toBe(1));
  second?.reply(openStream().response);
  expect((await second?.answer)?.status).toBe(200);
});

test('an open stream ends when the server stops', async () => {
  await serve(60_000);
  const { exchange, reply, answer } = await post();
  const { response, controller } = openStream();
  expect(exchange.keepOpen().ok).toBe(true);
  exchange.onClose(() => {
    controller.enqueue(Buffer.from('data: end\n\n'));
    controller.close();
  });
  reply(response);
  streams.close();
  expect(await (await answer).text()).toBe('data: end\n\n');
});

const holder: TokenHolder = {
  kind: 'token',
  id: 't',
  name: 'nightly',
  ownerId: 'm',
  owner: 'Anna',
  role: 'operator',
  tools: new Set(['rain']),
};

test('passes on the sender and their permissions', async () => {
  await serve(60_000);
  const local = await post();
  expect(local.exchange.caller).toMatchObject({ key: null, actor: null, tools: null });
  expect(local.exchange.caller.may('extensions.edit', null)).toBe(true);
  principal = holder;
  const { caller } = (await post()).exchange;
  expect(caller).toMatchObject({ key: 'token:t', actor: 'nightly (Anna)', tools: new Set(['rain']) });
  expect([caller.may('tools.call', 'rain'), caller.may('tools.call', 'snow'), caller.may('resources.read', null)]).toEqual([
    true,
    false,
    false,
  ]);
});

test('cuts requests when their permission ends', async () => {
  await serve(60_000);
  const local = await post();
  principal = holder;
  const { exchange, answer } = await post();
  const gone = vi.fn<() => void>();
  exchange.onClose(gone);
  connections.endOf(({ kind }) => kind === 'token');
  await expect(answer).rejects.toThrow('fetch failed');
  await vi.waitFor(() => expect(gone).toHaveBeenCalledOnce());
  local.reply({ status: 200, json: '1' });
  expect(await (await local.answer).json()).toBe(1);
});
