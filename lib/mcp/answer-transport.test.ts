import { type JSONRPCRequest, Server, type ServerContext } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { jsonText } from '#lib/contract/mcp-exchange.ts';
import { AnswerTransport, prepareList } from './answer-transport.ts';

const REQUEST: JSONRPCRequest = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'x', _meta: { progressToken: 't' } } };
const PROGRESS = { method: 'notifications/progress', params: { progressToken: 't', progress: 1 } };

async function serve(handle: (ctx: ServerContext) => Promise<Record<string, unknown>>) {
  const server = new Server({ name: 'tests', version: '1' }, { capabilities: {} });
  const transport = new AnswerTransport(false);
  server.fallbackRequestHandler = (_request, ctx) => handle(ctx);
  await server.connect(transport);
  return { transport, answered: transport.answer(REQUEST) };
}

it('answers with the prepared text of a list', async () => {
  const tool = { name: 'a' };
  const { list } = prepareList([tool]);
  tool.name = 'changed afterwards';
  const { answered } = await serve(() => Promise.resolve({ tools: list }));
  const answer = await answered;
  expect(answer instanceof Response ? '' : jsonText(answer)).toBe('{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"a"}]}}');
});

it('opens no stream for messages after the answer', async () => {
  const contexts: ServerContext[] = [];
  const { answered } = await serve((ctx) => {
    contexts.push(ctx);
    return Promise.resolve({});
  });
  expect(await answered).toMatchObject({ status: 200 });
  await expect(contexts[0]?.mcpReq.notify(PROGRESS)).resolves.toBeUndefined();
});

it('becomes a stream when a message precedes the answer', async () => {
  const { answered } = await serve(async (ctx) => {
    await ctx.mcpReq.notify(PROGRESS);
    return { done: true };
  });
  const stream = await answered;
  expect(stream).toBeInstanceOf(Response);
  expect(stream instanceof Response && (await stream.text())).toMatch(/progress[^]*"done":true/);
});

it('ends without an answer when it is closed, and notifies the handler', async () => {
  const ended = Promise.withResolvers<boolean>();
  const { transport, answered } = await serve(async ({ mcpReq }) => {
    mcpReq.signal.addEventListener('abort', () => ended.resolve(true));
    await ended.promise;
    return {};
  });
  await new Promise(setImmediate);
  await transport.close();
  const answer = await answered;
  expect(answer instanceof Response && (await answer.text())).toBe('');
  expect(await ended.promise).toBe(true);
});
