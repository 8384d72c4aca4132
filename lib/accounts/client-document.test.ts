import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_CERTIFICATE, CLIENT_KEY } from '#lib/testing/client-certificate.ts';
import { type DocumentOptions, readClientDocument } from './client-document.ts';

let server: Server;
const ca = CLIENT_CERTIFICATE;
let port: number;
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer({ key: CLIENT_KEY, cert: CLIENT_CERTIFICATE }, (_request, response) => answer(response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const idOf = (): string => `https://client.example:${port}/client.json`;
const document = (more: object = {}): object => ({
  client_id: idOf(),
  client_name: 'Claude',
  redirect_uris: ['http://127.0.0.1/callback'],
  ...more,
});
const sends =
  (value: unknown, type = 'application/json') =>
  (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': type }).end(typeof value === 'string' ? value : JSON.stringify(value));
const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
/** Treats the loopback address as public. */
const read = (more: DocumentOptions = {}) => readClientDocument(idOf(), { ca, resolve, isPublic: () => true, ...more });

describe('a client id metadata document', () => {
  it('names the client and proves its host', async () => {
    answer = sends(document());
    expect(await read()).toMatchObject({
      ok: true,
      host: `client.example:${port}`,
      metadata: { client_name: 'Claude', redirect_uris: ['http://127.0.0.1/callback'] },
    });
  });

  it.each([
    ['another client_id', { client_id: 'https://other.example/client.json' }, 'name another client_id'],
    ['no redirect addresses', { redirect_uris: [] }, 'no client metadata'],
    ['a secret', { client_secret: 'x' }, 'no client metadata'],
    ['another authentication', { token_endpoint_auth_method: 'client_secret_post' }, 'only public clients'],
  ])('with %s is refused', async (_what, more, why) => {
    answer = sends(document(more));
    expect(await read()).toEqual({ ok: false, why: expect.stringContaining(why) });
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['redirects', (response) => void response.writeHead(302, { location: 'http://127.0.0.1/' }).end(), 'it redirects'],
    ['is missing', (response) => void response.writeHead(404).end(), 'answered 404'],
    ['is an HTML page', sends('<html>', 'text/html'), 'not JSON'],
    ['is no JSON', sends('{'), 'not JSON'],
    ['is too large', sends(`"${'x'.repeat(70_000)}"`), 'larger than 64 KiB'],
  ])('that %s is refused', async (_what, how, why) => {
    answer = how;
    expect(await read()).toEqual({ ok: false, why: expect.stringContaining(why) });
  });

  it('that never ends is refused after a timeout', async () => {
    answer = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    expect(await read({ timeoutMs: 300 })).toEqual({ ok: false, why: 'Its metadata did not arrive within 0.3 s.' });
  });

  it('at a name with an address in the private network is never requested', async () => {
    let asked = 0;
    answer = () => (asked += 1);
    const mixed = async () => [
      { address: '1.1.1.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    for (const outcome of [await readClientDocument(idOf(), { ca, resolve }), await readClientDocument(idOf(), { ca, resolve: mixed })])
      expect(outcome).toEqual({ ok: false, why: 'Its client_id is at client.example, which is not a public address.' });
    expect(asked).toBe(0);
  });

  it.each([
    'http://client.example/client.json',
    'https://client.example/',
    'https://client.example/a#b',
    'https://user@client.example/a',
    'https://client.example/a/../b',
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://[::ffff:10.0.0.1]/client.json',
    'https://2130706433/client.json',
  ])('at %s is refused', async (id) => {
    expect((await readClientDocument(id)).ok).toBe(false);
  });
});
