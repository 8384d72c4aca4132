import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  TaskStatusNotificationSchema,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/sdk/types.js';
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ServedEndpoint, serveEndpoint } from './mcp-harness.ts';

const EVERYTHING = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const SDK = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/sdk/dist/esm');
/** An official server that reports the completion of an elicitation by URL, during the call or when another tool confirms it. */
const OPENING = `
  import { McpServer } from ${JSON.stringify(`${SDK}/server/mcp.js`)};
  import { StdioServerTransport } from ${JSON.stringify(`${SDK}/server/stdio.js`)};
  import { UrlElicitationRequiredError } from ${JSON.stringify(`${SDK}/types.js`)};
  const server = new McpServer({ name: 'opening', version: '1' }, { capabilities: { tools: {} } });
  const done = (id) => server.server.createElicitationCompletionNotifier(id)();
  const at = (elicitationId) => ({ mode: 'url', message: 'Pay', url: 'https://example.com/pay', elicitationId });
  server.registerTool('pay', {}, async () => {
    const { action } = await server.server.elicitInput(at('during'));
    await done('during');
    await done('of nobody');
    return { content: [{ type: 'text', text: action }] };
  });
  let isPaid = false;
  server.registerTool('paid', {}, async () => {
    if (isPaid) return { content: [{ type: 'text', text: 'paid' }] };
    throw new UrlElicitationRequiredError([at('before')], 'Pay first');
  });
  server.registerTool('confirm', {}, async () => {
    isPaid = true;
    await done('before');
    return { content: [] };
  });
  await server.connect(new StdioServerTransport());
`;

let served: ServedEndpoint;
beforeAll(async () => {
  served = await serveEndpoint({
    'every/mcp.json': JSON.stringify({ command: 'node', args: [EVERYTHING] }),
    'opening/mcp.json': JSON.stringify({ command: 'node', args: ['server.mjs'] }),
    'opening/server.mjs': OPENING,
  });
  const states = (): unknown[] => ['every', 'opening'].map((id) => served.living.extension(id)?.state);
  await vi.waitFor(() => expect(states()).toEqual(['ready', 'ready']), { timeout: 60_000 });
});
afterAll(() => served.close());

const connected = new Set<Client>();
afterAll(() => Promise.all([...connected].map((client) => client.close())));

function makeClient(capabilities: ClientCapabilities): Client {
  const client = new Client({ name: 'notified', version: '1' }, { capabilities });
  connected.add(client);
  return client;
}

async function connect(client: Client): Promise<Client> {
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  const fetchAndNote = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const answer = await fetch(url, init);
    if (init?.method === 'GET') resolve();
    return answer;
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url), { fetch: fetchAndNote }));
  // Notifications come on a stream that the client opens beside the connection.
  await listening;
  return client;
}

/** The ids that are reported to a client as completed. */
function completions(client: Client): string[] {
  const ids: string[] = [];
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => void ids.push(params.elicitationId));
  return ids;
}

describe('the completion of an elicitation by URL', () => {
  it('is reported to the client that was asked, and to no other', async () => {
    const [asked, other] = [makeClient({ elicitation: { url: {} } }), makeClient({ elicitation: { url: {} } })];
    asked.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept' }));
    const [heard, heardByOther] = [completions(asked), completions(other)];
    await Promise.all([connect(asked), connect(other)]);
    expect(await asked.callTool({ name: 'opening__pay', arguments: {} })).toMatchObject({ content: [{ text: 'accept' }] });
    await vi.waitFor(() => expect(heard).toEqual(['during']));

    const refused = await asked.callTool({ name: 'opening__paid', arguments: {} }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UrlElicitationRequiredError);
    expect(refused).toMatchObject({ elicitations: [{ elicitationId: 'before', url: 'https://example.com/pay' }] });
    await other.callTool({ name: 'opening__confirm', arguments: {} });
    await vi.waitFor(() => expect(heard).toEqual(['during', 'before']));
    expect(await asked.callTool({ name: 'opening__paid', arguments: {} })).toMatchObject({ content: [{ text: 'paid' }] });
    expect(heardByOther).toEqual([]);
  });

  it('needs a client that can open a URL: for others the call fails', async () => {
    const client = await connect(makeClient({}));
    const answer = await client.callTool({
      name: 'every__trigger-url-elicitation',
      arguments: { url: 'https://example.com/', errorPath: true },
    });
    expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('browser-based authorization') }] });
  });
});

it('a change of the roots of a client reaches the server that asked for them, which asks again', async () => {
  const client = makeClient({ roots: { listChanged: true } });
  let roots = [{ uri: 'file:///first', name: 'first' }];
  let asked = 0;
  client.setRequestHandler(ListRootsRequestSchema, () => {
    asked += 1;
    return { roots };
  });
  await connect(client);
  const list = async (): Promise<string> => JSON.stringify(await client.callTool({ name: 'every__get-roots-list', arguments: {} }));
  expect(await list()).toContain('file:///first');
  const before = asked;
  roots = [{ uri: 'file:///second', name: 'second' }];
  await client.sendRootsListChanged();
  await vi.waitFor(() => expect(asked).toBeGreaterThan(before));
  await vi.waitFor(async () => expect(await list()).toContain('file:///second'));
});

it('the states of a task reach the session that started it', async () => {
  const client = makeClient({ elicitation: {} });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { interpretation: 'technical' } }));
  const heard: { taskId: string; status: string; statusMessage?: string | undefined }[] = [];
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void heard.push(params));
  const other = makeClient({});
  const heardByOther = vi.fn();
  other.setNotificationHandler(TaskStatusNotificationSchema, heardByOther);
  await Promise.all([connect(client), connect(other)]);
  await client.listTools();
  const params = { name: 'every__simulate-research-query', arguments: { topic: 'python', ambiguous: true } };
  let id = '';
  for await (const message of client.experimental.tasks.callToolStream(params, CallToolResultSchema, { task: {} }))
    if (message.type === 'taskCreated') id = message.task.taskId;
  await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ taskId: id, status: 'completed' }));
  expect(heard.map(({ status }) => status)).toContain('input_required');
  expect(heard.every(({ taskId }) => taskId === id)).toBe(true);
  expect(heardByOther).not.toHaveBeenCalled();
});
