import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Call } from '#lib/contract/call.ts';
import { must } from '#lib/testing/living-host.ts';
import { AGENT_FILES, messageOf, messagesOf, readMessages, type ServedEndpoint, serveEndpoint } from './mcp-harness.ts';
import { META, MODERN_VERSION } from './protocol.ts';

let served: ServedEndpoint;
beforeAll(async () => {
  served = await serveEndpoint(AGENT_FILES);
});
afterAll(() => served.close());

const newest = async (tool: string): Promise<Call | undefined> => must(await served.living.host.calls.list({ tool, limit: 1 })).calls[0];
const failure = (code: number) => ({ error: { code, message: expect.any(String) } });

describe('the stateless protocol', () => {
  it('discovers the server without a session', async () => {
    const answer = await served.modern('server/discover');
    expect(answer.headers.get('mcp-session-id')).toBeNull();
    expect(await messageOf(answer)).toMatchObject({
      result: {
        supportedVersions: [MODERN_VERSION],
        capabilities: { tools: { listChanged: true } },
        instructions: 'agent:\nGreet before anything else.',
        resultType: 'complete',
        _meta: { [META.serverInfo]: { name: 'switchboard' } },
      },
    });
  });

  it('answers in JSON without earlier messages, else in a stream', async () => {
    const plain = await served.modern('tools/call', { name: 'words', arguments: {} });
    expect(plain.headers.get('content-type')).toBe('application/json');
    await plain.arrayBuffer();
    const meta = { progressToken: 'p', [META.logLevel]: 'debug' };
    const stream = await served.modern('tools/call', { name: 'steps', arguments: {} }, { id: 'x', meta });
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const step = (progress: number) => ({ method: 'notifications/progress', params: { progressToken: 'p', progress, total: 3 } });
    const messages = await messagesOf(stream);
    expect(messages.filter((message) => JSON.stringify(message).includes('progress'))).toMatchObject([step(1), step(2), step(3)]);
    expect(messages.filter((message) => JSON.stringify(message).includes('notifications/message'))).toMatchObject([
      { params: { level: 'debug', data: 'not worth much' } },
      { params: { level: 'warning' } },
    ]);
    expect(messages.at(-1)).toMatchObject({ id: 'x', result: { content: [{ text: 'done' }] } });
  });

  it('cancels a call whose connection is closed', async () => {
    const controller = new AbortController();
    const answer = await served.modern('tools/call', { name: 'wait_for_end' }, { meta: { progressToken: 1 }, signal: controller.signal });
    expect(await newest('wait_for_end')).toMatchObject({ status: 'running', actor: null });
    controller.abort();
    await expect(answer.text()).rejects.toThrow(/abort/);
    await vi.waitFor(async () => expect((await newest('wait_for_end'))?.status).toBe('cancelled'));
  });

  it('refuses headers that contradict the body', async () => {
    const wrong = await served.modern('tools/call', { name: 'words' }, { headers: { 'mcp-name': 'greet' } });
    expect(wrong.status).toBe(400);
    expect(await messageOf(wrong)).toMatchObject({ id: 1, ...failure(-32_020) });
    const encoded = `=?base64?${Buffer.from('words').toString('base64')}?=`;
    const right = await served.modern('tools/call', { name: 'words' }, { headers: { 'mcp-name': encoded } });
    expect(await messageOf(right)).toMatchObject({ result: { content: [{ text: 'just words' }] } });
  });

  it('refuses other versions, and the methods of the handshake', async () => {
    const version = await served.modern(
      'tools/list',
      {},
      { meta: { [META.protocolVersion]: '2099-01-01' }, headers: { 'mcp-protocol-version': '2099-01-01' } },
    );
    expect(version.status).toBe(400);
    expect(await messageOf(version)).toMatchObject({
      error: { code: -32_022, data: { supported: [MODERN_VERSION], requested: '2099-01-01' } },
    });
    const ping = await served.modern('ping');
    expect(ping.status).toBe(404);
    expect(await messageOf(ping)).toMatchObject(failure(-32_601));
  });

  it('notifies listeners only of their subscriptions', async () => {
    const controller = new AbortController();
    const listen = (notifications: object, id: string) =>
      served.modern('subscriptions/listen', { notifications }, { id, signal: controller.signal });
    const tools = readMessages(await listen({ toolsListChanged: true, promptsListChanged: true }, 'tools'));
    const resources = readMessages(await listen({ resourcesListChanged: true }, 'resources'));
    const stamp = (id: string) => ({ _meta: { [META.subscriptionId]: id } });
    expect((await tools.next()).value).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, ...stamp('tools') },
    });
    await resources.next();
    await served.living.save({
      'noted/extension.ts':
        "export const TOOL = { label: 'Test', name: 'noted', description: 'Was added.', parameters: { type: 'object' }, execute: () => 1 };",
    });
    expect((await tools.next()).value).toMatchObject({ method: 'notifications/tools/list_changed', params: stamp('tools') });
    expect((await resources.next()).value).toMatchObject({ method: 'notifications/resources/list_changed', params: stamp('resources') });
    controller.abort();
    await expect(tools.next()).rejects.toThrow(/abort/);
  });

  it('answers an empty subscription immediately', async () => {
    const messages = await messagesOf(
      await served.modern('subscriptions/listen', { notifications: { rootsListChanged: true } }, { id: 9 }),
    );
    expect(messages).toMatchObject([{ method: 'notifications/subscriptions/acknowledged' }, { id: 9, result: { resultType: 'complete' } }]);
  });

  it.each([
    ['an id that is not an integer', { id: 1.5 }, -32_600],
    ['no version of JSON-RPC', { jsonrpc: undefined }, -32_600],
    ['no client capabilities', { meta: { [META.clientCapabilities]: undefined } }, -32_602],
  ])('refuses a subscription with %s, as any other request', async (_, { meta, ...change }: Malformed, code) => {
    const _meta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {}, ...meta };
    for (const [method, params] of [
      ['subscriptions/listen', { notifications: { toolsListChanged: true } }],
      ['tools/list', {}],
    ] as const) {
      const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta }, ...change };
      const answer = await served.send(body, { 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': method });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/json']);
      expect(await messageOf(answer)).toMatchObject(failure(code));
    }
  });

  it('reports an internal error as such, also in a stream or a batch', async () => {
    const { calls } = served.living.host;
    const start = vi.spyOn(calls, 'start');
    start.mockRejectedValueOnce(new Error('inside'));
    const before = await served.modern('tools/call', { name: 'words' });
    expect([before.status, await messageOf(before)]).toMatchObject([500, { id: 1, ...failure(-32_603) }]);
    start.mockImplementationOnce(async ({ watcher }) => {
      watcher?.onProgress({ done: 1, total: null, message: null });
      await new Promise(setImmediate);
      throw new Error('inside');
    });
    const after = await served.modern('tools/call', { name: 'words' }, { meta: { progressToken: 1 } });
    expect(await messagesOf(after)).toMatchObject([{ method: 'notifications/progress' }, { id: 1, ...failure(-32_603) }]);
    start.mockRejectedValueOnce(new Error('inside'));
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'words' } },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ];
    const old = await served.openSession('old', '2025-03-26');
    const together = await messageOf(await served.send(batch, { 'mcp-session-id': old }));
    expect(together).toMatchObject([
      { id: 1, ...failure(-32_603) },
      { id: 2, result: {} },
    ]);
    expect(JSON.stringify(together)).not.toContain('inside');
    start.mockRestore();
  });
});

interface Malformed {
  readonly id?: number;
  readonly jsonrpc?: undefined;
  readonly meta?: Readonly<Record<string, unknown>>;
}
