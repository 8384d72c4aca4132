import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCompressedFiles } from './compressed-files.ts';

let build: string;
let server: Server;
let address: string;

beforeAll(async () => {
  build = await mkdtemp(join(tmpdir(), 'compressed-files-'));
  await mkdir(join(build, 'static', 'chunks'), { recursive: true });
  for (const name of ['page.js', 'page.css', 'gone.js'])
    await writeFile(join(build, 'static', 'chunks', `${name}.br`), brotliCompressSync(name));
  await writeFile(join(build, 'secret.js.br'), brotliCompressSync('secret'));
  const files = createCompressedFiles(build);
  server = createServer((request, response) => {
    files.answer(request, response).then(
      (answered) => {
        if (!answered) response.writeHead(404).end();
      },
      () => response.writeHead(500).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = server.address();
  address = `http://127.0.0.1:${typeof at === 'object' ? at?.port : ''}`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(build, { recursive: true });
});

const get = (path: string, headers: Readonly<Record<string, string>> = { 'accept-encoding': 'gzip, br' }, method = 'GET') =>
  fetch(`${address}${path}`, { headers, method });

test.each([
  ['page.js', 'application/javascript; charset=UTF-8'],
  ['page.css', 'text/css; charset=UTF-8'],
])('sends the precompressed %s with an immutable cache header', async (name, type) => {
  const answer = await get(`/_next/static/chunks/${name}?v=1`);
  expect(await answer.text()).toBe(name);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
    'content-type': type,
    vary: 'Accept-Encoding',
  });
});

test('sends no body for HEAD', async () => {
  const answer = await get('/_next/static/chunks/page.js', undefined, 'HEAD');
  expect([answer.status, await answer.text()]).toEqual([200, '']);
});

test.each(['gzip, deflate', 'br;q=0', 'gzip, br;q=0.0', 'brotli', ''])('does not answer clients that accept "%s"', async (accepted) => {
  expect((await get('/_next/static/chunks/page.js', { 'accept-encoding': accepted })).status).toBe(404);
});

test.each(['br', 'gzip;q=0.8,br;q=0.9', 'gzip, br ; q=1.0'])('answers clients that accept "%s"', async (accepted) => {
  expect((await get('/_next/static/chunks/page.js', { 'accept-encoding': accepted })).status).toBe(200);
});

test('ignores range requests', async () => {
  expect((await get('/_next/static/chunks/page.js', { 'accept-encoding': 'br', range: 'bytes=0-1' })).status).toBe(404);
});

test.each(['/_next/static/%2e%2e/secret.js', '/_next/static/chunks/page.js.br', '/_next/static/chunks/other.js', '/secret.js', '/page.js'])(
  'ignores %s',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

test('ignores a file that was removed', async () => {
  expect((await get('/_next/static/chunks/gone.js')).status).toBe(200);
  await rm(join(build, 'static', 'chunks', 'gone.js.br'));
  expect((await get('/_next/static/chunks/gone.js')).status).toBe(404);
});
