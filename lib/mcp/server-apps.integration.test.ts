import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { API } from '#lib/contract/paths.ts';
import { must } from '#lib/testing/living-host.ts';
import { type ServedEndpoint, serveEndpoint } from './mcp-harness.ts';
import { MODERN_VERSION } from './protocol.ts';

const SERVER = path.resolve(import.meta.dirname, '../testing/fixtures/apps-mcp-server.mjs');
const PAGE = 'ui://counter/page.html';
const ROOTS = [{ uri: 'file:///home/ada/notes', name: 'Notes' }];
const textSchema = z.object({ content: z.tuple([z.looseObject({ text: z.string() })]) });

let served: ServedEndpoint;
beforeAll(async () => {
  served = await serveEndpoint({ 'apps/mcp.json': JSON.stringify({ command: 'node', args: [SERVER] }) });
});
afterAll(() => served.close());

async function connect(mode: 'legacy' | { readonly pin: string }, hasRoots: boolean, address = served.url): Promise<Client> {
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode }, capabilities: hasRoots ? { roots: {} } : {} });
  if (hasRoots) client.setRequestHandler('roots/list', () => ({ roots: ROOTS }));
  await client.connect(new StreamableHTTPClientTransport(new URL(address)));
  return client;
}

const textOf = (result: unknown): string => textSchema.parse(result).content[0].text;

describe.each([
  ['with a handshake', 'legacy'],
  ['stateless', { pin: MODERN_VERSION }],
] as const)('a server behind Switchboard, seen by a client %s', (_title, mode) => {
  it('gets the roots of the client that calls its tool', async () => {
    const client = await connect(mode, true);
    expect(JSON.parse(textOf(await client.callTool({ name: 'apps__roots', arguments: {} })))).toEqual(ROOTS);
    await client.close();
  });

  it('gets a refusal if a client has no roots', async () => {
    const client = await connect(mode, false);
    expect(textOf(await client.callTool({ name: 'apps__roots', arguments: {} }))).toContain('has no folders to offer');
    await client.close();
  });

  it('exchanges metadata with the client, without that of the protocol', async () => {
    const client = await connect(mode, false);
    const called = await client.callTool({
      name: 'apps__metadata',
      arguments: {},
      _meta: { 'example.org/asked': [1], 'switchboard/timeout_ms': 5_000 },
    });
    expect(JSON.parse(textOf(called))).toEqual({ 'example.org/asked': [1], progressToken: expect.anything() });
    expect(called._meta).toMatchObject({ 'example.org/answered': true });
    await client.close();
  });

  it('has its icons and the page of its tool in the list', async () => {
    const client = await connect(mode, false);
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name === 'apps__show_counter');
    expect(tool).toMatchObject({
      icons: [{ src: expect.stringContaining('data:image/svg+xml,'), sizes: ['any'] }],
      _meta: { ui: { resourceUri: PAGE } },
    });
    expect(tool?.icons).toHaveLength(1);
    await client.close();
  });

  it('serves the page of its tool, which is not in its list, and its tools by their own names', async () => {
    const client = await connect(mode, false);
    expect((await client.readResource({ uri: PAGE })).contents).toMatchObject([{ mimeType: 'text/html;profile=mcp-app' }]);
    expect(await client.callTool({ name: 'add', arguments: {} })).toMatchObject({ structuredContent: { count: expect.any(Number) } });
    await expect(client.callTool({ name: 'for_models', arguments: {} })).rejects.toThrow(/Unknown tool/);
    await client.close();
  });
});

it('finds no tools that are for apps only in the search mode', async () => {
  const client = await connect('legacy', false, `${served.url}?mode=search`);
  const found = textOf(await client.callTool({ name: 'search_tools', arguments: { query: '' } }));
  expect(found).toContain('apps__show_counter');
  expect(found).not.toContain('apps__clear');
  await client.close();
});

it('shows the icons of a server and its warnings', () => {
  const extension = served.living.extension('apps');
  expect(extension).toMatchObject({ icons: [{ src: expect.stringContaining('data:image/svg+xml,') }] });
  expect(extension?.warnings.join()).toContain('Some of its `icons` are invalid');
});

it('serves the page of an app with an origin of its own', async () => {
  const origin = new URL(served.url).origin;
  const page = await fetch(`${origin}${API.serverApp('apps', PAGE)}`);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/^sandbox allow-scripts allow-forms; default-src 'none';/);
  expect(policy).toContain("connect-src 'none'");
  expect(policy).not.toContain('allow-same-origin');
  expect(await page.text()).toContain('<title>Counter</title>');
  expect((await fetch(`${origin}${API.serverApp('apps', 'ui://counter/none')}`)).status).toBe(502);
  expect((await fetch(`${origin}${API.serverApp('apps', 'file:///etc/passwd')}`)).status).toBe(422);
});

it('asks no person for roots', async () => {
  const { calls } = served.living.host;
  const { id, finished } = must(await calls.start({ tool: 'apps__roots', arguments: {}, source: 'web', actor: { name: null } }));
  await finished;
  expect(must(await calls.get(id)).result).toMatchObject({ content: [{ text: expect.stringContaining('has no folders to offer') }] });
});
