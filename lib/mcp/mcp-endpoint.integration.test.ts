import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '#lib/testing/living-host.ts';
import { AGENT_FILES, messageOf, messagesOf, type ServedEndpoint, serveEndpoint } from './mcp-harness.ts';
import { META, MODERN_VERSION } from './protocol.ts';

let served: ServedEndpoint;
beforeAll(async () => {
  served = await serveEndpoint(AGENT_FILES);
});
afterAll(() => served.close());

/** The id that a response can contain; null if it cannot be read. */
function readableId(body: unknown): unknown {
  const id: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'id') : null;
  return typeof id === 'number' ? id : null;
}

describe('a refused request', () => {
  it('names the error in a message', async () => {
    const cases: readonly [unknown, number, number][] = [
      ['{"jsonrpc"', 400, -32_700],
      ['', 400, -32_700],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}', 400, -32_600],
      [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32_600],
      [{ jsonrpc: '2.0', id: null, method: 'ping' }, 400, -32_600],
      [{ jsonrpc: '2.0', id: 1 }, 400, -32_600],
      [7, 400, -32_600],
      [{ jsonrpc: '2.0', id: 1, method: 'ping', more: 1 }, 400, -32_600],
      [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, 400, -32_600],
      [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, 400, -32_600],
      [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'words', _meta: { progressToken: {} } } }, 400, -32_600],
      [{ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 7 } }, 200, -32_602],
      [{ jsonrpc: '2.0', id: 1, method: 'server/discover' }, 200, -32_601],
      [{ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: {} } }, 200, -32_601],
      [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 7 } }, 200, -32_602],
      [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 'x' } }, 200, -32_602],
      [{ jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { level: 'loud' } }, 200, -32_602],
      [{ jsonrpc: '2.0', id: 1, method: 'nothing' }, 200, -32_601],
      [`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"deep":${'['.repeat(80)}${']'.repeat(80)}}}`, 400, -32_600],
    ];
    for (const [body, status, code] of cases) {
      const answer = await served.send(body);
      expect([body, answer.status, await messageOf(answer)]).toMatchObject([
        body,
        status,
        { jsonrpc: '2.0', id: readableId(body), error: { code } },
      ]);
    }
    const large = await served.send({ jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'x'.repeat(1_100_000) } });
    expect(large.status).toBe(413);
    const version = await served.send({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-protocol-version': 'newest' });
    expect(version.status).toBe(400);
  });

  it('accepts unsolicited responses and notifications silently', async () => {
    for (const message of [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', method: 'notifications/whatever' },
    ]) {
      const answer = await served.send(message);
      expect([answer.status, await answer.text()]).toEqual([202, '']);
    }
  });

  it('requires clients to accept its content types', async () => {
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

describe('an unavailable tool', () => {
  it('is not listed, and a call of it returns the reason', async () => {
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
  it('ends the streams of listeners with a message that differs from a lost connection', async () => {
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
  it('are listed completely, and called equally fast', async () => {
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

describe('the time limit of a call', () => {
  const WAITS = `export const TOOL = { label: 'W', name: 'wait', description: 'Waits.', parameters: {}, timeout_ms: 60_000,
    execute: (_args, { signal }) => new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason))) };`;

  it('is set by the client in _meta per call or in a header, and rejected if invalid', async () => {
    const slow = await serveEndpoint({ 'w/extension.js': WAITS });
    const call = (meta: Readonly<Record<string, unknown>>, headers: Record<string, string> = {}) =>
      slow.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', _meta: meta } }, headers).then(messageOf);
    const ended = { result: { isError: true, content: [{ text: expect.stringContaining('did not answer within 250 ms') }] } };
    try {
      expect(await call({ [META.timeoutMs]: 250 })).toMatchObject(ended);
      expect(await call({}, { 'x-timeout-ms': '250' })).toMatchObject(ended);
      expect(await call({ [META.timeoutMs]: 250 }, { 'x-timeout-ms': '50000' })).toMatchObject(ended);
      const modern = await slow.modern('tools/call', { name: 'wait' }, { meta: { [META.timeoutMs]: 250 } });
      expect(await messageOf(modern)).toMatchObject(ended);
      for (const wrong of [0, 1.5, '1s', 3_600_001])
        expect(await call({ [META.timeoutMs]: wrong })).toMatchObject({
          error: { code: -32_602, message: expect.stringMatching(/whole number of milliseconds from 1 to 3600000/) },
        });
      expect(await call({}, { 'x-timeout-ms': 'long' })).toMatchObject({ error: { code: -32_602 } });
    } finally {
      await slow.close();
    }
  });
});
