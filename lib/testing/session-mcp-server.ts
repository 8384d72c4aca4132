import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';

/** An MCP server over Streamable HTTP with sessions in memory. It can drop them, as in a restart. */
export interface SessionMcpServer {
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

export interface SessionMcpServerOptions {
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

export async function startSessionMcpServer({ unknownSession }: SessionMcpServerOptions): Promise<SessionMcpServer> {
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
