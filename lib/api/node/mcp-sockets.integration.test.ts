import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { LOCAL_PERSON } from '#lib/access/principal.ts';
import type { Principal, TokenHolder } from '#lib/access/principal.ts';
import type { McpPost } from '#lib/contract/mcp-exchange.ts';
import { ok } from '#lib/contract/result.ts';
import { createFakeHost, TEST_CONFIG } from '#lib/testing/fake-host.ts';
import { createEventStreams } from './event-streams.ts';
import { createAuthentication } from '../middleware/authentication.ts';
import { createClientAddress } from '../middleware/client-address.ts';
import { createMcpSockets } from './mcp-sockets.ts';
import type { McpSockets } from './mcp-sockets.ts';

let server: Server;
let url: string;
let asked: McpPost[];
let sockets: McpSockets;
let principal: Principal;
let streams: ReturnType<typeof createEventStreams>;

async function serve(heartbeatMs: number): Promise<void> {
  asked = [];
  principal = LOCAL_PERSON;
  streams = createEventStreams({ events: createFakeHost(TEST_CONFIG).host.events, snapshotVersion: () => 1, mostStreams: 2 });
  const endpoint = {
    post: async (exchange: McpPost) => void asked.push(exchange),
    get: () => ok(null),
    delete: () => ok(null),
    close: () => undefined,
  };
  sockets = createMcpSockets({
    endpoint,
    streams,
    authentication: createAuthentication({ adminToken: null, team: null }, createClientAddress([]), () => null),
    takeCalls: () => ok(null),
    record: () => undefined,
    heartbeatMs,
  });
  server = createServer((request, response) => void sockets.answer(request, response, principal)).listen(0, '127.0.0.1');
  server.on('close', () => sockets.close());
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

async function post(signal?: AbortSignal): Promise<{ readonly exchange: McpPost; readonly answer: Promise<Response> }> {
  const answer = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    ...(signal === undefined ? {} : { signal }),
  });
  answer.catch(() => undefined);
  const before = asked.length;
  const exchange = await vi.waitFor(() => {
    const [newest] = asked.slice(before);
    if (newest === undefined) throw new Error('not asked yet');
    return newest;
  });
  return { exchange, answer };
}

test('an answer that takes long becomes a stream that beats, so that nobody between thinks it dead', async () => {
  await serve(20);
  const { exchange, answer } = await post();
  const begun = await answer;
  expect(begun.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  exchange.answer(500, ['{"late":', Buffer.from('true'), '}']);
  expect(await begun.text()).toMatch(/^(?::\n\n)+event: message\ndata: \{"late":true\}\n\n$/);
});

test('after the answer nothing more is sent', async () => {
  await serve(60_000);
  const { exchange, answer } = await post();
  exchange.answer(200, ['1']);
  exchange.answer(200, ['2']);
  exchange.notify('3');
  exchange.drop();
  expect(await (await answer).text()).toBe('1');
});

test('whoever answers is told that the client went away, once, and only before the answer', async () => {
  await serve(60_000);
  const gone = vi.fn<() => void>();
  const controller = new AbortController();
  const { exchange } = await post(controller.signal);
  exchange.onGone(gone);
  controller.abort();
  await vi.waitFor(() => expect(gone).toHaveBeenCalledOnce(), { timeout: 10_000 });
  exchange.answer(200, ['nobody reads this']);

  const late = vi.fn<() => void>();
  const second = await post();
  second.exchange.onGone(late);
  second.exchange.answer(200, ['{}']);
  await (await second.answer).text();
  server.closeAllConnections();
  expect(late).not.toHaveBeenCalled();
});

test('kept streams are counted, given back and cut when nobody reads them', async () => {
  await serve(60_000);
  const asking = [await post(), await post(), await post()];
  const opened = asking.map(({ exchange }) => exchange.open());
  expect(opened.map(({ ok: isOpen }) => isOpen)).toEqual([true, true, false]);
  expect(streams.count()).toBe(2);
  const [first] = opened;
  if (first?.ok === true) {
    const ended = vi.fn<() => void>();
    first.value.onEnd(ended);
    for (let sent = 0; sent < 200 && ended.mock.calls.length === 0; sent += 1) first.value.send('x'.repeat(1_000_000));
    await vi.waitFor(() => expect(ended).toHaveBeenCalled());
  }
  await vi.waitFor(() => expect(streams.count()).toBe(1));
  // An answer that nobody holds any more is closed by the client.
  expect((await asking[1]?.answer)?.status).toBe(200);
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

test('says whose messages they are, and what he may', async () => {
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

test('cuts what is under way when the right to it ends', async () => {
  await serve(60_000);
  const local = await post();
  principal = holder;
  const { exchange, answer } = await post();
  const gone = vi.fn<() => void>();
  exchange.onGone(gone);
  sockets.endOf(({ kind }) => kind === 'token');
  await expect(answer).rejects.toThrow('fetch failed');
  await vi.waitFor(() => expect(gone).toHaveBeenCalledOnce());
  local.exchange.answer(200, ['1']);
  expect(await (await local.answer).json()).toBe(1);
});
