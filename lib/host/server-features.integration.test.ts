import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

const STDIO_SERVER = path.resolve(import.meta.dirname, '../runtime/fixtures/stdio-server.mjs');
const PATIENCE = { timeout: 15_000, interval: 50 };

let living: LivingHost | null = null;
afterEach(async () => {
  await living?.remove();
  living = null;
});

/** A server with resources and prompts, as code that may change `resources`, `prompts` and `answers`. */
const server = (id: string, code = ''): Readonly<Record<string, string>> => ({
  [`${id}/mcp.json`]: JSON.stringify({ command: 'node', args: ['server.mjs'] }),
  [`${id}/server.mjs`]: `
    import { send, serve, text, tool } from ${JSON.stringify(STDIO_SERVER)};
    let resources = [{ uri: 'note://shared', name: '${id}' }, { uri: 'note://${id}', name: 'own' }];
    let prompts = [{ name: 'ask' }];
    const answers = {
      'resources/list': () => ({ resources }),
      'resources/read': ({ uri }) => ({ contents: [{ uri, text: '${id}' }] }),
      'resources/subscribe': ({ uri }) => {
        setTimeout(() => send({ method: 'notifications/resources/updated', params: { uri } }), 5);
        return {};
      },
      'resources/unsubscribe': () => ({}),
      'prompts/list': () => ({ prompts }),
      'prompts/get': ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: name } }] }),
    };
    ${code}
    serve({
      capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, prompts: {} },
      list: () => [tool('work'), tool('stop')],
      call: ({ name }) => (name === 'stop' ? process.exit(3) : text('done')),
      answers,
    });
  `,
});

describe('resources and prompts of MCP servers', () => {
  it('with the same name belong to the first id, and the other extension has a warning', async () => {
    living = await startHost({ ...server('b'), ...server('a') });
    const { servers } = living.host;
    expect(servers.list().map(({ extension, features }) => [extension, features.resources.map(({ uri }) => uri)])).toEqual([
      ['a', ['note://shared', 'note://a']],
      ['b', ['note://b']],
    ]);
    expect(servers.list().flatMap(({ features }) => features.prompts)).toEqual([{ name: 'a__ask' }, { name: 'b__ask' }]);
    expect(living.extension('b')?.warnings).toEqual(['The resource “note://shared” belongs to the extension “a”; agents get that one.']);
    expect(living.extension('a')?.warnings).toEqual([]);
    expect(must(servers.features('b')).resources).toHaveLength(2);
  });

  it('are gone while the extension is disabled, and known after a restart', async () => {
    living = await startHost(server('a'));
    await living.host.extensions.disable('a', { name: 'Ada' });
    expect(living.host.servers.list()).toEqual([]);
    expect(await living.host.servers.request('a', 'resources/read', { uri: 'note://a' })).toMatchObject({
      ok: false,
      error: { away: true, message: 'The MCP server of “a” is not available: its extension is not serving.' },
    });
    must(await living.host.extensions.enable('a', { name: 'Ada' }));
    living = await living.restart();
    expect(living.extension('a')?.process.state).toBe('none');
    expect(living.host.servers.list()).toMatchObject([{ extension: 'a', features: { prompts: [{ name: 'a__ask' }] } }]);
    // The first request starts its process.
    expect(await living.host.servers.request('a', 'prompts/get', { name: 'a__ask' })).toMatchObject({
      ok: true,
      value: { messages: [{ content: { text: 'ask' } }] },
    });
  });

  it('are read again when the server reports a change', async () => {
    const code = `
      answers['prompts/get'] = () => {
        resources = [{ uri: 'note://later', name: 'later' }];
        send({ method: 'notifications/resources/list_changed' });
        return { messages: [] };
      };
    `;
    living = await startHost(server('a', code));
    const { servers } = living.host;
    await servers.request('a', 'prompts/get', { name: 'a__ask' });
    await vi.waitFor(() => expect(servers.list()[0]?.features.resources).toEqual([{ uri: 'note://later', name: 'later' }]), PATIENCE);
  });

  it('that cannot be listed leave the tools as they are, with a warning', async () => {
    const code = `
      answers['resources/list'] = () => { throw new Error('The disk is away'); };
      delete answers['prompts/list'];
    `;
    living = await startHost(server('a', code));
    expect(living.extension('a')).toMatchObject({
      state: 'ready',
      tools: ['a__work', 'a__stop'],
      warnings: [expect.stringMatching(/^Its list of resources could not be read\. .*The disk is away/)],
    });
    expect(living.host.servers.list()).toMatchObject([{ features: { resources: [], prompts: [] } }]);
  });

  it('that can be listed later are read again', async () => {
    const code = `
      let refusals = 2;
      answers['resources/list'] = () => {
        if (refusals-- > 0) throw new Error('The disk is away');
        return { resources };
      };
    `;
    living = await startHost(server('a', code));
    const { servers } = living.host;
    await vi.waitFor(() => expect(servers.list()[0]?.features.resources).toHaveLength(2), PATIENCE);
    expect(living.extension('a')?.warnings).toEqual([]);
  });

  it.each<[string, string, object]>([
    ['no contents', '({})', { message: expect.stringContaining('is not valid MCP: "contents"') }],
    ['contents without text', '({ contents: [{ uri: "a" }] })', { message: expect.stringContaining('is not valid MCP') }],
    ['a broken blob', '({ contents: [{ uri: "a", blob: "%%" }] })', { message: expect.stringContaining('is not valid MCP') }],
    ['a list', '[]', { message: expect.any(String) }],
    ['too many bytes', '({ contents: [{ uri: "a", text: "x".repeat(30000) }] })', { message: expect.stringContaining('larger') }],
  ])('read with %s are an error', async (_what, answer, error) => {
    living = await startHost(server('a', `answers['resources/read'] = () => ${answer};`), { maxResultBytes: 20_000 });
    expect(await living.host.servers.request('a', 'resources/read', { uri: 'note://a' })).toMatchObject({ ok: false, error });
  });

  it('that never answer end with the time limit of calls', async () => {
    living = await startHost(server('a', `answers['resources/read'] = () => new Promise(() => undefined);`), { callTimeoutMs: 300 });
    expect(await living.host.servers.request('a', 'resources/read', { uri: 'note://a' })).toMatchObject({
      ok: false,
      error: { away: true, message: expect.stringContaining('did not answer in time') },
    });
  });

  it('keep an idle server running while a client subscribes to them; the next call starts it again', async () => {
    const files = server('a');
    const entry = { command: 'node', args: ['server.mjs'], keepAlive: false };
    living = await startHost({ ...files, 'a/mcp.json': JSON.stringify(entry), ...server('kept') }, { extensionIdleMs: 100 });
    const { servers } = living.host;
    const processOf = (id: string) => living?.extension(id)?.process;
    const untilEnded = () => vi.waitFor(() => expect(processOf('a')).toMatchObject({ state: 'none', kept: null }), PATIENCE);
    await untilEnded();
    expect(must(servers.features('a')).resources).toHaveLength(2);
    expect(await servers.subscribe('a', 'note://a')).toEqual({ ok: true, value: {} });
    expect(processOf('a')).toMatchObject({ state: 'running', kept: 'session' });
    servers.unsubscribe('a', 'note://a');
    await untilEnded();
    expect((await living.call('a__work')).status).toBe('succeeded');
    await untilEnded();
    expect(processOf('a')?.restarts).toBe(0);
    expect(processOf('kept')).toMatchObject({ state: 'running', kept: 'session' });
    must(await living.host.extensions.keepAlive('a', true, { name: 'Ada' }));
    expect((await living.call('a__work')).status).toBe('succeeded');
    expect(processOf('a')).toMatchObject({ state: 'running', kept: 'chosen' });
  });

  it('have no subscribers if the server refuses', async () => {
    const refuses = `answers['resources/subscribe'] = () => { throw Object.assign(new Error('Not this one'), { code: -32002 }); };`;
    living = await startHost(server('a', refuses));
    const { servers } = living.host;
    const both = await Promise.all([servers.subscribe('a', 'note://a'), servers.subscribe('a', 'note://a')]);
    expect(both).toMatchObject([{ ok: false }, { ok: false }]);
    expect(await servers.subscribe('a', 'note://a')).toMatchObject({ ok: false });
  });

  it('are subscribed to again by a new process of the server', async () => {
    living = await startHost(server('a'));
    const { servers } = living.host;
    const updates: string[] = [];
    servers.onNotice((notice) => {
      if (notice.method === 'notifications/resources/updated') updates.push(notice.params.uri);
    });
    expect(await servers.subscribe('a', 'note://a')).toEqual({ ok: true, value: {} });
    await vi.waitFor(() => expect(updates).toEqual(['note://a']), PATIENCE);
    await living.call('a__stop');
    await vi.waitFor(async () => expect((await living?.call('a__work'))?.status).toBe('succeeded'), PATIENCE);
    await vi.waitFor(() => expect(updates).toEqual(['note://a', 'note://a']), PATIENCE);
    servers.unsubscribe('a', 'note://a');
  });
});
