import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Call } from '#lib/contract/call.ts';
import { must } from '#lib/testing/living-host.ts';
import { AGENT_FILES, messageOf, messagesOf, readMessages, serveEndpoint } from './mcp-harness.ts';
import type { ServedEndpoint } from './mcp-harness.ts';
import { MODERN_VERSION } from './protocol.ts';

let served: ServedEndpoint;
beforeAll(async () => {
  served = await serveEndpoint(AGENT_FILES);
});
afterAll(() => served.close());

const newest = async (tool: string): Promise<Call | undefined> => must(await served.living.host.calls.list({ tool, limit: 1 })).calls[0];
const failure = (code: number) => ({ error: { code, message: expect.any(String) } });

/** Never connects, so outbound messages wait. */
const DOWN = `export function connect() { throw new Error('down'); }
export function recv() { return new Promise(() => {}); }
export function send() {}
`;

describe('the protocols with a handshake', () => {
  it('agree on the requested version, or on the newest supported one', async () => {
    const versionFor = async (protocolVersion: string) => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
      return messageOf(await served.legacy('initialize', params));
    };
    expect(await versionFor('2025-06-18')).toMatchObject({
      result: { protocolVersion: '2025-06-18', serverInfo: { name: 'switchboard' } },
    });
    expect(await versionFor('1999-01-01')).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
  });

  it('name the actor of a session, on one line and not too long', async () => {
    const session = await served.openSession(`two\nlines\u200b ${'x'.repeat(300)}`);
    await messageOf(await served.legacy('tools/call', { name: 'words' }, { session }));
    expect((await newest('words'))?.actor).toMatch(/^two lines {2}x{80,90}$/);
  });

  it('resume a session from before a restart, and refuse ended and invented sessions', async () => {
    const session = await served.openSession('survivor');
    const other = await serveEndpoint(AGENT_FILES);
    try {
      expect(await messageOf(await other.legacy('tools/call', { name: 'words' }, { session }))).toMatchObject({
        result: { content: [{ text: 'just words' }] },
      });
      expect(must(await other.living.host.calls.list({ limit: 1 })).calls[0]?.actor).toBe('survivor');
    } finally {
      await other.close();
    }
    const ended = await fetch(served.url, { method: 'DELETE', headers: { 'mcp-session-id': session } });
    expect(ended.status).toBe(204);
    for (const id of [session, 'made-up', '00000000-0000-4000-8000-000000000000.bm8']) {
      const answer = await served.legacy('ping', {}, { session: id });
      expect(answer.status).toBe(404);
      expect(await messageOf(answer)).toMatchObject(failure(-32_001));
    }
  });

  it('serve a client without a session, without unrequested streams', async () => {
    const answer = await served.legacy('tools/call', { name: 'steps' });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await messageOf(answer)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
  });

  it.each([
    ['logging/setLevel', { level: 'debug' }],
    ['resources/subscribe', { uri: 'switchboard://channels/web/messages' }],
    ['resources/unsubscribe', { uri: 'switchboard://channels/web/messages' }],
  ])('refuse %s without a session, which would store it', async (method, params) => {
    const answer = await served.legacy(method, params);
    expect(answer.status).toBe(400);
    expect(await messageOf(answer)).toMatchObject({ id: 1, ...failure(-32_600) });
    const session = await served.openSession();
    expect(await messageOf(await served.legacy(method, params, { session }))).toMatchObject({ result: {} });
  });

  it('refuse subscriptions to unknown resources, as they refuse to read them', async () => {
    const session = await served.openSession();
    const ask = async (method: string) => messageOf(await served.legacy(method, { uri: 'nowhere://x' }, { session }));
    const unknown = await ask('resources/read');
    expect(unknown).toMatchObject(failure(-32_002));
    for (let at = 0; at < 2; at += 1) expect(await ask('resources/subscribe')).toEqual(unknown);
  });

  it('store a thousand subscriptions of a session', async () => {
    const session = await served.openSession();
    const subscribe = async (uri: string) => messageOf(await served.legacy('resources/subscribe', { uri }, { session }));
    for (let at = 0; at < 1_000; at += 1) await subscribe(`switchboard://channels/c${at}/messages`);
    expect(await subscribe('switchboard://channels/more/messages')).toMatchObject(failure(-32_000));
    expect(await subscribe('switchboard://channels/c1/messages')).toMatchObject({ result: {} });
    await served.legacy('resources/unsubscribe', { uri: 'switchboard://channels/c1/messages' }, { session });
    expect(await subscribe('switchboard://channels/more/messages')).toMatchObject({ result: {} });
  });

  it('continue a call whose connection is lost, and end one that is cancelled', async () => {
    const session = await served.openSession();
    const controller = new AbortController();
    const call = { name: 'wait_for_end', _meta: { progressToken: 't' } };
    const lost = await served.legacy('tools/call', call, { id: 5, session, signal: controller.signal });
    controller.abort();
    await expect(lost.text()).rejects.toThrow(/abort/);
    const other = await served.openSession();
    await served.legacy('notifications/cancelled', { requestId: 5 }, { id: null, session: other });
    expect((await newest('wait_for_end'))?.status).toBe('running');
    const response = await served.legacy('notifications/cancelled', { requestId: 5 }, { id: null, session });
    expect(response.status).toBe(202);
    await vi.waitFor(async () => expect((await newest('wait_for_end'))?.status).toBe('cancelled'));
  });

  it('end a cancelled call without an answer', async () => {
    const session = await served.openSession();
    const answer = await served.legacy('tools/call', { name: 'wait_for_end', _meta: { progressToken: 't' } }, { id: 'c', session });
    await served.legacy('notifications/cancelled', { requestId: 'c' }, { id: null, session });
    expect(await messagesOf(answer)).toMatchObject([{ method: 'notifications/progress' }]);
  });

  it('notify a session on its newest stream only', async () => {
    const session = await served.openSession();
    const open = () => fetch(served.url, { headers: { accept: 'text/event-stream', 'mcp-session-id': session } });
    const text =
      "export const TOOL = { label: 'Test', name: 'noted', description: 'Was added.', parameters: { type: 'object' }, execute: () => 1 };";
    await served.living.save({ 'noted/extension.ts': text });
    await served.living.reload();
    const first = await open();
    const second = readMessages(await open());
    expect(await first.text()).toBe('');
    await served.living.save({ 'noted/extension.ts': null });
    expect((await second.next()).value).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} });
    await fetch(served.url, { method: 'DELETE', headers: { 'mcp-session-id': session } });
    expect((await second.next()).value).toMatchObject({ method: 'notifications/resources/list_changed' });
    expect((await second.next()).done).toBe(true);
  });

  it('notify of a subscribed resource', async () => {
    const session = await served.openSession();
    const uri = 'switchboard://extensions/watched/status';
    await served.legacy('resources/subscribe', { uri }, { session });
    const stream = readMessages(await fetch(served.url, { headers: { accept: 'text/event-stream', 'mcp-session-id': session } }));
    await served.living.save({ 'watched/extension.ts': 'export const TOOL = {' });
    const methods: unknown[] = [];
    for await (const message of stream) {
      methods.push(message);
      if (JSON.stringify(message).includes('resources/updated')) break;
    }
    expect(methods.at(-1)).toEqual({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } });
    await served.legacy('resources/unsubscribe', { uri }, { session });
  });

  it('read the messages of a channel, and are notified of new ones', async () => {
    const uri = 'switchboard://channels/web/messages';
    expect(await messageOf(await served.legacy('resources/list'))).toMatchObject({
      result: { resources: expect.arrayContaining([expect.objectContaining({ uri })]) },
    });
    const session = await served.openSession();
    await served.legacy('resources/subscribe', { uri }, { session });
    const stream = readMessages(await fetch(served.url, { headers: { accept: 'text/event-stream', 'mcp-session-id': session } }));
    must(await served.living.host.channels.inject('web', { text: 'good morning', sender: 'Ada', metadata: {} }, { name: null }));
    expect((await stream.next()).value).toMatchObject({ method: 'notifications/resources/updated', params: { uri } });
    expect(await messageOf(await served.legacy('resources/read', { uri }))).toMatchObject({
      result: { contents: [{ uri, mimeType: 'application/json', text: expect.stringContaining('good morning') }] },
    });
    const unknown = await messageOf(await served.legacy('resources/read', { uri: 'switchboard://channels/nobody/messages' }));
    expect(unknown).toMatchObject(failure(-32_002));
    await stream.return(undefined);
  });

  it('notify of a queued message', async () => {
    const { host } = served.living;
    await served.living.save({ 'channels/down.ts': DOWN });
    await served.living.reload();
    const session = await served.openSession();
    const uri = 'switchboard://channels/down/messages';
    await served.legacy('resources/subscribe', { uri }, { session });
    const stream = readMessages(await fetch(served.url, { headers: { accept: 'text/event-stream', 'mcp-session-id': session } }));
    must(await host.channels.send('down', { text: 'later', metadata: {} }, { name: null }));
    // With a shared database, the event of the reload may arrive after the stream has begun.
    let notice: unknown;
    do notice = (await stream.next()).value;
    while (/list_changed/.test(JSON.stringify(notice)));
    expect(notice).toMatchObject({ method: 'notifications/resources/updated', params: { uri } });
    const read = await messageOf(await served.legacy('resources/read', { uri }));
    expect(JSON.stringify(read)).toMatch(/later.*queued/);
    await stream.return(undefined);
  });

  it('reject invalid params with the expected ones', async () => {
    const message = async (params: unknown) =>
      JSON.stringify(await messageOf(await served.legacy('tools/call', params as Record<string, unknown>)));
    expect(await message({ name: 'words', arguments: 'x' })).toContain('Invalid params: \\"arguments\\" must be an object.');
    expect(await message({})).toContain('Invalid params: \\"name\\" is missing; it must be a text.');
  });

  it('accept batches in the only version that has them', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'words' } },
      { jsonrpc: '2.0', id: 3, method: 'nothing' },
    ];
    const old = await served.openSession('old', '2025-03-26');
    const answer = await served.send(batch, { 'mcp-session-id': old });
    expect(await messageOf(answer)).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: { content: [{ text: 'just words' }] } },
      { id: 3, error: { code: -32_601 } },
    ]);
    const steps = { jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'steps', _meta: { progressToken: 's' } } };
    const messages = await messagesOf(await served.send([...batch, steps], { 'mcp-session-id': old }));
    const numbers = messages.map((message) => (message instanceof Object && 'id' in message ? message.id : 'progress'));
    expect(new Set(numbers)).toEqual(new Set([1, 2, 3, 4, 'progress']));
    expect(numbers.filter((one) => one !== 'progress')).toHaveLength(4);
    expect(numbers.indexOf('progress')).toBeLessThan(numbers.indexOf(4));
    expect((await served.send(batch.slice(1, 2), { 'mcp-session-id': old })).status).toBe(202);
    for (const headers of [{}, { 'mcp-session-id': await served.openSession() }, { 'mcp-protocol-version': MODERN_VERSION }]) {
      const refused = await served.send(batch, headers);
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain('accepted with protocol version 2025-03-26 only');
    }
    expect((await served.send([], { 'mcp-session-id': old })).status).toBe(400);
    expect((await served.send([1], { 'mcp-session-id': old })).status).toBe(400);
  });
});
