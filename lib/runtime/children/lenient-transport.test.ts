import { createServer } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { fetchLeniently, readMessage } from './lenient-transport.ts';

/** The message sent, and the message read. */
const MESSAGES: readonly (readonly [string, object, object])[] = [
  ['no error beside a result', { id: 1, error: null, result: { a: 1 } }, { id: 1, result: { a: 1 } }],
  ['no result beside an error', { id: 1, result: null, error: { code: -1, message: 'no' } }, { id: 1, error: { code: -1, message: 'no' } }],
  ['no result', { id: 1, result: null }, { id: 1, result: {} }],
  ['no `_meta`', { id: 1, result: { _meta: null, a: null } }, { id: 1, result: { a: null } }],
  ['no id of a notification', { id: null, method: 'notifications/x', params: null }, { method: 'notifications/x' }],
  ['a code that is a text', { id: 1, error: { code: 'E', message: 'no' } }, { id: 1, error: { code: -32_603, message: 'no' } }],
  ['an error that is a text', { id: 1, error: 'no' }, { id: 1, error: { code: -32_603, message: 'no' } }],
  ['a result that is a text', { id: 1, result: 'x' }, { id: 1, error: { code: -32_603, message: 'its result is not an object' } }],
  ['an additional field', { id: 1, result: {}, took: 3 }, { id: 1, result: {} }],
];

describe('an unusual message of an MCP server', () => {
  it.each(MESSAGES)('with %s is read', (_what, sent, read) => {
    expect(readMessage(JSON.stringify({ jsonrpc: '2.0', ...sent }))).toEqual({ jsonrpc: '2.0', ...read });
  });

  it.each(['{"level":"info","id":1}', 'Welcome', '{', '[1]', 'null'])('that is not a message (%s) is output', (line) => {
    expect(readMessage(line)).toBeNull();
  });

  it('is read the same over HTTP, complete or in a chunked stream', async () => {
    const texts = MESSAGES.map(([, sent]) => JSON.stringify({ jsonrpc: '2.0', ...sent }));
    const stream = Buffer.from(texts.map((text) => `event: message\ndata: ${text}\n\n`).join(''));
    const server = createServer((request, response) => {
      const at = request.url === '/stream' ? null : Number(request.url?.slice(1));
      response.setHeader('content-type', at === null ? 'text/event-stream' : 'application/json');
      if (at !== null) return void response.end(texts[at]);
      for (let from = 0; from < stream.length; from += 7) response.write(stream.subarray(from, from + 7));
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const url = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
    try {
      const expected = MESSAGES.map(([, , read]) => ({ jsonrpc: '2.0', ...read }));
      const whole = await Promise.all(texts.map(async (_text, at) => (await fetchLeniently(`${url}/${at}`)).json()));
      expect(whole).toEqual(expected);
      const streamed = await (await fetchLeniently(`${url}/stream`)).text();
      expect([...streamed.matchAll(/^data: (.*)$/gm)].map(([, data = '']): unknown => JSON.parse(data))).toEqual(expected);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
