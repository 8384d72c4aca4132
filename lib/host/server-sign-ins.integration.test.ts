import { readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';
import { serveSigning, type SigningServer } from '#lib/testing/signing-mcp-server.ts';

const CALLBACK = 'http://localhost:3000/api/v1/servers/sign-in/callback';
const PATIENCE = { timeout: 60_000, interval: 50 };
const ADA = { id: 'ada', name: 'Ada' };
const BOB = { id: 'bob', name: 'Bob' };
let server: SigningServer;
let living: LivingHost;
beforeEach(async () => {
  server = await serveSigning();
});
afterEach(async () => {
  await living.remove();
  await server.close();
});

const start = async (entry: Readonly<Record<string, unknown>> = {}): Promise<void> => {
  living = await startHost({ 'files/mcp.json': JSON.stringify({ url: server.url, ...entry }) });
};

/** Signs in like a person with a browser. */
async function connect(who = ADA, person = who.name): Promise<void> {
  const { authorization_url: address } = must(await living.host.signIns.begin('files', who, CALLBACK));
  const callback = await server.signIn(address, person);
  expect(`${callback.origin}${callback.pathname}`).toBe(CALLBACK);
  expect(must(await living.host.signIns.finish(callback.searchParams, who))).toBe('files');
  // On a busy machine the server is retried.
  await vi.waitFor(() => expect(living.extension('files')?.state).toBe('ready'), PATIENCE);
}

async function call(tool: string, member?: string) {
  const { calls } = living.host;
  const { id, finished } = must(await calls.start({ tool, arguments: {}, source: 'api', actor: { name: null, member } }));
  await finished;
  return must(await calls.get(id));
}

const look = async (who = ADA) => must(await living.host.signIns.look('files', who));
/** All data that was stored, logged or shown. */
const everything = (): string => {
  const stored = readdirSync(living.host.config.dataDir).filter((name) => name.startsWith('switchboard.db'));
  const database = stored.map((name) => readFileSync(path.join(living.host.config.dataDir, name), 'latin1')).join('');
  return database + JSON.stringify(living.host.extensions.list());
};

describe('a server that asks for a sign-in', () => {
  it('is not loaded until a person signs in, and works from then on, also after a restart', async () => {
    await start();
    await vi.waitFor(
      () => expect(living.extension('files')).toMatchObject({ state: 'failed', failure: { code: 'server_sign_in_needed' } }),
      PATIENCE,
    );
    expect(await look()).toMatchObject({ auth: 'server', state: 'needed', by: null });
    await connect();
    expect(living.extension('files')).toMatchObject({ state: 'ready', tools: ['files__whoami', 'files__erase'] });
    expect(await look()).toMatchObject({ state: 'connected', by: 'Ada' });
    expect(await call('files__whoami')).toMatchObject({ status: 'succeeded', result: { content: [{ text: 'Ada' }] } });
    living = await living.restart();
    expect(await call('files__whoami')).toMatchObject({ status: 'succeeded' });
    expect(server.exchanges).toMatchObject([{ grant_type: 'authorization_code', resource: server.url }]);
  });

  it('never gets its tokens into the database, a log or a page', async () => {
    await start();
    await connect();
    await call('files__whoami');
    const shown = everything();
    for (const secret of [...server.issued.access, ...server.issued.refresh, 'the-secret-of-this-client-alone'])
      expect(shown).not.toContain(secret);
  });

  it('has its token renewed before it expires, once for many calls', async () => {
    server.rules.lifetime = 30;
    await start();
    await connect();
    server.rules.lifetime = 3_600;
    const calls = await Promise.all(Array.from({ length: 5 }, () => call('files__whoami')));
    expect(calls.map(({ status }) => status)).toEqual(Array(5).fill('succeeded'));
    expect(server.exchanges.filter((form) => form['grant_type'] === 'refresh_token').length).toBeGreaterThan(0);
    // Each refresh token was used once.
    const used = server.exchanges.flatMap((form) => form['refresh_token'] ?? []);
    expect(new Set(used).size).toBe(used.length);
  });

  it('whose token was revoked there gets another one, or the error says what to do', async () => {
    await start();
    await connect();
    server.issued.revoked.push(...server.issued.access);
    expect(await call('files__whoami')).toMatchObject({ status: 'succeeded' });
    server.rules.refusesRefresh = true;
    server.issued.revoked.push(...server.issued.access);
    const refused = await call('files__whoami');
    expect(refused.status).toBe('failed');
    expect(JSON.stringify(refused.error)).toContain('Connect');
    expect(await look()).toMatchObject({ state: 'needed' });
    server.rules.refusesRefresh = false;
    await connect();
    expect(await call('files__whoami')).toMatchObject({ status: 'succeeded' });
  });

  it('that refuses every token, as for another audience, is not asked forever', async () => {
    await start();
    await connect();
    server.rules.refusesTokens = true;
    const refused = await call('files__whoami');
    expect(refused.status).toBe('failed');
    expect(JSON.stringify(refused.error)).toContain('refuses the sign-in');
    expect(server.exchanges.length).toBeLessThan(5);
  });

  it('that asks for more permissions gets them with the next sign-in', async () => {
    await start();
    await connect();
    const refused = await call('files__erase');
    expect(JSON.stringify(refused.error)).toContain('more permissions (erase)');
    expect(await look()).toMatchObject({ missing_scope: 'erase' });
    const { authorization_url: address } = must(await living.host.signIns.begin('files', ADA, CALLBACK));
    expect(new URL(address).searchParams.get('scope')?.split(' ').toSorted()).toEqual(['erase', 'read']);
    must(await living.host.signIns.finish((await server.signIn(address, 'Ada')).searchParams, ADA));
    expect(await call('files__erase')).toMatchObject({ status: 'succeeded' });
    expect(await look()).toMatchObject({ missing_scope: null });
  });

  it('is signed out: its tokens are revoked there, and it is not used any more', async () => {
    await start();
    await connect();
    const tokens = [...server.issued.access, ...server.issued.refresh];
    expect(must(await living.host.signIns.remove('files', ADA))).toMatchObject({ state: 'needed' });
    expect(server.issued.revoked).toEqual(expect.arrayContaining(tokens));
    await vi.waitFor(async () => expect((await call('files__whoami')).status).toBe('failed'), PATIENCE);
  });

  it('that is removed has its tokens revoked', async () => {
    await start();
    await connect();
    rmSync(path.join(living.host.config.extensionsDir, 'files'), { recursive: true });
    must(await living.host.extensions.reload(null, { name: 'Ada' }));
    await vi.waitFor(() => expect(server.issued.revoked).toEqual(expect.arrayContaining(server.issued.access)), 10_000);
  });

  it.each(['whoami', 'erase'])('only during a call of %s is loaded, and offers to connect from that call on', async (tool) => {
    server.rules.isOpen = true;
    await start();
    await vi.waitFor(() => expect(living.extension('files')?.state).toBe('ready'), PATIENCE);
    expect(await look()).toMatchObject({ state: 'none' });
    const refused = await call(`files__${tool}`);
    expect(JSON.stringify(refused.error)).toContain('press Connect');
    expect(await look()).toMatchObject({ state: 'needed', by: null });
    await connect();
    expect(await look()).toMatchObject({ state: 'connected' });
    expect(await call('files__whoami')).toMatchObject({ status: 'succeeded', result: { content: [{ text: 'Ada' }] } });
  });

  it('with its own key needs no sign-in', async () => {
    await start({ headers: { Authorization: 'Bearer wrong-key-of-the-entry' } });
    expect(living.extension('files')).toMatchObject({ state: 'failed', failure: { code: 'mcp_error' } });
  });
});

describe('the callback', () => {
  it('works once, for the person who began, with the state and the issuer of the request', async () => {
    await start();
    const { authorization_url: address } = must(await living.host.signIns.begin('files', ADA, CALLBACK));
    const callback = await server.signIn(address, 'Ada');
    const changed = (name: string, value: string): URLSearchParams => {
      const parameters = new URLSearchParams(callback.search);
      parameters.set(name, value);
      return parameters;
    };
    expect(await living.host.signIns.finish(callback.searchParams, BOB)).toMatchObject({ ok: false, problem: { code: 'not_allowed' } });
    expect(await living.host.signIns.finish(changed('state', 'guessed'), ADA)).toMatchObject({
      ok: false,
      problem: { code: 'request_malformed' },
    });
    expect(await living.host.signIns.finish(changed('iss', 'https://evil.example'), ADA)).toMatchObject({ ok: false });
    expect(server.exchanges).toEqual([]);
    expect(await living.host.signIns.finish(callback.searchParams, ADA)).toMatchObject({ ok: false });
    await connect();
    expect(await look()).toMatchObject({ state: 'connected' });
  });
});

describe('a server where each member signs in', () => {
  it('gets the token of the member who calls, and no other', async () => {
    await start({ auth: 'member' });
    await vi.waitFor(
      () => expect(living.extension('files')).toMatchObject({ state: 'failed', failure: { code: 'server_sign_in_needed' } }),
      PATIENCE,
    );
    await connect(ADA);
    expect(await look(BOB)).toMatchObject({ auth: 'member', state: 'needed', by: null });
    const without = await call('files__whoami', BOB.id);
    expect(without.status).toBe('failed');
    expect(JSON.stringify(without.error)).toContain('Connect');
    expect((await call('files__whoami')).status).toBe('failed');
    await connect(BOB);
    expect(await call('files__whoami', ADA.id)).toMatchObject({ result: { content: [{ text: 'Ada' }] } });
    expect(await call('files__whoami', BOB.id)).toMatchObject({ result: { content: [{ text: 'Bob' }] } });
    // A second sign-in, at another account of the server.
    await connect(ADA, 'Ada Lovelace');
    const known = async () => JSON.stringify((await call('files__whoami', ADA.id)).result);
    await vi.waitFor(async () => expect(await known()).toContain('Ada Lovelace'), PATIENCE);
    must(await living.host.signIns.remove('files', ADA));
    await vi.waitFor(async () => expect((await call('files__whoami', ADA.id)).status).toBe('failed'), PATIENCE);
    expect(await call('files__whoami', BOB.id)).toMatchObject({ status: 'succeeded' });
  });
});
