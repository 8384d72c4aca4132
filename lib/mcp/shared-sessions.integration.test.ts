import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { must } from '#lib/testing/living-host.ts';
import { type SharedPostgres, sharedPostgres } from '#lib/testing/test-database.ts';
import { AGENT_FILES, type ServedEndpoint, serveEndpoint } from './mcp-harness.ts';
import { MODERN_VERSION } from './protocol.ts';
import { messagesUri } from './resources.ts';

/** Official clients whose requests go to two servers in turn. */
const PATIENCE = { timeout: 20_000 };
const ASKING = `export const TOOL = { label: 'Asks', name: 'asks', description: 'Asks.', parameters: { type: 'object' },
  execute: (_args, ctx) => ctx.elicit('Who?', { name: { type: 'string', required: true } }) };`;
const EVERYTHING = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
let postgres: SharedPostgres;
let served: ServedEndpoint[] = [];
let clients: Client[] = [];

beforeAll(async () => {
  postgres = await sharedPostgres();
  const database = { url: await postgres.createDatabase(), connections: 5, statementMs: 5_000, startMs: 0 };
  const files = {
    ...AGENT_FILES,
    'asks/extension.ts': ASKING,
    'every/mcp.json': JSON.stringify({ command: 'node', args: [EVERYTHING] }),
  };
  for (const _ of ['first', 'second']) served.push(await serveEndpoint(files, { database }));
  await vi.waitFor(() => expect(served.map(({ living }) => living.host.instances.others().length)).toEqual([1, 1]), PATIENCE);
});

afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  clients = [];
});

afterAll(async () => {
  await Promise.all(served.map((endpoint) => endpoint.close()));
  served = [];
  await postgres.close();
});

async function connect(mode: 'legacy' | { readonly pin: string } = 'legacy') {
  let turn = 0;
  const asked: number[] = [];
  const transport = new StreamableHTTPClientTransport(new URL(served[0]?.url ?? ''), {
    fetch: (_url, init) => {
      const at = turn % served.length;
      turn += 1;
      asked.push(at);
      return fetch(served[at]?.url ?? '', init);
    },
  });
  const client = new Client(
    { name: 'official client', version: '1.0.0' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} }, roots: { listChanged: true } } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => ({ action: 'accept', content: { name: `Ada to ${params.message}` } }));
  clients.push(client);
  await client.connect(transport);
  return { client, transport, asked };
}

describe.each([
  ['with a handshake', 'legacy' as const],
  ['stateless', { pin: MODERN_VERSION }],
])('a client %s', (_title, mode) => {
  it('calls tools, also one that asks, on two servers in turn', async () => {
    const { client, asked } = await connect(mode);
    for (let times = 0; times < 4; times += 1)
      expect(await client.callTool({ name: 'words', arguments: {} })).toMatchObject({ content: [{ text: 'just words' }] });
    for (let times = 0; times < 3; times += 1) {
      const { content } = await client.callTool({ name: 'asks', arguments: {} });
      expect(JSON.stringify(content)).toContain('Ada to Who?');
    }
    expect(new Set(asked)).toEqual(new Set([0, 1]));
  });
});

it('cancels a call that runs on the other server', async () => {
  const { client } = await connect();
  const newest = async () =>
    must(
      (await served[0]?.living.host.calls.list({ tool: 'wait_for_end', limit: 1 })) ?? {
        ok: true,
        value: { calls: [], next_cursor: null },
      },
    ).calls[0];
  for (let times = 0; times < 2; times += 1) {
    const before = (await newest())?.id;
    const controller = new AbortController();
    const waiting = client.callTool({ name: 'wait_for_end', arguments: {} }, { signal: controller.signal });
    await vi.waitFor(async () => {
      const now = await newest();
      expect([now?.id === before, now?.status]).toEqual([false, 'running']);
    }, PATIENCE);
    controller.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
    await vi.waitFor(async () => expect((await newest())?.status).toBe('cancelled'), PATIENCE);
    await client.ping();
  }
});

it('reports changes of a subscribed resource on the stream of the other server', async () => {
  const { client } = await connect();
  const uris: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void uris.push(params.uri));
  const uri = messagesUri('web');
  await client.subscribeResource({ uri });
  await vi.waitFor(async () => {
    must(
      (await served[0]?.living.host.channels.inject('web', { text: 'hello' }, { name: null })) ?? {
        ok: false,
        problem: { code: 'not_found', detail: '' },
      },
    );
    expect(uris).toContain(uri);
  }, PATIENCE);
  // To each of the servers: one of them has it.
  await client.unsubscribeResource({ uri });
  await client.setLoggingLevel('error');
});

it('reports changed roots to the MCP servers behind both, which ask on the stream of one', async () => {
  const { client } = await connect();
  let asked = 0;
  let name = 'first';
  client.setRequestHandler('roots/list', () => {
    asked += 1;
    return { roots: [{ uri: `file:///${name}`, name }] };
  });
  const list = async (): Promise<string> => JSON.stringify(await client.callTool({ name: 'every__get-roots-list', arguments: {} }));
  // Each MCP server asks for them once.
  await vi.waitFor(async () => {
    expect(await list()).toContain('file:///first');
    await client.ping();
    expect(asked).toBe(2);
  }, PATIENCE);
  name = 'second';
  await client.sendRootsListChanged();
  await vi.waitFor(() => expect(asked).toBe(4), PATIENCE);
  await vi.waitFor(async () => {
    for (let times = 0; times < 3; times += 1) expect(await list()).toContain('file:///second');
  }, PATIENCE);
});

it('ends a session on all servers, which then refuse it', async () => {
  const { client, transport } = await connect();
  await client.listTools();
  await client.listTools();
  const session = transport.sessionId ?? '';
  await transport.terminateSession();
  await vi.waitFor(async () => {
    for (const endpoint of served) expect((await endpoint.legacy('ping', {}, { session })).status).toBe(404);
  }, PATIENCE);
  const { client: again } = await connect();
  expect((await again.listTools()).tools.length).toBeGreaterThan(0);
});
