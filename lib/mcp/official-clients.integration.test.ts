import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { must } from '#lib/testing/living-host.ts';
import { type ConnectedClient, type Heard, OFFICIAL_CLIENTS, type OfficialClient } from './clients-for-tests.ts';
import { AGENT_FILES, type ServedEndpoint, serveEndpoint } from './mcp-harness.ts';
import { statusUri } from './resources.ts';
import { saveCallRequest } from '#lib/testing/api-records.ts';

const EVERYTHING = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
let served: ServedEndpoint;
beforeAll(async () => {
  served = await serveEndpoint({
    ...AGENT_FILES,
    'remote/mcp.json': JSON.stringify({ command: 'node', args: [EVERYTHING] }),
    'broken/extension.ts': 'export const TOOL = {',
  });
});
afterAll(() => served.close());

describe.each(OFFICIAL_CLIENTS.map((client) => [client.title, client] as const))('%s', (_title, official: OfficialClient) => {
  const connected = new Set<ConnectedClient>();
  const connect = async (heard: Heard = {}): Promise<ConnectedClient> => {
    const client = await official.connect(served.url, heard);
    connected.add(client);
    return client;
  };
  let client: ConnectedClient;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(() => Promise.all([...connected].map((one) => one.close())));

  it('gets the instructions of the extensions', () => {
    expect(client.instructions()).toContain('agent:\nGreet before anything else.');
  });

  it('sees each tool as the dashboard shows it', async () => {
    const { tools } = await client.listTools();
    const shown = must(served.living.host.tools.get('greet'));
    expect(tools.find(({ name }) => name === 'greet')).toEqual({
      name: 'greet',
      title: 'Greeting',
      description: 'Greets somebody.',
      inputSchema: shown.parameters,
      outputSchema: shown.output_schema,
      annotations: { readOnlyHint: true },
    });
    expect(tools.map(({ name }) => name)).toEqual(served.living.host.tools.list().tools.map(({ name }) => name));
    const numbers = tools.find(({ name }) => name === 'numbers');
    expect(numbers?.['outputSchema']).toEqual(official.sessions ? undefined : { type: 'array', items: { type: 'integer' } });
  });

  it('gets objects as text and structured, and texts as they are', async () => {
    expect(await client.callTool('greet', { name: 'Ada' })).toMatchObject({
      content: [{ type: 'text', text: '{"greeting":"Hello, Ada"}' }],
      structuredContent: { greeting: 'Hello, Ada' },
    });
    const words = await client.callTool('words');
    expect(words['content']).toEqual([{ type: 'text', text: 'just words' }]);
    expect(words['structuredContent']).toBeUndefined();
    const numbers = await client.callTool('numbers');
    expect(numbers).toMatchObject({ content: [{ type: 'text', text: '[1,2,3]' }] });
    expect(numbers['structuredContent']).toEqual(official.sessions ? undefined : [1, 2, 3]);
  });

  it('gets results of an MCP server unchanged', async () => {
    expect(await client.callTool('remote__get-tiny-image')).toMatchObject({
      content: expect.arrayContaining([expect.objectContaining({ type: 'image', mimeType: 'image/png' })]),
    });
    expect(await client.callTool('remote__get-structured-content', { location: 'Chicago' })).toMatchObject({
      structuredContent: { conditions: expect.any(String) },
    });
  });

  it('gets a failure as a result with a message', async () => {
    const refused = await client.callTool('refuse');
    expect(refused).toMatchObject({ isError: true, content: [{ type: 'text', text: 'The door is locked; open it first\n{"door":7}' }] });
    const wrong = await client.callTool('greet', { nmae: 'Ada', times: 0 });
    expect(wrong).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(/^The arguments are invalid:\n(- .+\n){2}- .+$/) }],
    });
    expect(JSON.stringify(wrong)).toContain('- /name: is required');
    expect(JSON.stringify(wrong)).toContain('- /nmae: is not a parameter of this tool');
  });

  it('gets an unknown tool as an error of the protocol', async () => {
    await expect(client.callTool('graet')).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('Unknown tool: graet'),
    });
  });

  // A client drops a step that arrives in one chunk with another; the test of the endpoint verifies all steps.
  it('receives progress', async () => {
    const steps: number[] = [];
    const { content } = await client.callTool('steps', {}, { onprogress: ({ progress }) => steps.push(progress) });
    expect(content).toEqual([{ type: 'text', text: 'done' }]);
    expect(steps).toContain(1);
    expect(steps).toEqual([...new Set(steps)].toSorted((one, other) => one - other));
  });

  it('cancels a running call', async () => {
    const controller = new AbortController();
    const waiting = client.callTool('wait_for_end', {}, { signal: controller.signal, onprogress: () => controller.abort() });
    await expect(waiting).rejects.toThrow(/abort/i);
    await vi.waitFor(async () => {
      const { calls } = must(await served.living.host.calls.list({ tool: 'wait_for_end', limit: 1 }));
      expect(calls[0]).toMatchObject({ status: 'cancelled', source: 'mcp', actor: 'official client' });
    });
  });

  it('has its calls in the history, under its name', async () => {
    const answered = await client.callTool('words');
    const meta: unknown = answered['_meta'];
    const id = typeof meta === 'object' && meta !== null ? String(Reflect.get(meta, 'switchboard/call_id')) : '';
    expect(must(await served.living.host.calls.get(id))).toMatchObject({
      tool: 'words',
      source: 'mcp',
      actor: 'official client',
      status: 'succeeded',
    });
  });

  it('is notified of changed tools, and sees them in the next list', async () => {
    const toolsChanged = vi.fn();
    const other = await connect({ toolsChanged });
    const name = `added_${OFFICIAL_CLIENTS.indexOf(official)}`;
    // The stream of notifications is opened beside the connection; later changes are notified.
    await vi.waitFor(
      async () => {
        const text = `export const TOOL = { label: 'Test', name: '${name}', description: '${Math.random()}', parameters: { type: 'object' }, execute: () => 1 };`;
        await served.living.save({ 'added/extension.ts': text });
        await served.living.reload();
        expect(toolsChanged).toHaveBeenCalled();
      },
      { timeout: 10_000, interval: 100 },
    );
    expect((await other.listTools()).tools.map((tool) => tool['name'])).toContain(name);
  });

  it('reads why an extension is not served', async () => {
    const { contents } = await client.readResource(statusUri('broken'));
    const status: unknown = JSON.parse(String(contents[0]?.['text']));
    expect(status).toMatchObject({
      id: 'broken',
      state: 'failed',
      failure: { code: 'syntax_error', file: 'broken/extension.ts', hint: expect.any(String) },
    });
    await expect(client.readResource(statusUri('nobody'))).rejects.toThrow(/There is no resource/);
  });

  it('lists saved calls as prompts, and is notified of changes', async () => {
    const promptsChanged = vi.fn();
    const other = await connect({ promptsChanged });
    const name = `Grüße ${OFFICIAL_CLIENTS.indexOf(official)}`;
    const request = { tool: 'greet', name, arguments: { name: 'Ada ``` x', token: 'hush' }, expectation: { status: 'failed' as const } };
    const { host } = served.living;
    const saved = must(await host.savedCalls.save(saveCallRequest(request), { name: 'Ada' }));
    await vi.waitFor(
      async () => {
        await host.savedCalls.change(saved.id, { name: `${name} ${Math.random()}` }, { name: 'Ada' });
        expect(promptsChanged).toHaveBeenCalled();
      },
      { timeout: 10_000, interval: 100 },
    );
    must(await host.savedCalls.change(saved.id, { name }, { name: 'Ada' }));
    const plain = `greet-grusse-${OFFICIAL_CLIENTS.indexOf(official)}`;
    const { prompts } = await other.listPrompts();
    expect(prompts.find((prompt) => prompt['name'] === plain)).toEqual({
      name: plain,
      title: name,
      description: `Calls greet with the arguments that are saved as “${name}”, and checks the result.`,
    });
    const got = await other.getPrompt(plain);
    expect(got).toMatchObject({ messages: [{ role: 'user', content: { type: 'text', text: expect.stringContaining('`greet`') } }] });
    const text = JSON.stringify(got);
    expect(text).toContain('````json');
    expect(text).toContain('/token');
    expect(text).not.toContain('hush');
    await expect(other.getPrompt('greet-nobody')).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('There is no prompt'),
    });
    must(await host.savedCalls.remove(saved.id, { name: 'Ada' }));
    expect((await other.listPrompts()).prompts.filter((prompt) => String(prompt['name']).startsWith('greet'))).toEqual([]);
  });

  it('receives log messages from warning up in a session, and none otherwise', async () => {
    const lines: unknown[] = [];
    const other = await connect({ logged: (level, data) => lines.push([level, data]) });
    await other.callTool('steps');
    expect(lines).toEqual(official.sessions ? [['warning', { message: 'getting on', data: { step: 1 } }]] : []);
  });
});
