import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import { messageOf, messagesOf, readMessages, type ServedEndpoint, serveEndpoint } from './mcp-harness.ts';

const EVERYTHING = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const RESEARCH = 'every__simulate-research-query';

let served: ServedEndpoint;
beforeAll(async () => {
  served = await serveEndpoint({
    'every/mcp.json': JSON.stringify({ command: 'node', args: [EVERYTHING] }),
    'own/extension.js': `export const TOOL = { label: 'Own', name: 'own', description: 'Own.', parameters: {}, execute: () => 1 };`,
  });
});
afterAll(() => served.close());

async function connect(answer: (() => Promise<Record<string, string>>) | null): Promise<Client> {
  const client = new Client({ name: 'tasks', version: '1' }, { capabilities: answer === null ? {} : { elicitation: {} } });
  if (answer !== null) client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept' as const, content: await answer() }));
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  return client;
}

describe('the official client with tasks', () => {
  it('runs a tool as a task, answers its question, and gets its result', async () => {
    const client = await connect(async () => ({ interpretation: 'technical' }));
    await client.listTools();
    const seen: string[] = [];
    let text = '';
    const params = { name: RESEARCH, arguments: { topic: 'python', ambiguous: true } };
    for await (const message of client.experimental.tasks.callToolStream(params, CallToolResultSchema, { task: { ttl: 60_000 } })) {
      seen.push(message.type === 'taskStatus' ? message.task.status : message.type);
      if (message.type === 'result') text = JSON.stringify(message.result);
    }
    expect(seen[0]).toBe('taskCreated');
    expect(seen).toContain('working');
    expect(seen.at(-1)).toBe('result');
    expect(text).toContain('# Research Report: python (technical)');
    const { tasks } = await client.experimental.tasks.listTasks();
    expect(tasks[0]).toMatchObject({ status: 'completed', ttl: null });
    await client.close();
  });

  it('cancels a task, which is a cancelled call', async () => {
    const client = await connect(null);
    await client.listTools();
    let id = '';
    const params = { name: RESEARCH, arguments: { topic: 'tea' } };
    for await (const message of client.experimental.tasks.callToolStream(params, CallToolResultSchema, { task: {} })) {
      if (message.type !== 'taskCreated') continue;
      id = message.task.taskId;
      expect(await client.experimental.tasks.cancelTask(id)).toMatchObject({ status: 'cancelled' });
      break;
    }
    expect(await client.experimental.tasks.getTask(id)).toMatchObject({ status: 'cancelled' });
    await expect(client.experimental.tasks.cancelTask(id)).rejects.toThrow(/already ended/);
    expect(await served.living.host.calls.get(id)).toMatchObject({ value: { status: 'cancelled', source: 'mcp' } });
    await client.close();
  });
});

it('a task with an open question ends when the server stops, and reports it after the restart', async () => {
  const living = await startHost({ 'every/mcp.json': JSON.stringify({ command: 'node', args: [EVERYTHING] }) });
  await vi.waitFor(() => expect(living.extension('every')?.state).toBe('ready'), { timeout: 60_000 });
  let { host } = living;
  let server = await serveHost(host);
  try {
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    let session = {};
    const ask = async (method: string, params: object): Promise<Response> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      return fetch(`${server.url}/mcp`, { method: 'POST', headers: { ...headers, ...session }, body });
    };
    const clientInfo = { name: 'asked', version: '1' };
    const opened = await ask('initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo });
    await opened.arrayBuffer();
    session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const started = Object(
      await messageOf(await ask('tools/call', { name: RESEARCH, arguments: { topic: 'tea', ambiguous: true }, task: {} })),
    );
    expect(started).toHaveProperty('result.task');
    const { taskId } = started.result.task;
    const task = async (method: string): Promise<unknown> => Object(await messageOf(await ask(method, { taskId }))).result;
    await vi.waitFor(async () => expect(await task('tasks/get')).toMatchObject({ status: 'input_required' }), { timeout: 10_000 });

    await server.close();
    await host.close(100);
    ({ host } = await living.restart());
    server = await serveHost(host);
    const reason = 'It waited for an answer of its caller, which can no longer be given.';
    expect(await task('tasks/get')).toMatchObject({ status: 'cancelled', statusMessage: expect.stringContaining(reason) });
    expect(await task('tasks/result')).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(reason) }] });
  } finally {
    await server.close();
    await host.close();
    await living.remove();
  }
});

it('a question that a client has not answered is sent again on the next stream of its task', async () => {
  const clientInfo = { name: 'asked', version: '1' };
  const opened = await served.legacy('initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo });
  await opened.arrayBuffer();
  const session = opened.headers.get('mcp-session-id') ?? '';
  const ask = async (method: string, params: Record<string, unknown>): Promise<unknown> =>
    Object(await messageOf(await served.legacy(method, params, { session }))).result;
  const started = Object(await ask('tools/call', { name: RESEARCH, arguments: { topic: 'tea', ambiguous: true }, task: {} }));
  const { taskId } = started.task;
  await vi.waitFor(async () => expect(await ask('tasks/get', { taskId })).toMatchObject({ status: 'input_required' }), { timeout: 10_000 });
  const { tasks } = Object(await ask('tasks/list', {}));
  expect(tasks[0]).toMatchObject({ taskId, status: 'input_required' });

  const left = new AbortController();
  const first = await served.legacy('tasks/result', { taskId }, { session, signal: left.signal });
  const { value: question } = await readMessages(first).next();
  expect(question).toMatchObject({ method: 'elicitation/create' });
  left.abort();

  const second = await served.legacy('tasks/result', { taskId }, { session });
  const answer = { jsonrpc: '2.0', id: Object(question).id, result: { action: 'accept', content: { interpretation: 'technical' } } };
  const [messages] = await Promise.all([messagesOf(second), served.send(answer, { 'mcp-session-id': session })]);
  expect(messages).toEqual([question, expect.objectContaining({ result: expect.anything() })]);
  expect(JSON.stringify(messages)).toContain('(technical)');
});

describe('a task', () => {
  const start = async (session: string) => {
    const params = { name: RESEARCH, arguments: { topic: 'tea' }, task: {} };
    return messageOf(await served.legacy('tools/call', params, { session }));
  };

  it('is unknown to other clients', async () => {
    const [mine, other] = [await served.openSession('mine'), await served.openSession('other')];
    const started = await start(mine);
    expect(started).toMatchObject({ result: { task: { taskId: expect.any(String), status: 'working' } } });
    const { taskId } = Object(Object(Object(started).result).task);
    const ask = async (method: string, session: string): Promise<unknown> =>
      messageOf(await served.legacy(method, { taskId }, { session }));
    expect(await ask('tasks/get', mine)).toMatchObject({ result: { taskId } });
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect(await ask(method, other)).toMatchObject({ error: { code: -32_602 } });
    expect(await messageOf(await served.legacy('tasks/list', {}, { session: other }))).toMatchObject({ result: { tasks: [] } });
    await ask('tasks/cancel', mine);
  });

  it('is refused for tools that do not run as one, and in the stateless protocol', async () => {
    const session = await served.openSession('mine');
    const own = await messageOf(await served.legacy('tools/call', { name: 'own', task: {} }, { session }));
    expect(own).toMatchObject({ error: { code: -32_601, message: 'own does not run as a task.' } });
    const stateless = await served.modern('tasks/get', { taskId: 'x' }, { headers: { 'mcp-name': 'x' } });
    expect(await messageOf(stateless)).toMatchObject({ error: { code: -32_601 } });
  });

  it('is offered by the tools of servers that allow it, to clients with sessions', async () => {
    const session = await served.openSession('mine');
    const list = Object(await messageOf(await served.legacy('tools/list', {}, { session })));
    const found = new Map<string, unknown>(
      Object(list.result).tools.map((tool: Record<string, unknown>) => [String(tool['name']), tool['execution']]),
    );
    expect(found.get(RESEARCH)).toEqual({ taskSupport: 'optional' });
    expect(found.get('own')).toBeUndefined();
  });
});
