import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isAlive } from '#lib/testing/child-processes.ts';
import { type HttpMcpServer, KEY, type SseMcpServer, startHttpMcpServer, startSseMcpServer } from '#lib/testing/http-mcp-server.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, oneTool, startHost } from '#lib/testing/living-host.ts';

const FIXTURE = path.resolve(import.meta.dirname, '../runtime/fixtures/mcp-server.mjs');
const PATIENCE = { timeout: 15_000 };
const misbehaving = JSON.stringify({ command: 'node', args: [FIXTURE], retries: 60 });

let living: LivingHost | null = null;
let remote: HttpMcpServer | null = null;
let older: SseMcpServer | null = null;
afterEach(async () => {
  await living?.remove();
  await remote?.close();
  await older?.close();
  living = null;
  remote = null;
  older = null;
});

async function start(files: Readonly<Record<string, string>>, change = {}): Promise<LivingHost> {
  living = await startHost(files, change);
  return living;
}

function text(call: { readonly result: unknown }): unknown {
  return call.result;
}

/** Exits on a request that it does not know. */
const STRICT = `let said = ''; process.stdin.on('data', (bytes) => {
  said += bytes;
  for (let at = said.indexOf('\\n'); at >= 0; at = said.indexOf('\\n')) {
    const { id, method, params } = JSON.parse(said.slice(0, at));
    said = said.slice(at + 1);
    if (method === 'server/discover') process.exit(4);
    const results = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'strict', version: '1' } },
      'tools/list': { tools: [{ name: 'old', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'as ever' }] },
    };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
  }
});`;

describe('an MCP server over stdio', () => {
  let shared: LivingHost;
  beforeAll(async () => {
    shared = await startHost({ 'x/mcp.json': misbehaving, 'strict/mcp.json': JSON.stringify({ command: 'node', args: ['-e', STRICT] }) });
  });
  afterAll(() => shared.remove());

  it('works despite other output, and its odd tools are available with warnings', async () => {
    const { host, call, extension } = shared;
    expect(extension('x')).toMatchObject({ state: 'ready', name: 'misbehaving', instructions: 'Use with care.' });
    expect(extension('x')?.warnings.join('\n')).toMatch(/`retries` in mcp\.json is unknown/);
    const { logs } = must(await host.extensions.get('x'));
    expect(logs).toContainEqual(expect.objectContaining({ stream: 'stdout', message: expect.stringContaining('Welcome') }));
    expect(must(host.tools.get('x__bad_name_1')).warnings).toEqual([expect.stringContaining('bad name/1')]);
    expect(must(host.tools.get('x__odd')).warnings).toEqual([expect.stringContaining('only the server validates')]);
    expect(text(await call('x__bad_name_1'))).toEqual({ content: [{ type: 'text', text: 'named' }] });
    expect(must(host.tools.get('x__deep'))).toMatchObject({
      parameters: { type: 'object' },
      warnings: [expect.stringContaining('nested more than 64 levels deep')],
    });
    expect(text(await call('x__deep', { a: [1] }))).toEqual({ content: [{ type: 'text', text: '{"a":[1]}' }] });
    expect(text(await call('x__odd', { a: [1] }))).toEqual({ content: [{ type: 'text', text: '{"a":[1]}' }] });
    expect(text(await call('x__echo'))).toEqual({ content: [{ type: 'text', text: 'nothing' }] });
  });

  it('that exits on an unknown request is restarted once, with the reason in its log', async () => {
    const { call, host } = shared;
    expect(text(await call('strict__old'))).toMatchObject({ content: [{ text: 'as ever' }] });
    expect(must(host.extensions.logs('strict', {})).lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: expect.stringMatching(/exit code 4 before it had answered; it is started once more/),
      }),
    );
  });

  it('that violates its own output schema gets a different error than invalid arguments', async () => {
    const { call } = shared;
    expect(await call('x__promise', { gives: 1 })).toMatchObject({ status: 'succeeded', result: { structuredContent: { count: 1 } } });
    expect((await call('x__promise', { gives: 'one' })).error).toMatchObject({
      kind: 'schema_error',
      message: expect.stringContaining('output_schema: /structuredContent/count must be a whole number, but it is a string.'),
      data: { content: [{ type: 'text', text: 'it' }], structuredContent: { count: 'one' } },
    });
    expect((await call('x__promise')).error).toMatchObject({
      kind: 'schema_error',
      message: expect.stringContaining('structured content'),
      data: { content: [{ type: 'text', text: 'nothing' }] },
    });
  });

  it('has its log messages stored with the only running call', async () => {
    const { call } = shared;
    expect((await call('x__log')).logs).toMatchObject([{ level: 'warn', message: 'core: something happened' }]);
  });

  it('is notified of a cancelled call', async () => {
    const { call, log } = shared;
    expect((await call('x__hang', {}, { timeoutMs: 200 })).status).toBe('timed_out');
    expect((await call('x__echo')).status).toBe('succeeded');
    expect(log.join('\n')).not.toContain('unresponsive');
  });

  it('can change its tools while it runs, and the next start has them', async () => {
    const { host, call } = await start({ 'x/mcp.json': misbehaving, 'y/extension.ts': oneTool('x__taken', 'y') });
    const { version } = host.tools.list();
    await call('x__grow');
    await vi.waitFor(() => expect(must(host.tools.get('x__grown')).parameters).toMatchObject({ properties: { size: {} } }), PATIENCE);
    expect(host.tools.list().version).toBe(version + 1);
    expect(must(await host.snapshots.get(version + 1))).toMatchObject({
      cause: { kind: 'described' },
      changes: { tools_added: ['x__grown'] },
    });
    expect((await call('x__grown', { size: 'large' })).error).toMatchObject({ kind: 'invalid_parameters' });
    living = (await living?.restart()) ?? null;
    expect(living?.host.tools.get('x__grown').ok).toBe(true);
    // The server has lost the session, which is detected at its first use after the start.
    await living?.call('x__echo');
    await vi.waitFor(() => expect(living?.host.tools.get('x__grown').ok).toBe(false), PATIENCE);
  });

  it('is restarted when it dies, with its tools unavailable meanwhile, and stopped after a crash loop', async () => {
    const { host, call, extension } = await start({ 'x/mcp.json': misbehaving });
    let unavailableCount = 0;
    host.events.subscribe(() => (unavailableCount += must(host.tools.get('x__echo')).available ? 0 : 1), ['snapshot.changed']);
    expect((await call('x__die')).error).toMatchObject({ kind: 'extension_crashed', message: expect.stringContaining('exit code 4') });
    await vi.waitFor(
      () => expect(must(host.tools.get('x__echo')).unavailable_reason ?? '').toMatch(/stopped and is started again/),
      PATIENCE,
    );
    expect(
      must(await host.extensions.get('x'))
        .logs.map(({ message }) => message)
        .join('\n'),
    ).toMatch(/I am dying[^]*exit code 4/);
    await vi.waitFor(() => expect(unavailableCount).toBeGreaterThan(0), PATIENCE);
    expect((await call('x__echo')).status).toBe('succeeded');
    await call('x__die');
    await call('x__die');
    await vi.waitFor(
      () => expect(extension('x')?.failure).toMatchObject({ code: 'crash_loop', hint: expect.stringMatching(/press Restart/i) }),
      PATIENCE,
    );
    await vi.waitFor(() => expect(extension('x')).toMatchObject({ state: 'ready', process: { state: 'running' } }), PATIENCE);
    expect((await call('x__echo')).status).toBe('succeeded');
    await vi.waitFor(
      async () => expect(must(await host.failures.list({ limit: 5 })).groups).toMatchObject([{ code: 'crash_loop', status: 'resolved' }]),
      PATIENCE,
    );
  });

  it.runIf(process.platform === 'linux')('is ended when it takes too much memory', async () => {
    const { host, call } = await start({ 'x/mcp.json': misbehaving }, { extensionMemoryMb: 300 });
    expect((await call('x__fill')).error).toMatchObject({ kind: 'extension_crashed', data: { reason: 'memory_limit' } });
    expect(must(await host.extensions.get('x')).logs).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('300 MB') }),
    );
  });

  it('is not affected by a change of its neighbour in one file, and ends with its child processes', async () => {
    const entry = (more: object) =>
      JSON.stringify({ mcpServers: { x: JSON.parse(misbehaving), y: { command: 'node', args: [FIXTURE], ...more } } });
    const { call, save, extension } = await start({ 'mcp.json': entry({}) });
    const { result } = await call('x__leave_child');
    const child = Number(JSON.stringify(result).match(/"(\d+)"/)?.[1]);
    expect(isAlive(child)).toBe(true);
    const before = extension('x');
    await save({ 'mcp.json': entry({ prefix: 'why_' }) });
    await vi.waitFor(() => expect(extension('y')?.tools).toContain('why_echo'), PATIENCE);
    expect(extension('x')?.process.pid).toBe(before?.process.pid);
    await save({ 'mcp.json': null });
    await vi.waitFor(() => expect(extension('x')).toBeUndefined(), PATIENCE);
    await vi.waitFor(() => expect(isAlive(child)).toBe(false), PATIENCE);
  });

  it('is started again when its own file beside mcp.json is saved', async () => {
    const { readFile } = await import('node:fs/promises');
    const code = await readFile(FIXTURE, 'utf8');
    const { call, save, extension } = await start({ 'x/mcp.json': '{"command": "node", "args": ["server.mjs"]}', 'x/server.mjs': code });
    const revision = extension('x')?.revision ?? 0;
    await save({ 'x/server.mjs': code.replace("text('logged')", "text('changed')") });
    await vi.waitFor(() => expect(extension('x')?.serving_revision).toBe(revision + 1), PATIENCE);
    expect(JSON.stringify((await call('x__log')).result)).toContain('changed');
  });

  it('keeps serving the last good entry when the next one is broken, and finds a missing variable once it is set', async () => {
    const { call, save, extension } = await start({ 'x/mcp.json': misbehaving });
    await save({ 'x/mcp.json': '{"command": "node", "args": ["${SERVER_FILE}"]}' });
    await vi.waitFor(() => expect(extension('x')).toMatchObject({ state: 'degraded', failure: { code: 'config_missing' } }), PATIENCE);
    expect((await call('x__echo')).status).toBe('succeeded');
    await save({ 'x/.env': `SERVER_FILE=${FIXTURE}` });
    await vi.waitFor(() => expect(extension('x')?.state).toBe('ready'), PATIENCE);
  });
});

describe('an MCP server at a URL', () => {
  const entry = (url: string, key = '${KEY:-let-me-in}') => JSON.stringify({ url, headers: { 'X-Key': key } });

  it('of the newer protocol version is used with it, and with headers', async () => {
    remote = await startHttpMcpServer();
    const { host, call, extension } = await start({ 'far/mcp.json': entry(remote.url, KEY) });
    await vi.waitFor(() => expect(extension('far')).toMatchObject({ state: 'ready', instructions: 'Count on it.' }), PATIENCE);
    expect(must(await host.extensions.get('far')).status).toMatchObject({ protocol: '2026-07-28', server: 'newer 2.0.0' });
    expect(must(host.tools.get('far__double')).label).toBe('Double it');
    expect((await call('far__double', { value: 21 })).result).toMatchObject({ structuredContent: { doubled: 42 } });
    remote.grow();
    await vi.waitFor(() => expect(host.tools.get('far__triple').ok).toBe(true), PATIENCE);
  });

  it('is refused without its key', async () => {
    remote = await startHttpMcpServer();
    const { extension } = await start({ 'far/mcp.json': entry(remote.url, 'wrong') });
    expect(extension('far')?.failure).toMatchObject({ code: 'mcp_error', message: expect.stringContaining('401') });
  });

  it('is retried automatically until it is reachable, without delaying others', async () => {
    remote = await startHttpMcpServer();
    const { port, url } = remote;
    await remote.close();
    const { call, extension, host } = await start({ 'far/mcp.json': entry(url), 'near/extension.ts': oneTool('near_tool', 'here') });
    expect(extension('far')).toMatchObject({ state: 'failed', failure: { code: 'mcp_error' } });
    expect((await call('near_tool')).status).toBe('succeeded');
    remote = await startHttpMcpServer(port);
    await vi.waitFor(() => expect(extension('far')?.state).toBe('ready'), PATIENCE);
    await vi.waitFor(
      async () => expect(must(await host.failures.list({ limit: 5 })).groups).toMatchObject([{ extension: 'far', status: 'resolved' }]),
      PATIENCE,
    );
    await remote.close();
    expect((await call('far__double', { value: 1 })).error).toMatchObject({
      kind: 'extension_crashed',
      message: expect.stringContaining('cannot be reached'),
    });
    remote = await startHttpMcpServer(port);
    // A connection may have been retried before the server was ready.
    await vi.waitFor(async () => expect((await call('far__double', { value: 1 })).status).toBe('succeeded'), {
      ...PATIENCE,
      interval: 500,
    });
  });
});

describe('an MCP server over the older HTTP+SSE transport', () => {
  const entry = (url: string, more = {}) => JSON.stringify({ url, headers: { 'X-Key': KEY }, ...more });

  it.each([{}, { type: 'sse' }])('is used over that transport (%o), and again after an outage', async (more) => {
    older = await startSseMcpServer();
    const { port } = older;
    const { host, call, extension } = await start({ 'far/mcp.json': entry(older.url, more) });
    await vi.waitFor(() => expect(extension('far')).toMatchObject({ state: 'ready' }), PATIENCE);
    expect(must(await host.extensions.get('far')).status).toMatchObject({ connected_by: 'HTTP+SSE', server: 'first 0.1.0' });
    expect((await call('far__double', { value: 21 })).result).toMatchObject({ content: [{ type: 'text', text: '42' }] });
    await older.close();
    older = await startSseMcpServer(port);
    await vi.waitFor(async () => expect((await call('far__double', { value: 1 })).status).toBe('succeeded'), {
      ...PATIENCE,
      interval: 500,
    });
  });

  it('is refused without its key, or when its stream never sends an endpoint', async () => {
    older = await startSseMcpServer();
    const silent = older.url.replace('/sse', '/silent');
    const { extension } = await start({
      'locked/mcp.json': entry(older.url, { type: 'sse', headers: {} }),
      'silent/mcp.json': entry(silent),
      'mute/mcp.json': entry(silent, { type: 'sse' }),
    });
    await vi.waitFor(
      () => expect(['locked', 'silent', 'mute'].map((id) => extension(id)?.state)).toEqual(['failed', 'failed', 'failed']),
      PATIENCE,
    );
    expect(extension('locked')?.failure).toMatchObject({ code: 'mcp_error', message: expect.stringContaining('401; check `headers`') });
    expect(extension('silent')?.failure).toMatchObject({ code: 'mcp_error', message: expect.stringContaining('HTTP status 405') });
    expect(extension('mute')?.failure).toMatchObject({
      code: 'mcp_error',
      message: expect.stringContaining('no address for POST requests'),
    });
  });

  it('reports the system error when nothing listens', async () => {
    older = await startSseMcpServer();
    await older.close();
    const { extension } = await start({ 'far/mcp.json': entry(older.url, { type: 'sse' }) });
    expect(extension('far')?.failure).toMatchObject({ code: 'mcp_error', message: expect.stringContaining('cannot be reached') });
    older = null;
  });
});
