import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { KEY } from '#lib/testing/http-mcp-server.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, startHost } from '#lib/testing/living-host.ts';
import { startSessionMcpServer } from '#lib/testing/session-mcp-server.ts';
import type { SessionMcpServer } from '#lib/testing/session-mcp-server.ts';
import { startSseMcpServer } from '#lib/testing/sse-mcp-server.ts';
import type { SseMcpServer } from '#lib/testing/sse-mcp-server.ts';

const EVERYTHING = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const PATIENCE = { timeout: 30_000, interval: 100 };

let living: LivingHost | null = null;
let remote: SessionMcpServer | null = null;
let older: SseMcpServer | null = null;
let everything: ChildProcess | null = null;
afterEach(async () => {
  await living?.remove();
  await remote?.close();
  await older?.close();
  everything?.kill('SIGKILL');
  living = null;
  remote = null;
  older = null;
  everything = null;
});

async function connect(url: string, more = {}): Promise<LivingHost> {
  living = await startHost({ 'far/mcp.json': JSON.stringify({ url, ...more }) });
  const { extension } = living;
  await vi.waitFor(() => expect(extension('far')?.state).toBe('ready'), PATIENCE);
  return living;
}

const crashes = async ({ host, extension }: LivingHost) => ({
  restarts: extension('far')?.process.restarts,
  failures: must(await host.failures.list({ limit: 5 })).groups.length,
});

describe('an MCP server that lost the session', () => {
  it.each([400, 404] as const)('is reconnected in place, and the call is retried (HTTP status %i)', async (unknownSession) => {
    remote = await startSessionMcpServer({ unknownSession });
    const host = await connect(remote.url);
    const pid = host.extension('far')?.process.pid;
    for (let turn = 1; turn <= 4; turn += 1) {
      expect((await host.call('far__count')).result).toMatchObject({ content: [{ text: String(turn) }] });
      remote.forget();
    }
    expect(remote.carriedOut.filter((method) => method === 'tools/call')).toHaveLength(4);
    expect(host.extension('far')?.process.pid).toBe(pid);
    expect(await crashes(host)).toEqual({ restarts: 0, failures: 0 });
    expect(must(host.host.extensions.logs('far', {})).lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringMatching(/had forgotten the session.*reconnected/) }),
    );
  });

  it('is reconnected once for concurrent calls', async () => {
    remote = await startSessionMcpServer({ unknownSession: 404 });
    const host = await connect(remote.url);
    remote.forget();
    const calls = await Promise.all(Array.from({ length: 5 }, () => host.call('far__count')));
    expect(calls.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'succeeded'));
    expect(remote.carriedOut.filter((method) => method === 'initialize')).toHaveLength(2);
  });

  it('is reconnected without a call, and its changed tools are loaded', async () => {
    remote = await startSessionMcpServer({ unknownSession: 404 });
    const host = await connect(remote.url);
    remote.setTools(['count', 'measure']);
    remote.forget();
    await vi.waitFor(() => expect(host.extension('far')?.tools).toEqual(['far__count', 'far__measure']), PATIENCE);
    expect(await crashes(host)).toEqual({ restarts: 0, failures: 0 });
  });

  it.each([400, 404] as const)(
    'and always does fails the call with its own message, and is not marked as crashed (HTTP status %i)',
    async (unknownSession) => {
      remote = await startSessionMcpServer({ unknownSession });
      const host = await connect(remote.url);
      remote.forgetAlways();
      for (let turn = 0; turn < 4; turn += 1)
        expect((await host.call('far__count')).error?.message).toMatch(/HTTP status 40[04]\. It said: .*[Ss]ession/);
      expect(await crashes(host)).toEqual({ restarts: 0, failures: 0 });
    },
  );

  it('is distinguished from one that refuses a request, which is not repeated', async () => {
    remote = await startSessionMcpServer({ unknownSession: 400 });
    remote.setTools(['refused']);
    const host = await connect(remote.url);
    expect((await host.call('far__refused')).error).toMatchObject({
      kind: 'execution_error',
      message: expect.stringMatching(/HTTP status 400\. It said: The tool “refused” is switched off/),
    });
    expect(remote.carriedOut.filter((method) => method === 'initialize')).toHaveLength(1);
  });
});

describe('a server by Streamable HTTP', () => {
  it.each(['ends', 'breaks'])('whose stream %s without a response fails the call, which may have run', async (name) => {
    remote = await startSessionMcpServer({ unknownSession: 404 });
    remote.setTools([name, 'count']);
    const host = await connect(remote.url);
    expect((await host.call(`far__${name}`)).error).toMatchObject({
      kind: 'extension_crashed',
      message: expect.stringContaining('may have carried out the call'),
    });
    expect((await host.call('far__count')).status).toBe('succeeded');
    expect(remote.carriedOut.filter((method) => method === 'tools/call')).toHaveLength(2);
  });
});

describe('the official server-everything', () => {
  it('answers every call after it was restarted', async () => {
    const port = await freePort();
    await startEverything(port);
    const host = await connect(`http://127.0.0.1:${port}/mcp`);
    expect((await host.call('far__echo', { message: 'before' })).status).toBe('succeeded');
    await startEverything(port);
    for (let turn = 0; turn < 5; turn += 1)
      expect((await host.call('far__echo', { message: `after ${turn}` })).result).toMatchObject({
        content: [{ text: `Echo: after ${turn}` }],
      });
    expect(await crashes(host)).toEqual({ restarts: 0, failures: 0 });
  });
});

describe('a server by HTTP+SSE whose stream breaks', () => {
  it('is reconnected in place while it is reachable', async () => {
    older = await startSseMcpServer();
    const host = await connect(older.url, { headers: { 'X-Key': KEY } });
    const pid = host.extension('far')?.process.pid;
    for (let turn = 0; turn < 4; turn += 1) {
      older.breakStreams();
      await vi.waitFor(async () => expect((await host.call('far__double', { value: turn })).status).toBe('succeeded'), PATIENCE);
    }
    expect(host.extension('far')?.process.pid).toBe(pid);
    expect(await crashes(host)).toEqual({ restarts: 0, failures: 0 });
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Ends the previous one. */
async function startEverything(port: number): Promise<void> {
  if (everything !== null) {
    everything.kill('SIGKILL');
    await once(everything, 'exit');
  }
  everything = spawn('node', [EVERYTHING, 'streamableHttp'], { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/mcp`), PATIENCE);
}
