import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type HttpMcpServer, KEY, startHttpMcpServer } from '#lib/testing/http-mcp-server.ts';
import { serveEndpoint } from './mcp-harness.ts';
import type { ServedEndpoint } from './mcp-harness.ts';
import { MODERN_VERSION } from './protocol.ts';

const EVERYTHING = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const ABOUT = { name: 'official client', version: '1.0.0' };
const PATIENCE = { timeout: 15_000, interval: 100 };

interface Heard {
  readonly updated: string[];
  readonly changed: string[];
}

async function connect(
  mode: 'legacy' | { readonly pin: string },
  target: URL | readonly string[],
): Promise<{ client: Client; heard: Heard }> {
  const heard: Heard = { updated: [], changed: [] };
  const notice = (what: string) => ({
    onChanged() {
      heard.changed.push(what);
    },
    autoRefresh: false,
    debounceMs: 0,
  });
  const client = new Client(ABOUT, {
    versionNegotiation: { mode },
    // The same capabilities as those of Switchboard, so that servers offer the same.
    capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
    listChanged: { tools: notice('tools'), resources: notice('resources'), prompts: notice('prompts') },
  });
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.updated.push(params.uri));
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    model: 'a model',
    content: { type: 'text', text: 'An answer' },
  }));
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///home/ada/notes', name: 'Notes' }] }));
  const transport =
    target instanceof URL
      ? new StreamableHTTPClientTransport(target)
      : new StdioClientTransport({ command: process.execPath, args: [...target], stderr: 'ignore' });
  await client.connect(transport);
  return { client, heard };
}

/** The time of day in the texts of its dynamic resources differs between two reads. */
const withoutTime = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(/created at [^"]+/g, 'created'));

/** Without the metadata of each hop. */
function plain(result: object): object {
  const { _meta, ttlMs: _ttl, cacheScope: _scope, resultType: _type, ...rest }: Record<string, unknown> = { ...result };
  return rest;
}

const PREFIX = 'every__';
const local = (prompts: readonly { readonly name: string }[]) => prompts.map((prompt) => ({ ...prompt, name: `${PREFIX}${prompt.name}` }));
const isOwn = ({ uri, uriTemplate }: { uri?: unknown; uriTemplate?: unknown }): boolean =>
  String(uri ?? uriTemplate).startsWith('switchboard:');
/** Added by another test. */
const isOfSession = ({ uri }: { uri: string }): boolean => uri.startsWith('demo://resource/session/');

let served: ServedEndpoint;
let direct: { client: Client; heard: Heard };
beforeAll(async () => {
  served = await serveEndpoint({ 'every/mcp.json': JSON.stringify({ command: 'node', args: [EVERYTHING] }) });
  direct = await connect('legacy', [EVERYTHING]);
});
afterAll(async () => {
  await direct.client.close();
  await served.close();
});

describe.each([
  ['with a handshake', 'legacy'],
  ['stateless', { pin: MODERN_VERSION }],
] as const)('the official server-everything behind Switchboard, %s', (_title, mode) => {
  let passed: { client: Client; heard: Heard };
  beforeAll(async () => {
    passed = await connect(mode, new URL(served.url));
  });
  afterAll(() => passed.client.close());

  it('lists the same resources, templates and prompts', async () => {
    const { client } = passed;
    const { resources } = await client.listResources();
    expect(resources.filter((one) => !isOwn(one) && !isOfSession(one))).toEqual((await direct.client.listResources()).resources);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.filter((one) => !isOwn(one))).toEqual((await direct.client.listResourceTemplates()).resourceTemplates);
    const { prompts } = await client.listPrompts();
    expect(prompts).toEqual(local((await direct.client.listPrompts()).prompts));
    expect(prompts.length).toBeGreaterThan(3);
  });

  it('reads the same contents, by address and by template', async () => {
    const [first] = (await direct.client.listResources()).resources;
    const addresses = [first?.uri ?? '', 'demo://resource/dynamic/text/7', 'demo://resource/dynamic/blob/7'];
    for (const uri of addresses) {
      const [one, other] = await Promise.all([passed.client.readResource({ uri }), direct.client.readResource({ uri })]);
      const decoded = ({ contents }: typeof one) =>
        contents.map((content) => ('blob' in content ? { ...content, blob: Buffer.from(content.blob, 'base64').toString() } : content));
      expect(withoutTime(decoded(one))).toEqual(withoutTime(decoded(other)));
    }
  });

  it('fails reads with the same error', async () => {
    const uri = 'demo://resource/dynamic/text/none';
    const errorOf = (client: Client) =>
      client.readResource({ uri }).then(
        () => null,
        (error: unknown) => error,
      );
    const [one, other] = await Promise.all([errorOf(passed.client), errorOf(direct.client)]);
    expect(one).toMatchObject({ message: other instanceof Error ? other.message : '', code: expect.any(Number) });
  });

  it('gets the same messages of prompts', async () => {
    const asked: readonly (readonly [string, Record<string, string>])[] = [
      ['simple-prompt', {}],
      ['args-prompt', { city: 'Oslo', state: 'Viken' }],
      ['completable-prompt', { department: 'Sales', name: 'Eve' }],
      ['resource-prompt', { resourceType: 'Text', resourceId: '3' }],
    ];
    for (const [name, args] of asked) {
      const one = await passed.client.getPrompt({ name: `${PREFIX}${name}`, arguments: args });
      expect(withoutTime(plain(one))).toEqual(withoutTime(plain(await direct.client.getPrompt({ name, arguments: args }))));
    }
    await expect(passed.client.getPrompt({ name: `${PREFIX}none` })).rejects.toThrow(/There is no prompt every__none/);
    await expect(passed.client.getPrompt({ name: `${PREFIX}args-prompt` })).rejects.toMatchObject({ code: -32_602 });
  });

  it('lists the same tools under its own names', async () => {
    const { tools } = await passed.client.listTools();
    // Another session of the server has its own resources, and its texts name no session.
    const same = ({ execution: _execution, ...tool }: (typeof tools)[number]) => ({ ...tool, title: tool.title ?? tool.name });
    const direct_ = (await direct.client.listTools()).tools.map(same).map((tool) => ({ ...tool, name: `${PREFIX}${tool.name}` }));
    expect(tools.map(same)).toEqual(direct_.toSorted((one, other) => (one.name < other.name ? -1 : 1)));
    expect(tools.length).toBeGreaterThan(12);
  });

  it.each([
    ['echo', { message: 'hi' }],
    ['get-annotated-message', { messageType: 'error', includeImage: true }],
    ['get-resource-links', { count: 3 }],
    ['get-resource-reference', { resourceType: 'Text', resourceId: 2 }],
    ['get-structured-content', { location: 'Chicago' }],
    ['get-sum', { a: 1, b: 2 }],
    ['get-tiny-image', {}],
    ['trigger-elicitation-request', {}],
    ['trigger-sampling-request', { prompt: 'Say hello', maxTokens: 10 }],
    ['get-roots-list', {}],
  ])('gets the same result of %s', async (name, args) => {
    const [one, other] = [
      await passed.client.callTool({ name: `${PREFIX}${name}`, arguments: args }),
      await direct.client.callTool({ name, arguments: args }),
    ];
    expect(withoutTime(plain(one))).toEqual(withoutTime(plain(other)));
  });

  it('gets the progress of a long call', async () => {
    const progressOf = async (client: Client, name: string) => {
      const steps: unknown[] = [];
      const onprogress = ({ progress, total }: { progress: number; total?: number | undefined }) => void steps.push([progress, total]);
      await client.callTool({ name, arguments: { duration: 0.3, steps: 3 } }, { onprogress });
      return steps;
    };
    const name = 'trigger-long-running-operation';
    // The last step may arrive after the result; then the client drops it.
    const [through, directly] = [await progressOf(passed.client, `${PREFIX}${name}`), await progressOf(direct.client, name)];
    expect(through.slice(0, 2)).toEqual([
      [1, 3],
      [2, 3],
    ]);
    expect(through.slice(0, 2)).toEqual(directly.slice(0, 2));
  });

  it('calls a tool that its server only runs as a task', async () => {
    const called = await passed.client.callTool({ name: `${PREFIX}simulate-research-query`, arguments: { topic: 'tea' } });
    expect(called).toMatchObject({ content: [{ text: expect.stringContaining('# Research Report: tea') }] });
  });

  it('completes arguments of prompts and variables of templates', async () => {
    const department = { argument: { name: 'department', value: 'S' } };
    const name = { argument: { name: 'name', value: '' }, context: { arguments: { department: 'Sales' } } };
    for (const asked of [department, name]) {
      const one = await passed.client.complete({ ref: { type: 'ref/prompt', name: `${PREFIX}completable-prompt` }, ...asked });
      const other = await direct.client.complete({ ref: { type: 'ref/prompt', name: 'completable-prompt' }, ...asked });
      expect(one.completion).toEqual(other.completion);
      expect(one.completion.values.length).toBeGreaterThan(1);
    }
    const ref = { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' } as const;
    const one = await passed.client.complete({ ref, argument: { name: 'resourceId', value: '4' } });
    expect(one.completion).toMatchObject({ values: ['4'] });
  });

  it('reports changes of subscribed resources', async () => {
    const uri = mode === 'legacy' ? 'demo://resource/dynamic/text/1' : 'demo://resource/dynamic/text/2';
    const { client, heard } = passed;
    const stream = mode === 'legacy' ? null : await client.listen({ resourceSubscriptions: [uri] });
    if (stream === null) await client.subscribeResource({ uri });
    await client.callTool({ name: `${PREFIX}toggle-subscriber-updates`, arguments: {} });
    await vi.waitFor(() => expect(heard.updated).toContain(uri), PATIENCE);
    await client.callTool({ name: `${PREFIX}toggle-subscriber-updates`, arguments: {} });
    if (stream === null) await client.unsubscribeResource({ uri });
    else await stream.close();
  });

  it('reports a changed list of resources, which then has the new one', async () => {
    const { client, heard } = passed;
    const name = `${mode === 'legacy' ? 'one' : 'two'}.txt.gz`;
    const args = { name, data: 'data:text/plain;base64,aGVsbG8=', outputType: 'resourceLink' };
    await client.callTool({ name: `${PREFIX}gzip-file-as-resource`, arguments: args });
    await vi.waitFor(() => expect(heard.changed).toContain('resources'), PATIENCE);
    const { resources } = await client.listResources();
    const found = resources.find(({ uri }) => uri.endsWith(name));
    expect(found).toMatchObject({ uri: `demo://resource/session/${name}` });
    const { contents } = await client.readResource({ uri: found?.uri ?? '' });
    expect(contents).toMatchObject([{ mimeType: 'application/gzip', blob: expect.any(String) }]);
  });
});

describe('a server of the stateless protocol behind Switchboard', () => {
  let server: HttpMcpServer;
  let behind: ServedEndpoint;
  beforeAll(async () => {
    server = await startHttpMcpServer();
    behind = await serveEndpoint({ 'newer/mcp.json': JSON.stringify({ url: server.url, headers: { 'x-key': KEY } }) });
  });
  afterAll(async () => {
    await behind.close();
    await server.close();
  });

  it('has its resources and prompts with icons, annotations and metadata', async () => {
    const { client } = await connect({ pin: MODERN_VERSION }, new URL(behind.url));
    const { resources } = await client.listResources();
    expect(resources.find(({ uri }) => uri === 'note://today')).toEqual({
      uri: 'note://today',
      name: 'today',
      title: 'Note of today',
      mimeType: 'text/plain',
      size: 5,
      icons: [{ src: 'data:image/png;base64,AA==', sizes: ['16x16'], theme: 'dark' }],
      annotations: { audience: ['user'], priority: 0.5 },
      _meta: { 'example.org/kind': 'note' },
    });
    const { contents } = await client.readResource({ uri: 'note://today' });
    expect(contents).toEqual([{ uri: 'note://today', text: 'hello', _meta: { 'example.org/read': true } }]);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'newer__greet', title: 'Greet' }]);
    expect(await client.getPrompt({ name: 'newer__greet' })).toMatchObject({ messages: [{ role: 'user', content: { text: 'Hi' } }] });
    await client.close();
  });

  it('reports changes of subscribed resources to clients of both generations', async () => {
    for (const mode of ['legacy', { pin: MODERN_VERSION }] as const) {
      const { client, heard } = await connect(mode, new URL(behind.url));
      const stream = mode === 'legacy' ? null : await client.listen({ resourceSubscriptions: ['note://today'] });
      if (stream === null) await client.subscribeResource({ uri: 'note://today' });
      await vi.waitFor(() => {
        server.change('note://today');
        expect(heard.updated).toContain('note://today');
      }, PATIENCE);
      await client.close();
    }
  });

  it('asks the client that called its tool, and no other', async () => {
    for (const mode of ['legacy', { pin: MODERN_VERSION }] as const) {
      const client = new Client(ABOUT, { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } });
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
      await client.connect(new StreamableHTTPClientTransport(new URL(behind.url)));
      expect(await client.callTool({ name: 'newer__greet', arguments: {} })).toMatchObject({ content: [{ text: 'Hello, Ada' }] });
      await client.close();
    }
    const client = new Client(ABOUT, { versionNegotiation: { mode: { pin: MODERN_VERSION } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(behind.url)));
    // The server knows from the request that this caller cannot answer.
    expect(await client.callTool({ name: 'newer__greet', arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('client capabilities do not declare') }],
    });
    await client.close();
  });

  it('is named in the error while it is unreachable', async () => {
    const { client } = await connect('legacy', new URL(behind.url));
    await server.close();
    await expect(client.readResource({ uri: 'note://today' })).rejects.toThrow(
      /The MCP server of “newer” is not available: .*cannot be reached/,
    );
    await client.close();
  });
});
