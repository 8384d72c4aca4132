import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { KEY, type SseMcpServer, startSseMcpServer } from '#lib/testing/http-mcp-server.ts';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

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

/** An MCP server over Streamable HTTP with sessions in memory. It can drop them, as in a restart. */
interface SessionMcpServer {
  readonly url: string;
  /** Drops all sessions, and ends their streams. */
  forget(): void;
  /** From now on each session is dropped at its first call. */
  forgetAlways(): void;
  setTools(names: readonly string[]): void;
  /** Methods of the executed messages. */
  readonly carriedOut: readonly string[];
  close(): Promise<void>;
}

interface SessionMcpServerOptions {
  /** The HTTP status for an unknown session. */
  readonly unknownSession: 400 | 404;
}

const messageSchema = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string(),
  params: z.object({ name: z.string().optional() }).optional(),
});
/** Tools and prompts whose stream ends, or breaks, without a response. */
const BREAKS: ReadonlySet<string> = new Set(['ends', 'breaks']);
const REFUSALS = { 400: 'Bad Request: No valid session ID provided', 404: 'Session not found' };

async function startSessionMcpServer({ unknownSession }: SessionMcpServerOptions): Promise<SessionMcpServer> {
  const sessions = new Set<string>();
  const streams = new Set<ServerResponse>();
  const carriedOut: string[] = [];
  let tools: readonly string[] = ['count'];
  let isForgetful = false;
  let calls = 0;

  const forget = (): void => {
    sessions.clear();
    for (const stream of streams) stream.end();
    streams.clear();
  };

  const resultOf = (method: string, name: string | undefined): unknown => {
    if (method === 'initialize')
      return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'sessions', version: '1.0.0' } };
    if (method === 'tools/list')
      return {
        tools: tools.map((each) => ({ name: each, description: `Does ${each}.`, inputSchema: { type: 'object', properties: {} } })),
      };
    if (method !== 'tools/call') return undefined;
    // The status of an invalid request in a known session.
    if (name === 'refused') return null;
    if (BREAKS.has(name ?? '')) return BREAKS;
    calls += 1;
    return { content: [{ type: 'text', text: String(calls) }] };
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const json = (status: number, body: unknown, headers = {}): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    const refuse = (status: number, message: string): void => json(status, { jsonrpc: '2.0', error: { code: -32_000, message }, id: null });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString('utf8');
    const message = text === '' ? null : messageSchema.parse(JSON.parse(text));
    const known = sessions.has(String(request.headers['mcp-session-id']));
    if (message?.method !== 'initialize' && !known) return refuse(unknownSession, REFUSALS[unknownSession]);
    if (request.method === 'GET') {
      streams.add(response);
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    }
    if (message?.id === undefined) return void response.writeHead(202).end();
    const { id, method, params } = message;
    if (isForgetful && method === 'tools/call') {
      forget();
      return refuse(unknownSession, REFUSALS[unknownSession]);
    }
    const session = randomUUID();
    if (method === 'initialize') sessions.add(session);
    const result = resultOf(method, params?.name);
    if (result === null) return refuse(400, 'The tool “refused” is switched off');
    if (result === BREAKS) {
      carriedOut.push(method);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      return void (params?.name === 'ends' ? response.end() : response.destroy());
    }
    if (result === undefined) return json(200, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } });
    carriedOut.push(method);
    json(200, { jsonrpc: '2.0', id, result }, method === 'initialize' ? { 'mcp-session-id': session } : {});
  };

  const server = createServer((request, response) => void respond(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    forget,
    forgetAlways() {
      isForgetful = true;
    },
    setTools: (names) => (tools = names),
    carriedOut,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
