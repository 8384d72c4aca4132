import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSealer } from '#lib/secrets/sealer.ts';
import type { ServerSignInRow } from '#lib/store/server-sign-in-repository.ts';
import { must } from '#lib/testing/living-host.ts';
import { serveSigning } from '#lib/testing/signing-mcp-server.ts';
import type { SigningServer } from '#lib/testing/signing-mcp-server.ts';
import { createServerSignIns, type ServerSignIns } from './server-sign-ins.ts';

const PUBLIC = 'https://93.184.216.34';
const LOCAL = 'http://localhost:3000';
const PATH = '/api/v1/servers/sign-in/callback';
const ADA = { id: 'ada', name: 'Ada' };

let server: SigningServer;
let signIns: ServerSignIns;
beforeEach(async () => {
  server = await serveSigning();
  signIns = createServerSignIns({
    repository: inMemory(),
    sealer: createSealer(['a key of more than thirty-two random characters']),
    learn: () => undefined,
    log: () => undefined,
    timeoutMs: 200,
  });
});
afterEach(() => server.close());

const place = () => ({ server: 'files', url: server.url, member: '' });
const begin = async (origin: string): Promise<URL> => new URL(must(await signIns.begin(place(), ADA, origin + PATH)));

it('reports that the authorization server is slow, and stores it for the page', async () => {
  const address = await begin(LOCAL);
  server.rules.isSlow = true;
  const finished = await signIns.finish((await server.signIn(address.href, 'Ada')).searchParams, ADA.id);
  expect(finished).toMatchObject({ ok: false, problem: { detail: expect.stringContaining('did not answer within 0.2 s') } });
  expect(await signIns.look('files', '')).toMatchObject({ isConnected: false, problem: expect.stringContaining('did not answer') });
  server.rules.isSlow = false;
  await begin(LOCAL);
  expect(await signIns.look('files', '')).toMatchObject({ problem: null });
});

it('a sign-in is needed while a token refresh gets no answer', async () => {
  server.rules.lifetime = 1;
  must(await signIns.finish((await server.signIn((await begin(LOCAL)).href, 'Ada')).searchParams, ADA.id));
  server.rules.isSlow = true;
  const token = await signIns.token(place(), { member: '', refused: null, scope: null });
  expect(token).toMatchObject({ token: null, why: expect.stringContaining('did not answer within') });
  server.rules.isSlow = false;
  expect((await signIns.token(place(), { member: '', refused: null, scope: null })).token).toMatch(/^access-/);
});

it('uses the client metadata document where it is supported, and does not register', async () => {
  server.rules.takesDocuments = true;
  const address = await begin(PUBLIC);
  expect(address.searchParams.get('client_id')).toBe(`${PUBLIC}/oauth/client-metadata.json`);
  must(await signIns.finish((await server.signIn(address.href, 'Ada')).searchParams, ADA.id));
  expect(server.exchanges).toMatchObject([{ client_id: `${PUBLIC}/oauth/client-metadata.json` }]);
  expect(await signIns.look('files', '')).toMatchObject({ isConnected: true });
});

it.each([
  ['the authorization server accepts no documents', PUBLIC, false],
  ['the document is not publicly reachable', LOCAL, true],
  ['the address of this server is private', 'https://10.0.0.7', true],
])('registers the client if %s', async (_why, origin, takesDocuments) => {
  server.rules.takesDocuments = takesDocuments;
  expect((await begin(origin)).searchParams.get('client_id')).toBe('switchboard');
});

function inMemory() {
  const rows = new Map<string, ServerSignInRow>();
  const claims = new Map<string, number>();
  const keyOf = (id: string, member: string): string => `${id}\n${member}`;
  return {
    get: async (id: string, member: string) => rows.get(keyOf(id, member)) ?? null,
    byState: async (state: string) => [...rows.values()].find((row) => row.state === state) ?? null,
    ofServer: async (id: string) => [...rows.values()].filter((row) => row.server === id),
    put: async (row: ServerSignInRow) => void rows.set(keyOf(row.server, row.member), row),
    async claim(id: string, member: string, now: number, until: number) {
      if ((claims.get(keyOf(id, member)) ?? 0) > now) return false;
      claims.set(keyOf(id, member), until);
      return true;
    },
    release: async (id: string, member: string) => void claims.delete(keyOf(id, member)),
    remove: async (id: string, member: string) => rows.delete(keyOf(id, member)),
    servers: async () => [...rows.values()].map((row) => row.server),
  };
}
