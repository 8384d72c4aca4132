import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Call } from '#lib/contract/call.ts';
import { must } from '#lib/testing/living-host.ts';
import { messageOf, messagesOf, readMessages, serveEndpoint } from './mcp-harness.ts';
import type { ServedEndpoint } from './mcp-harness.ts';
import { META, MODERN_VERSION } from './protocol.ts';

const AGENT_TOOLS = readFileSync(path.join(import.meta.dirname, 'fixtures/agent-tools.ts'), 'utf8');

let served: ServedEndpoint;
beforeAll(async () => {
  served = await serveEndpoint({ 'agent/extension.ts': AGENT_TOOLS });
});
afterAll(() => served.close());

const newest = (tool: string): Call | undefined => must(served.living.host.calls.list({ tool, limit: 1 })).calls[0];
const failure = (code: number) => ({ error: { code, message: expect.any(String) } });

describe('the stateless protocol', () => {
  it('discovers what is served, without a session', async () => {
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

  it('answers in plain JSON when nothing is said before, and in a stream when something is', async () => {
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
    expect(newest('wait_for_end')).toMatchObject({ status: 'running', actor: null });
    controller.abort();
    await expect(answer.text()).rejects.toThrow(/abort/);
    await vi.waitFor(() => expect(newest('wait_for_end')?.status).toBe('cancelled'));
  });

  it('holds the headers to the body', async () => {
    const wrong = await served.modern('tools/call', { name: 'words' }, { headers: { 'mcp-name': 'greet' } });
    expect(wrong.status).toBe(400);
    expect(await messageOf(wrong)).toMatchObject({ id: 1, ...failure(-32_020) });
    const encoded = `=?base64?${Buffer.from('words').toString('base64')}?=`;
    const right = await served.modern('tools/call', { name: 'words' }, { headers: { 'mcp-name': encoded } });
    expect(await messageOf(right)).toMatchObject({ result: { content: [{ text: 'just words' }] } });
  });

  it('knows no version but its own, and none of the methods of the handshake', async () => {
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

  it('tells listeners of what they asked for, and of nothing else', async () => {
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

  it('ends a subscription to nothing at once, with an answer', async () => {
    const messages = await messagesOf(
      await served.modern('subscriptions/listen', { notifications: { promptsListChanged: true } }, { id: 9 }),
    );
    expect(messages).toMatchObject([{ method: 'notifications/subscriptions/acknowledged' }, { id: 9, result: { resultType: 'complete' } }]);
  });
});

describe('the protocols with a handshake', () => {
  it('agree on a version: the one asked for, or the newest known', async () => {
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
    expect(newest('words')?.actor).toMatch(/^two lines {2}x{80,90}$/);
  });

  it('take up a session that was opened before a restart, and know none that was ended or made up', async () => {
    const session = await served.openSession('survivor');
    const other = await serveEndpoint({ 'agent/extension.ts': AGENT_TOOLS });
    try {
      expect(await messageOf(await other.legacy('tools/call', { name: 'words' }, { session }))).toMatchObject({
        result: { content: [{ text: 'just words' }] },
      });
      expect(must(other.living.host.calls.list({ limit: 1 })).calls[0]?.actor).toBe('survivor');
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

  it('serve a client without a session, and do not stream what it did not ask for', async () => {
    const answer = await served.legacy('tools/call', { name: 'steps' });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await messageOf(answer)).toMatchObject({ id: 1, result: { content: [{ text: 'done' }] } });
  });

  it('keep a call that lost its connection, and end one that is cancelled', async () => {
    const session = await served.openSession();
    const controller = new AbortController();
    const call = { name: 'wait_for_end', _meta: { progressToken: 't' } };
    const lost = await served.legacy('tools/call', call, { id: 5, session, signal: controller.signal });
    controller.abort();
    await expect(lost.text()).rejects.toThrow(/abort/);
    const other = await served.openSession();
    await served.legacy('notifications/cancelled', { requestId: 5 }, { id: null, session: other });
    expect(newest('wait_for_end')?.status).toBe('running');
    const told = await served.legacy('notifications/cancelled', { requestId: 5 }, { id: null, session });
    expect(told.status).toBe(202);
    await vi.waitFor(() => expect(newest('wait_for_end')?.status).toBe('cancelled'));
  });

  it('end a cancelled call without an answer', async () => {
    const session = await served.openSession();
    const answer = await served.legacy('tools/call', { name: 'wait_for_end', _meta: { progressToken: 't' } }, { id: 'c', session });
    await served.legacy('notifications/cancelled', { requestId: 'c' }, { id: null, session });
    expect(await messagesOf(answer)).toMatchObject([{ method: 'notifications/progress' }]);
  });

  it('tell a session by its newest stream only', async () => {
    const session = await served.openSession();
    const open = () => fetch(served.url, { headers: { accept: 'text/event-stream', 'mcp-session-id': session } });
    const first = await open();
    const second = readMessages(await open());
    expect(await first.text()).toBe('');
    await served.living.save({ 'noted/extension.ts': null });
    expect((await second.next()).value).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} });
    await fetch(served.url, { method: 'DELETE', headers: { 'mcp-session-id': session } });
    expect((await second.next()).value).toMatchObject({ method: 'notifications/resources/list_changed' });
    expect((await second.next()).done).toBe(true);
  });

  it('tell of a resource that was subscribed to', async () => {
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

  it('read what was written in a channel, and are told of more', async () => {
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

  it('take several messages in one array in the one version that has it', async () => {
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
    expect((await served.send(batch.slice(1, 2), { 'mcp-session-id': old })).status).toBe(202);
    for (const headers of [{}, { 'mcp-session-id': await served.openSession() }, { 'mcp-protocol-version': MODERN_VERSION }]) {
      const refused = await served.send(batch, headers);
      expect(refused.status).toBe(400);
    }
    expect((await served.send([], { 'mcp-session-id': old })).status).toBe(400);
    expect((await served.send([1], { 'mcp-session-id': old })).status).toBe(400);
  });
});

describe('what is refused', () => {
  it('names what is wrong with a message', async () => {
    const cases: readonly [unknown, number, number][] = [
      ['{"jsonrpc"', 400, -32_700],
      ['', 400, -32_700],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}', 400, -32_600],
      [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32_600],
      [{ jsonrpc: '2.0', id: null, method: 'ping' }, 400, -32_600],
      [{ jsonrpc: '2.0', id: 1 }, 400, -32_600],
      [7, 400, -32_600],
      [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 7 } }, 200, -32_602],
      [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 'x' } }, 200, -32_602],
      [{ jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'loud' } }, 200, -32_602],
      [{ jsonrpc: '2.0', id: 1, method: 'nothing' }, 200, -32_601],
      [`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"deep":${'['.repeat(80)}${']'.repeat(80)}}}`, 400, -32_600],
    ];
    for (const [body, status, code] of cases) {
      const answer = await served.send(body);
      expect([body, answer.status, await messageOf(answer)]).toMatchObject([body, status, { jsonrpc: '2.0', error: { code } }]);
    }
    const large = await served.send({ jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'x'.repeat(1_100_000) } });
    expect(large.status).toBe(413);
    const version = await served.send({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-protocol-version': 'newest' });
    expect(version.status).toBe(400);
  });

  it('takes answers to what it never asked, and notices, without a word', async () => {
    for (const message of [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', method: 'notifications/whatever' },
    ]) {
      const answer = await served.send(message);
      expect([answer.status, await answer.text()]).toEqual([202, '']);
    }
  });

  it('wants clients to read what it answers', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    for (const accept of ['text/html', 'application/json', 'text/event-stream'])
      expect((await served.send(body, { accept })).status).toBe(406);
    for (const accept of ['*/*', 'application/*, text/*', 'text/event-stream;q=0.5, application/json'])
      expect((await served.send(body, { accept })).status).toBe(200);
    expect((await fetch(served.url, { headers: { accept: 'text/html,*/*' } })).status).toBe(406);
    expect((await fetch(served.url, { headers: { accept: 'text/event-stream' } })).status).toBe(400);
    const modern = await fetch(served.url, { headers: { accept: 'text/event-stream', 'mcp-protocol-version': MODERN_VERSION } });
    expect([modern.status, modern.headers.get('allow')]).toEqual([405, 'POST']);
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'HEAD']) {
      const answer = await fetch(served.url, { method });
      expect([method, answer.status, answer.headers.get('allow')]).toMatchObject([method, 405, expect.stringContaining('POST')]);
    }
    expect((await fetch(served.url, { method: 'DELETE' })).status).toBe(400);
    const text = await fetch(served.url, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' });
    expect(text.status).toBe(415);
  });
});

describe('a tool that is not there for now', () => {
  it('is not listed, and says why when it is called all the same', async () => {
    await served.living.save({
      'fading/extension.ts':
        "export const TOOL = { label: 'Test', name: 'fading', description: 'Goes away.', parameters: { type: 'object' }, execute: () => 1 };",
    });
    await served.living.reload();
    const nobody = { name: null };
    must(await served.living.host.extensions.disable('fading', nobody));
    const list = JSON.stringify(await messageOf(await served.modern('tools/list')));
    expect(list).not.toContain('"fading"');
    const called = await messageOf(await served.modern('tools/call', { name: 'fading' }));
    expect(called).toMatchObject({ result: { isError: true, content: [{ text: expect.stringContaining('disabled') }] } });
    must(await served.living.host.extensions.enable('fading', nobody));
    expect(await messageOf(await served.modern('tools/call', { name: 'fading' }))).toMatchObject({ result: { content: [{ text: '1' }] } });
  });
});

describe('a server that stops', () => {
  it('ends the streams of those who listen, in words that tell it from a lost connection', async () => {
    const stopping = await serveEndpoint({});
    const listening = await stopping.modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 'l' });
    const session = await stopping.openSession();
    const stream = await fetch(stopping.url, { headers: { accept: 'text/event-stream', 'mcp-session-id': session } });
    const [messages, rest] = await Promise.all([messagesOf(listening), stream.text(), stopping.close()]);
    expect(messages.at(-1)).toMatchObject({ id: 'l', result: { resultType: 'complete', _meta: { [META.subscriptionId]: 'l' } } });
    expect(rest).toBe('');
  });
});

describe('many tools', () => {
  it('are listed whole, and called one as quickly as another', async () => {
    const many = await serveEndpoint({
      'many/extension.ts': `export const TOOLS = Array.from({ length: 1000 }, (_, at) => ({
        label: 'Many', name: \`tool_\${at}\`, description: \`Number \${at}\`,
        parameters: { text: { type: 'string', description: 'Any text' } }, execute: () => at,
      }));`,
    });
    try {
      const list = await messageOf(await many.modern('tools/list'));
      expect(list).toMatchObject({ result: { tools: expect.objectContaining({ length: 1000 }) } });
      expect(list).not.toHaveProperty('result.nextCursor');
      expect(await messageOf(await many.modern('tools/call', { name: 'tool_999' }))).toMatchObject({
        result: { content: [{ text: '999' }] },
      });
    } finally {
      await many.close();
    }
  });
});
