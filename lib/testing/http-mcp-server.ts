import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { McpServer as FirstMcpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';

/** A stateless MCP server over Streamable HTTP on its own port. It requires a key and can be stopped. */
export interface HttpMcpServer {
  readonly url: string;
  readonly port: number;
  /** Adds a tool and notifies subscribers. */
  grow(): void;
  /** Notifies subscribers of a changed resource. */
  change(uri: string): void;
  close(): Promise<void>;
}

export const KEY = 'let-me-in';

export async function startHttpMcpServer(port = 0): Promise<HttpMcpServer> {
  let hasGrown = false;
  const handler = createMcpHandler(() => {
    const server = new McpServer(
      { name: 'newer', version: '2.0.0' },
      {
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true } },
        instructions: 'Count on it.',
      },
    );
    server.registerTool(
      'double',
      {
        title: 'Double it',
        description: 'Doubles.',
        inputSchema: z.object({ value: z.number() }),
        outputSchema: z.object({ doubled: z.number() }),
      },
      ({ value }) => ({ content: [{ type: 'text', text: String(value * 2) }], structuredContent: { doubled: value * 2 } }),
    );
    server.registerTool('greet', { description: 'Greets after a question.' }, ({ mcpReq }) => {
      const name = acceptedContent(mcpReq.inputResponses, 'who')?.['name'];
      if (typeof name === 'string') return { content: [{ type: 'text', text: `Hello, ${name}` }] };
      const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] };
      return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'Who?', requestedSchema }) } });
    });
    server.registerResource(
      'today',
      'note://today',
      {
        title: 'Note of today',
        mimeType: 'text/plain',
        size: 5,
        icons: [{ src: 'data:image/png;base64,AA==', sizes: ['16x16'], theme: 'dark' }],
        annotations: { audience: ['user'], priority: 0.5 },
        _meta: { 'example.org/kind': 'note' },
      },
      ({ href }) => ({ contents: [{ uri: href, text: 'hello', _meta: { 'example.org/read': true } }] }),
    );
    server.registerPrompt('greet', { title: 'Greet' }, () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }] }));
    if (hasGrown) server.registerTool('triple', { description: 'Triples.' }, () => ({ content: [] }));
    return server;
  });
  const server = createServer((incoming, outgoing) => {
    const isAllowed = incoming.headers['x-key'] === KEY;
    const answered = isAllowed
      ? toRequest(incoming).then((request) => handler.fetch(request))
      : Promise.resolve(new Response('', { status: 401 }));
    answered.then((response) => write(response, outgoing)).catch(() => outgoing.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    port: address.port,
    grow() {
      hasGrown = true;
      handler.notify.toolsChanged();
    },
    change: (uri) => handler.notify.resourceUpdated(uri),
    async close() {
      server.closeAllConnections();
      server.close();
      await handler.close();
    },
  };
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const body = Buffer.concat(chunks).toString('utf8');
  const method = incoming.method ?? 'GET';
  return new Request(`http://${incoming.headers.host ?? ''}${incoming.url ?? ''}`, { method, headers, ...(body === '' ? {} : { body }) });
}

async function write(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  if (response.body !== null) for await (const chunk of response.body) outgoing.write(chunk);
  outgoing.end();
}

/** An MCP server of the first protocol version, over HTTP+SSE: a stream at `/sse` names the URL for messages. It requires a key. */
export interface SseMcpServer {
  readonly url: string;
  readonly port: number;
  /** Ends every stream; the server continues. */
  breakStreams(): void;
  close(): Promise<void>;
}

export async function startSseMcpServer(port = 0): Promise<SseMcpServer> {
  const transports = new Map<string, SSEServerTransport>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://server');
    if (request.headers['x-key'] !== KEY) return void response.writeHead(401).end();
    if (pathname === '/silent' && request.method === 'GET')
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    if (pathname === '/sse' && request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      transports.set(transport.sessionId, transport);
      const mcp = new FirstMcpServer({ name: 'first', version: '0.1.0' });
      mcp.registerTool('double', { description: 'Doubles.', inputSchema: { value: z.number() } }, ({ value }) => ({
        content: [{ type: 'text', text: String(value * 2) }],
      }));
      return void mcp.connect(transport);
    }
    const transport = transports.get(searchParams.get('sessionId') ?? '');
    if (pathname === '/messages' && transport !== undefined) return void transport.handlePostMessage(request, response);
    response.writeHead(405).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/sse`,
    port: address.port,
    breakStreams() {
      for (const transport of transports.values()) void transport.close();
      transports.clear();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
