import { once } from 'node:events';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import * as z from 'zod';
import { KEY } from './http-mcp-server.ts';

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
      const mcp = new McpServer({ name: 'first', version: '0.1.0' });
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
