import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_CERTIFICATE, CLIENT_KEY } from '#lib/testing/client-certificate.ts';
import { oauthRepository } from '#lib/testing/oauth-repository.ts';
import { createOAuthClients } from './oauth-clients.ts';

let reads = 0;
let redirect = 'http://127.0.0.1/callback';
const server = createServer({ key: CLIENT_KEY, cert: CLIENT_CERTIFICATE }, (_request, response) => {
  reads += 1;
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({ client_id: idOf(), client_name: 'Claude', client_uri: 'https://claude.example', redirect_uris: [redirect] }),
  );
});
const idOf = (): string => `https://client.example:${(server.address() as AddressInfo).port}/client.json`;

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function clients() {
  return createOAuthClients({
    // Clients with a document are not stored.
    repository: oauthRepository(),
    audit: { record: () => expect.unreachable('Reading a document is not audited') },
    // Treats the loopback address as public.
    documents: { ca: CLIENT_CERTIFICATE, resolve: async () => [{ address: '127.0.0.1', family: 4 }], isPublic: () => true },
  });
}

describe('a client with a metadata document', () => {
  it('has the name and the addresses of the document, and a proven host', async () => {
    const found = await clients().find(idOf(), true);
    expect(found).toEqual({
      ok: true,
      client: {
        id: idOf(),
        name: 'Claude',
        uri: 'https://claude.example',
        host: new URL(idOf()).host,
        redirectUris: ['http://127.0.0.1/callback'],
      },
    });
  });

  it('is fetched once, and for signed-in people only', async () => {
    const known = clients();
    reads = 0;
    expect(await known.find(idOf(), false)).toMatchObject({ ok: false, kind: 'unread' });
    expect(reads).toBe(0);
    await known.find(idOf(), true);
    await known.find(idOf(), true);
    expect(reads).toBe(1);
  });

  it('is refused, and fetched again, if its addresses cannot be trusted', async () => {
    const known = clients();
    redirect = 'javascript:alert(1)';
    expect(await known.find(idOf(), true)).toMatchObject({ ok: false, kind: 'unknown', why: expect.stringContaining('not valid') });
    redirect = 'http://127.0.0.1/callback';
    expect(await known.find(idOf(), true)).toMatchObject({ ok: true });
  });
});
