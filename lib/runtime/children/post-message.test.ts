import { createServer } from 'node:http';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { isPlainPost, postMessage } from './post-message.ts';

const RESPONSE = '{"jsonrpc":"2.0","id":1,"result":{}}';
const PROGRESS = '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}';
const STREAM = { 'content-type': 'text/event-stream' };

let close: () => void = () => undefined;
afterEach(() => close());

async function serve(answer: (response: ServerResponse, address: string) => void): Promise<URL> {
  const server = createServer((request, response) => {
    request.resume();
    answer(response, request.url ?? '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  const address = server.address();
  return new URL(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/mcp`);
}

function post(url: URL, signal: AbortSignal | null = null): Promise<Response> {
  const init = { method: 'POST', headers: new Headers({ 'content-type': 'application/json' }), body: '{}', signal };
  return postMessage(url, init, (text) => text.replace('{}', '{"tidy":true}'));
}

describe('a message to a server at an http: address', () => {
  it('is answered as JSON when the stream begins with the response, also after an id and in pieces', async () => {
    const url = await serve((response) => {
      response.writeHead(200, { ...STREAM, 'mcp-session-id': 'one' });
      response.write('id: 7\ndata: \n\nevent: message\nda');
      // The stream stays open: the answer does not wait for its end.
      setImmediate(() => response.write(`ta: ${RESPONSE}\n\n`));
    });
    const answer = await post(url);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('mcp-session-id')).toBe('one');
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, result: { tidy: true } });
  });

  it.each([
    ['with progress first', `data: ${PROGRESS}\n\n`, `data: ${RESPONSE}\n\n`],
    ['with several events at once', `data: ${RESPONSE}\n\ndata: ${PROGRESS}\n\n`, ': end\n\n'],
    ['with events of another kind', `event: endpoint\ndata: /other\n\n`, `data: ${RESPONSE}\n\n`],
    ['that ends with the id to call back with', 'id: 7\nretry: 10\ndata: \n\n', ''],
  ])('is answered by the complete stream %s', async (_what, first, later) => {
    const url = await serve((response) => {
      response.writeHead(200, STREAM);
      response.write(first);
      setImmediate(() => response.end(later));
    });
    const answer = await post(url);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(await answer.text()).toBe(first + later);
  });

  it('breaks off where the stream does', async () => {
    const url = await serve((response) => {
      response.writeHead(200, STREAM);
      response.write('id: 7\ndata: \n\n', () => response.destroy());
    });
    const body: ReadableStream<Uint8Array> | null = (await post(url)).body;
    const read: string[] = [];
    const reading = (async () => {
      for await (const part of body ?? []) read.push(Buffer.from(part).toString());
    })();
    await expect(reading).rejects.toThrow('aborted');
    expect(read.join('')).toBe('id: 7\ndata: \n\n');
  });

  it('keeps the words of a refusal, and a status without a body', async () => {
    const url = await serve((response) => void response.writeHead(401, { 'content-type': 'application/json' }).end('{}'));
    const refused = await post(url);
    expect([refused.ok, refused.status, await refused.text()]).toEqual([false, 401, '{}']);
    close();
    const empty = await post(await serve((response) => void response.writeHead(202).end()));
    expect([empty.status, await empty.text()]).toEqual([202, '']);
  });

  it('follows a redirect', async () => {
    const url = await serve((response, address) =>
      address === '/mcp'
        ? void response.writeHead(307, { location: '/there' }).end()
        : void response.writeHead(200, { 'content-type': 'application/json' }).end(RESPONSE),
    );
    expect(await (await post(url)).json()).toEqual(JSON.parse(RESPONSE));
  });

  it('fails as fetch does, and with the reason of its signal', async () => {
    const url = await serve((response) => void response.destroy());
    await expect(post(url)).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
    close();
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const silent = await serve(() => controller.abort(reason));
    await expect(post(silent, controller.signal)).rejects.toBe(reason);
  });

  it('goes by the global fetch in every other case', () => {
    const init = { method: 'POST', headers: new Headers(), body: '{}' };
    expect(isPlainPost(new URL('http://127.0.0.1/mcp'), init)).toBe(true);
    expect(isPlainPost(new URL('https://example.com/mcp'), init)).toBe(false);
    expect(isPlainPost(new URL('http://ada:secret@127.0.0.1/mcp'), init)).toBe(false);
    expect(isPlainPost(new URL('http://127.0.0.1/mcp'), { ...init, method: 'GET' })).toBe(false);
    expect(isPlainPost(new URL('http://127.0.0.1/mcp'), undefined)).toBe(false);
  });
});
