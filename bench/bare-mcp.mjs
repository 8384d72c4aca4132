import { createServer } from 'node:http';
import { createMcpHandler, McpServer, Server } from '@modelcontextprotocol/server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { randomUUID } from 'node:crypto';
import * as z from 'zod';

/**
 * The official servers with `TOOLS` tools that add two numbers, as their documentation serves them over HTTP. `SERVER`:
 * `v1` (one server for each request), `v1-session` (one for each session), `v2` (both generations of the protocol), or
 * `v2-low` (the same, with one handler for all tools instead of a registration for each), or `passing` (an official client
 * behind an official server, for the tools of the server at `BEHIND`).
 */
const count = Number(process.env.TOOLS);
const names = Array.from({ length: count }, (_, at) => `add_${at}`);
const about = { name: 'bare', version: '1.0.0' };
const shape = { left: z.number().describe('The first number'), right: z.number().default(1).describe('The second number') };
const schema = z.object(shape);
const listed = names.map((name) => ({
  name,
  title: 'Benchmark',
  description: 'Adds two numbers.',
  inputSchema: z.toJSONSchema(schema, { io: 'input' }),
}));

function add({ left, right }) {
  const structuredContent = { sum: left + right, answer: 0 };
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

function makeOld() {
  const server = new OldServer(about);
  for (const name of names) server.registerTool(name, { title: 'Benchmark', description: 'Adds two numbers.', inputSchema: shape }, add);
  return server;
}

function makeNew() {
  const server = new McpServer(about);
  for (const name of names) server.registerTool(name, { title: 'Benchmark', description: 'Adds two numbers.', inputSchema: schema }, add);
  return server;
}

function makeLow() {
  const server = new Server(about, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: listed }));
  server.setRequestHandler('tools/call', ({ params }) => add(schema.parse(params.arguments)));
  return server;
}

async function makePassing() {
  const client = new Client(about);
  await client.connect(new StreamableHTTPClientTransport(new URL(process.env.BEHIND)));
  return () => {
    const server = new Server(about, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/call', ({ params }) => client.callTool(params));
    return server;
  };
}

async function serveOld(request, response, body) {
  const server = makeOld();
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on('close', () => void transport.close().then(() => server.close()));
  await server.connect(transport);
  await transport.handleRequest(request, response, body);
}

const sessions = new Map();
async function serveSessions(request, response, body) {
  let transport = sessions.get(request.headers['mcp-session-id']);
  if (transport === undefined) {
    transport = new StreamableHTTPServerTransport({
      enableJsonResponse: true,
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await makeOld().connect(transport);
  }
  await transport.handleRequest(request, response, body);
}

/** Converts a Node request to a web request, and the web response back. */
function serveNew(make) {
  const handler = createMcpHandler(make);
  return async (request, response, body) => {
    const asked = new Request(`http://127.0.0.1${request.url}`, { method: request.method, headers: request.headers, body: null });
    const answer = await handler.fetch(asked, { parsedBody: body });
    const text = await answer.text();
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'text/plain',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  };
}

const kind = process.env.SERVER ?? '';
const serve =
  kind === 'passing'
    ? serveNew(await makePassing())
    : { v1: serveOld, 'v1-session': serveSessions, v2: serveNew(makeNew), 'v2-low': serveNew(makeLow) }[kind];

createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    serve(request, response, JSON.parse(Buffer.concat(parts).toString('utf8'))).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
