import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import * as z from 'zod';
import type { CommandContext } from './command.ts';
import { requireServer } from './running-server.ts';

let server: Server;
afterEach(() => server.close());

const CONTEXT: CommandContext = {
  cwd: '/',
  env: {},
  stdin: Readable.from([]),
  print: async () => undefined,
  note: () => undefined,
  isTerminal: false,
  paint: (_style, text) => text,
  signal: new AbortController().signal,
};

/** Refuses the first requests, and counts all requests. */
async function busyServer(refused: number, retryAfter: string) {
  let asked = 0;
  server = createServer((request, response) => {
    if (request.url === '/healthz') return void response.end('{"status":"ok","ready":true}');
    asked += 1;
    if (asked > refused) return void response.end('{"done":true}');
    response.writeHead(429, { 'retry-after': retryAfter }).end('{"code":"too_many_requests","detail":"Too many requests."}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const asking = await requireServer(CONTEXT, `http://127.0.0.1:${port}`);
  return { post: () => asking.post('/api/v1/x', {}, z.object({ done: z.boolean() })), asked: () => asked };
}

it('retries after the delay of a server with rate limits', async () => {
  const busy = await busyServer(2, '0');
  expect(await busy.post()).toEqual({ done: true });
  expect(busy.asked()).toBe(3);
});

it.each([
  ['a pause that is too long', '3600', 1],
  ['no pause that can be read', 'soon', 1],
])('returns the refusal after %s', async (_name, retryAfter, asked) => {
  const busy = await busyServer(Number.POSITIVE_INFINITY, retryAfter);
  await expect(busy.post()).rejects.toThrow('Too many requests.');
  expect(busy.asked()).toBe(asked);
});
