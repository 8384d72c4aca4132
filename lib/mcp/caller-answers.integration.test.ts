import path from 'node:path';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { REDACTED } from '#lib/contract/secret-names.ts';
import { must } from '#lib/testing/living-host.ts';
import { answererOfSession } from './caller-answers.ts';
import { messageOf, messagesOf, type ServedEndpoint, serveEndpoint } from './mcp-harness.ts';
import { META, MODERN_VERSION } from './protocol.ts';
import { createSessions } from './sessions.ts';

const EVERYTHING = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const STDIO_SERVER = path.resolve(import.meta.dirname, '../runtime/fixtures/stdio-server.mjs');
/** A server whose tool asks twice, one whose tool waits for its end, and a resource and a prompt that ask. */
const ASKING = `
  import { send, serve, text, tool } from ${JSON.stringify(STDIO_SERVER)};
  const asked = new Map();
  let wanted = 'none';
  const ask = (message) => {
    const id = 'q' + asked.size;
    const { promise, resolve } = Promise.withResolvers();
    asked.set(id, resolve);
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    send({ id, method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } });
    return promise;
  };
  serve({
    capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} },
    answers: {
      'logging/setLevel': ({ level }) => ((wanted = level), {}),
      'resources/list': () => ({ resources: [{ uri: 'note://one', name: 'one' }] }),
      'resources/read': async ({ uri }) => {
        if (uri !== 'note://one') throw Object.assign(new Error('No such note'), { code: -32002, data: { uri } });
        return { contents: [{ uri, text: JSON.stringify(await ask('Read?')) }] };
      },
      'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
      'prompts/get': async () => ({ messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(await ask('Prompt?')) } }] }),
    },
    list: () => [tool('twice'), tool('linger'), tool('wanted'), tool('logs')],
    onAnswer: ({ id, result, error }) => asked.get(id)?.(error === undefined ? result : { refused: error.message }),
    async call({ name }) {
      if (name === 'logs') {
        for (const level of ['notice', 'critical'])
          send({ method: 'notifications/message', params: { level, logger: 'core', data: { fault: level, password: 'hunter2' } } });
        return text('logged');
      }
      if (name === 'wanted') return text(wanted);
      if (name === 'linger') return new Promise(() => undefined);
      const first = await ask('First?');
      return text([first, await ask('Second?')]);
    },
  });
`;

let served: ServedEndpoint;
beforeAll(async () => {
  served = await serveEndpoint({
    'every/mcp.json': JSON.stringify({ command: 'node', args: [EVERYTHING] }),
    'asks/mcp.json': JSON.stringify({ command: 'node', args: ['server.mjs'] }),
    'asks/server.mjs': ASKING,
    'own/extension.ts': `
      import type { Tool } from 'switchboard';
      export const TOOL: Tool = {
        label: 'Asks', name: 'own_asks', description: 'Asks.', parameters: { type: 'object' },
        async execute(_args, ctx) {
          const form = await ctx.elicit('Who?', { name: { type: 'string', required: true } });
          const { content } = await ctx.sample('Say it');
          return { form, said: content.text };
        },
      };
    `,
    'python/extension.py': `
async def asks(ctx):
    form = await ctx.elicit("Who?", {"name": {"type": "string", "required": True}})
    return {"form": form, "said": (await ctx.sample("Say it"))["content"]["text"]}

def waits(ctx):
    form = ctx.elicit("Who?", {"name": {"type": "string", "required": True}})
    return {"form": form, "said": ctx.sample("Say it")["content"]["text"]}

TOOLS = [
    {"label": "Asks", "name": f"python_{function.__name__}", "description": "Asks.", "parameters": {"type": "object"}, "execute": function}
    for function in (asks, waits)
]
`,
  });
});
afterAll(() => served.close());

const MODES = [
  ['with a handshake', 'legacy'],
  ['stateless', { pin: MODERN_VERSION }],
] as const;

describe.each(MODES)('a client %s', (_title, mode) => {
  const connected: Client[] = [];
  const connect = async (capabilities: ClientOptions['capabilities'] = {}): Promise<Client> => {
    const client = new Client({ name: 'official client', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities });
    connected.push(client);
    if (capabilities.elicitation !== undefined)
      client.setRequestHandler('elicitation/create', ({ params }) => ({ action: 'accept', content: { name: `Ada to ${params.message}` } }));
    if (capabilities.sampling !== undefined)
      client.setRequestHandler('sampling/createMessage', () => ({
        role: 'assistant',
        model: 'small',
        content: { type: 'text', text: 'I am a model' },
      }));
    await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
    return client;
  };
  afterAll(() => Promise.all(connected.map((client) => client.close())));

  it('that can fill in forms is asked, each time', async () => {
    const client = await connect({ elicitation: { form: {} } });
    const { content } = await client.callTool({ name: 'asks__twice', arguments: {} });
    const said: unknown = JSON.parse(content[0]?.type === 'text' ? content[0].text : '');
    expect(said).toEqual(['First?', 'Second?'].map((message) => ({ action: 'accept', content: { name: `Ada to ${message}` } })));
    expect(must(await served.living.host.calls.list({ tool: 'asks__twice', limit: 1 })).calls).toMatchObject([{ status: 'succeeded' }]);
  });

  it('that has a model is asked for a message', async () => {
    const client = await connect({ sampling: {} });
    const { content } = await client.callTool({ name: 'every__trigger-sampling-request', arguments: { prompt: 'Who?', maxTokens: 5 } });
    expect(JSON.stringify(content)).toContain('I am a model');
  });

  it.each(['own_asks', 'python_asks', 'python_waits'])(
    "answers the question of the extension's own tool %s, or the tool fails with the reason",
    async (name) => {
      const client = await connect({ elicitation: { form: {} }, sampling: {} });
      expect(await client.callTool({ name, arguments: {} })).toMatchObject({
        structuredContent: { form: { action: 'accept', content: { name: 'Ada to Who?' } }, said: 'I am a model' },
      });
      const other = await connect({ elicitation: { form: {} } });
      expect(await other.callTool({ name, arguments: {} })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('The caller has no language model to offer (sampling).') }],
      });
    },
  );

  it('that cannot answer refuses the question, and the server gets the reason', async () => {
    const client = await connect();
    const { content } = await client.callTool({ name: 'asks__twice', arguments: {} });
    expect(JSON.stringify(content)).toContain('The caller cannot fill in a form (elicitation).');
  });

  it('may be asked when it reads a resource or gets a prompt', async () => {
    const client = await connect({ elicitation: { form: {} } });
    const { contents } = await client.readResource({ uri: 'note://one' });
    expect(JSON.stringify(contents)).toContain('Ada to Read?');
    const { messages } = await client.getPrompt({ name: 'asks__greet' });
    expect(JSON.stringify(messages)).toContain('Ada to Prompt?');
  });

  it('that cannot answer refuses the question of a read, also while the call of another client runs', async () => {
    const [reader, caller] = await Promise.all([connect(), connect({ elicitation: { form: {} } })]);
    const { contents } = await reader.readResource({ uri: 'note://one' });
    expect(JSON.stringify(contents)).toContain('The caller cannot fill in a form (elicitation).');
    const controller = new AbortController();
    const lingering = caller.callTool({ name: 'asks__linger', arguments: {} }, { signal: controller.signal });
    await vi.waitFor(async () =>
      expect(must(await served.living.host.calls.list({ tool: 'asks__linger', limit: 1 })).calls[0]?.status).toBe('running'),
    );
    expect(JSON.stringify(await reader.getPrompt({ name: 'asks__greet' }))).toContain('Several calls of this server run at once');
    controller.abort();
    await expect(lingering).rejects.toThrow(/abort/i);
    await vi.waitFor(async () =>
      expect(must(await served.living.host.calls.list({ tool: 'asks__linger', limit: 1 })).calls[0]?.status).toBe('cancelled'),
    );
  });

  it('is not asked while several calls run, since the server does not say which of them asks', async () => {
    const client = await connect({ elicitation: { form: {} } });
    const controller = new AbortController();
    const lingering = client.callTool({ name: 'asks__linger', arguments: {} }, { signal: controller.signal });
    await vi.waitFor(async () =>
      expect(must(await served.living.host.calls.list({ tool: 'asks__linger', limit: 1 })).calls[0]?.status).toBe('running'),
    );
    const { content } = await client.callTool({ name: 'asks__twice', arguments: {} });
    expect(JSON.stringify(content)).toContain('Several calls of this server run at once');
    controller.abort();
    await expect(lingering).rejects.toThrow(/abort/i);
    await vi.waitFor(async () =>
      expect(must(await served.living.host.calls.list({ tool: 'asks__linger', limit: 1 })).calls[0]?.status).toBe('cancelled'),
    );
  });
});

it('a read from the dashboard refuses questions of the server', async () => {
  const answer = await served.living.host.servers.request('asks', 'resources/read', { uri: 'note://one' });
  expect(JSON.stringify(answer)).toContain('The caller cannot fill in a form (elicitation).');
});

it('a server with the logging capability is asked for messages of all levels', async () => {
  await vi.waitFor(async () => expect((await served.living.call('asks__wanted')).result).toMatchObject({ content: [{ text: 'debug' }] }));
});

it('log messages of a server reach clients with its level, its logger and its data, filtered by its level', async () => {
  const logged = async (least: string): Promise<unknown[]> => {
    const answer = await served.modern('tools/call', { name: 'asks__logs', arguments: {} }, { meta: { [META.logLevel]: least } });
    return (await messagesOf(answer)).slice(0, -1);
  };
  const message = (level: string) => ({
    method: 'notifications/message',
    params: { level, logger: 'core', data: { fault: level, password: REDACTED } },
  });
  expect(await logged('info')).toMatchObject([message('notice'), message('critical')]);
  expect(await logged('critical')).toMatchObject([message('critical')]);
  expect(must(await served.living.host.calls.list({ tool: 'asks__logs', limit: 1 })).calls).toMatchObject([{ status: 'succeeded' }]);
});

it('an unknown resource has the error code of the protocol version of each client', async () => {
  const params = { uri: 'note://two' };
  const legacy = await messageOf(await served.legacy('resources/read', params, { session: await served.openSession() }));
  expect(legacy).toMatchObject({ error: { code: -32_002, message: 'No such note', data: params } });
  const modern = await messageOf(await served.modern('resources/read', params));
  expect(modern).toMatchObject({ error: { code: -32_602, message: 'No such note', data: params } });
});

it('an elicitation by URL has an id in a session, also from a server that sends none', () => {
  const session = createSessions().open('2025-11-25', null, null, ['url']);
  const sent: unknown[] = [];
  const over = new AbortController();
  const answerer = answererOfSession(session, { servers: [], member: undefined }, (request) => sent.push(request), over.signal);
  const ask = (params: Record<string, unknown>) =>
    void answerer?.answer({ method: 'elicitation/create', params: { mode: 'url', ...params } });
  ask({ message: 'Open it', url: 'https://example.org' });
  ask({ elicitationId: 'its own' });
  over.abort();
  expect(sent).toMatchObject([{ params: { mode: 'url', elicitationId: expect.any(String) } }, { params: { elicitationId: 'its own' } }]);
  expect(session.elicitations.size).toBe(2);
});

it('a call without a client refuses questions', async () => {
  const call = await served.living.call('asks__twice');
  expect(JSON.stringify(call.result)).toContain('The caller cannot fill in a form (elicitation).');
});

it('a request state that belongs to no call is refused', async () => {
  const answer = await served.modern('tools/call', { name: 'asks__twice', arguments: {}, requestState: 'none', inputResponses: {} });
  expect(await answer.json()).toMatchObject({ error: { code: -32_602, message: expect.stringContaining('has ended') } });
});
