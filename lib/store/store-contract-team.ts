import { describe, expect, it } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import type { SavedRun } from '#lib/contract/saved-call.ts';
import { savedCallRecord } from '#lib/testing/api-records.ts';
import type { AuditRow, OAuthGrantRow, OAuthTokenRow, TokenRow } from './account-store.ts';
import type { Store } from './store.ts';

/** The store contract for tokens and the audit log. */
export function describeTeamContract(store: () => Store, restart: () => Promise<void>): void {
  const token: TokenRow = {
    id: 't1',
    hash: 'h1',
    prefix: 'swb_abc…',
    name: 'nightly',
    ownerId: 'm1',
    role: 'operator',
    tools: null,
    toolset: null,
    createdAt: 1_000,
    expiresAt: 9_000,
    lastUsedAt: null,
    revokedAt: null,
  };

  describe('tokens', () => {
    it('survive a restart, and are found by their hash', async () => {
      expect(await store().tokens.insert(token)).toBe('stored');
      expect(await store().tokens.insert({ ...token, id: 't2', hash: 'h2', tools: ['a', 'b'], toolset: 'support', createdAt: 2_000 })).toBe(
        'stored',
      );
      await restart();
      expect(await store().tokens.findByHash('h1')).toEqual(token);
      expect(await store().tokens.findByHash('H1')).toBeNull();
      expect(await store().tokens.get('t2')).toMatchObject({ tools: ['a', 'b'], toolset: 'support' });
      expect((await store().tokens.list()).map(({ id }) => id)).toEqual(['t2', 't1']);
    });

    it('are revoked once, and record their use', async () => {
      await store().tokens.insert(token);
      await store().tokens.noteUse('t1', 3_000);
      expect(await store().tokens.revoke('t1', 4_000)).toBe(true);
      expect(await store().tokens.revoke('t1', 5_000)).toBe(false);
      expect(await store().tokens.revoke('none', 5_000)).toBe(false);
      expect(await store().tokens.get('t1')).toMatchObject({ lastUsedAt: 3_000, revokedAt: 4_000 });
    });

    it('are limited while active; inactive ones do not count, and can be dropped', async () => {
      for (let made = 0; made < LIMITS.tokensAtOnce; made += 1)
        await store().tokens.insert({ ...token, id: `t${made}`, hash: `h${made}`, ...(made === 0 ? { expiresAt: 1_500 } : {}) });
      const another = { ...token, id: 'more', hash: 'more' };
      expect(await store().tokens.insert(another)).toBe('full');
      expect(await store().tokens.insert({ ...another, createdAt: 2_000 })).toBe('stored');
      expect(await store().tokens.removeDead(1_501)).toBe(1);
      expect(await store().tokens.get('t0')).toBeNull();
    });
  });

  const grant: OAuthGrantRow = {
    id: 'g1',
    memberId: 'm1',
    clientId: 'c1',
    clientName: 'Claude',
    clientHost: 'claude.ai',
    role: 'operator',
    scopes: ['mcp.connect', 'tools.call'],
    tools: ['add'],
    resource: 'https://here.example/mcp',
    createdAt: 1_000,
    expiresAt: 2_000,
    lastUsedAt: null,
    revokedAt: null,
  };
  const code: OAuthTokenRow = {
    hash: 'code',
    grantId: 'g1',
    kind: 'code',
    expiresAt: 2_000,
    usedAt: null,
    redirectUri: 'https://app.example/callback',
    challenge: 'challenge',
  };
  const refresh: OAuthTokenRow = { ...code, hash: 'refresh', kind: 'refresh', expiresAt: 9_000, redirectUri: null, challenge: null };

  describe('OAuth grants', () => {
    it('survive a restart with their code, which is exchanged once', async () => {
      const { oauth } = store();
      expect(await oauth.insertGrant(grant, code, 10)).toBe('stored');
      await restart();
      expect(await store().oauth.find('code')).toEqual({ token: code, grant });
      expect(await store().oauth.find('none')).toBeNull();
      const exchanged = await Promise.all(
        ['first', 'second'].map((hash) => store().oauth.exchange('code', { at: 1_500, again: 1_500 }, [{ ...refresh, hash }], 9_000)),
      );
      expect(exchanged.filter((isFirst) => isFirst)).toHaveLength(1);
      const [first, second] = [await store().oauth.find('first'), await store().oauth.find('second')];
      expect([first, second].filter((one) => one === null)).toHaveLength(1);
      expect((await store().oauth.find('code'))?.token.usedAt).toBe(1_500);
      expect(await store().oauth.grant('g1')).toEqual({ ...grant, expiresAt: 9_000, lastUsedAt: 1_500 });
    });

    it('exchange a token again only shortly after its first use', async () => {
      const { oauth } = store();
      await oauth.insertGrant(grant, code, 10);
      await oauth.exchange('code', { at: 1_100, again: 1_100 }, [refresh], 9_000);
      const use = (hash: string, at: number) => oauth.exchange('refresh', { at, again: at - 300 }, [{ ...refresh, hash }], 9_000);
      expect(await Promise.all(['one', 'two'].map((hash) => use(hash, 2_000)))).toEqual([true, true]);
      expect(await use('three', 2_299)).toBe(true);
      expect(await use('four', 2_300)).toBe(false);
      expect((await oauth.find('refresh'))?.token.usedAt).toBe(2_000);
      expect(await Promise.all(['one', 'two', 'three', 'four'].map(async (hash) => (await oauth.find(hash)) !== null))).toEqual([
        true,
        true,
        true,
        false,
      ]);
    });

    it('are revoked once, limited per member, and listed newest first', async () => {
      const { oauth } = store();
      await oauth.insertGrant(grant, code, 1);
      const other = { ...grant, id: 'g2', createdAt: 1_100 };
      expect(await oauth.insertGrant(other, { ...code, hash: 'code2', grantId: 'g2' }, 1)).toBe('full');
      expect(await oauth.find('code2')).toBeNull();
      expect(await oauth.revoke('g1', 1_200)).toBe(true);
      expect(await oauth.revoke('g1', 1_300)).toBe(false);
      expect(await oauth.insertGrant(other, { ...code, hash: 'code2', grantId: 'g2' }, 1)).toBe('stored');
      await oauth.noteUse('g2', 1_400);
      expect((await oauth.grants()).map(({ id, revokedAt, lastUsedAt }) => [id, revokedAt, lastUsedAt])).toEqual([
        ['g2', null, 1_400],
        ['g1', 1_200, null],
      ]);
    });

    it('are removed with their tokens after their end, and so are unused clients', async () => {
      const { oauth } = store();
      const client = { id: 'c1', name: 'Claude', uri: null, redirectUris: ['https://app.example/callback'], createdAt: 500, usedAt: null };
      expect(await oauth.insertClient(client, { most: 2, unusedBefore: 0 })).toBe('stored');
      expect(await oauth.insertClient({ ...client, id: 'c2' }, { most: 2, unusedBefore: 0 })).toBe('stored');
      expect(await oauth.insertClient({ ...client, id: 'c3' }, { most: 2, unusedBefore: 0 })).toBe('full');
      await oauth.insertGrant(grant, code, 10);
      // c1 has a grant now; c2 has none, and is dropped.
      expect(await oauth.insertClient({ ...client, id: 'c3', createdAt: 900 }, { most: 2, unusedBefore: 600 })).toBe('stored');
      expect(await oauth.client('c1')).toEqual({ ...client, usedAt: 1_000 });
      expect(await oauth.client('c2')).toBeNull();
      await oauth.sweep(2_001, 2_001, 1_001);
      expect([await oauth.find('code'), await oauth.grant('g1'), await oauth.client('c1')]).toEqual([null, null, null]);
      expect(await oauth.client('c3')).not.toBeNull();
    });
  });

  const entry: AuditRow = {
    id: 'e0',
    at: 1_000,
    actorKind: 'member',
    actorId: 'm1',
    actorName: 'Anna',
    action: 'extensions.edit',
    target: 'weather/extension.ts',
    outcome: 'done',
    address: '10.0.0.1',
    detail: { hash: 'abc' },
  };
  const entries: readonly AuditRow[] = [
    entry,
    { ...entry, id: 'e1', at: 2_000, action: 'extensions.reload', target: null },
    { ...entry, id: 'e2', at: 2_000, actorName: 'Ben', actorId: 'm2', outcome: 'refused', detail: { missing: 'the ROLE author' } },
    {
      ...entry,
      id: 'e3',
      at: 3_000,
      actorName: 'Ben',
      actorId: 'm2',
      action: 'tokens.made',
      target: 'nightly 今天天气很好',
      address: null,
    },
  ];
  const listed = async (query: Partial<Parameters<Store['audit']['list']>[0]>): Promise<string[] | undefined> =>
    (await store().audit.list({ limit: 50, ...query }))?.entries.map(({ id }) => id);

  describe('the audit log', () => {
    it('keeps entries after a restart, newest first, in pages', async () => {
      await store().audit.append(entries);
      await restart();
      const first = await store().audit.list({ limit: 3 });
      expect(first?.entries.map(({ id }) => id)).toEqual(['e3', 'e2', 'e1']);
      expect(first?.entries[1]).toEqual({
        id: 'e2',
        at: '1970-01-01T00:00:02.000Z',
        actor: { kind: 'member', id: 'm2', name: 'Ben' },
        action: 'extensions.edit',
        target: 'weather/extension.ts',
        outcome: 'refused',
        address: '10.0.0.1',
        detail: { missing: 'the ROLE author' },
      });
      const second = await store().audit.list({ limit: 3, cursor: first?.next_cursor ?? '' });
      expect(second).toMatchObject({ entries: [{ id: 'e0' }], next_cursor: null });
      expect(await store().audit.list({ limit: 3, cursor: 'another' })).toBeNull();
    });

    it.each([
      [{ actor: 'Ben' }, ['e3', 'e2']],
      [{ action: 'extensions' }, ['e2', 'e1', 'e0']],
      [{ action: 'extensions.reload' }, ['e1']],
      [{ action: 'extension' }, []],
      [{ outcome: 'refused' }, ['e2']],
      [{ from: '1970-01-01T00:00:02.000Z', to: '1970-01-01T00:00:03.000Z' }, ['e2', 'e1']],
      [{ q: 'the role' }, ['e2']],
      [{ q: 'NIGHTLY' }, ['e3']],
      [{ q: '天气' }, ['e3']],
      [{ q: '100%' }, []],
      [{ q: 'weather', actor: 'Anna' }, ['e0']],
    ] as const)('finds %j', async (query, ids) => {
      await store().audit.append(entries);
      expect(await listed(query)).toEqual(ids);
    });

    it('searches page by page, and ends', async () => {
      await store().audit.append(
        Array.from({ length: 2_500 }, (_, at) => ({ ...entry, id: `n${at}`, at, target: at === 3 ? 'needle' : 'hay' })),
      );
      expect(await listed({ q: 'needle' })).toEqual(['n3']);
      const found = await store().audit.list({ limit: 1, q: 'needle' });
      expect(await store().audit.list({ limit: 1, q: 'needle', cursor: found?.next_cursor ?? '' })).toEqual({
        entries: [],
        next_cursor: null,
      });
    });
  });
}

const SAVED = savedCallRecord({
  id: '01a20000-0000-7000-8000-000000000001',
  arguments: { city: 'Oslo', deep: { list: [1, null, 'é'] } },
  left_out: ['/api_key'],
  timeout_ms: 5_000,
  expectation: { status: 'succeeded', result_includes: { city: 'Oslo' } },
  created_by: 'Ada',
});
const RUN: SavedRun = {
  call_id: 'c1',
  ran_at: '2026-11-22T10:00:01.000Z',
  revision: 3,
  status: 'succeeded',
  passed: false,
  failed_because: 'result/city is "Bergen", not "Oslo".',
};

/** The store contract for saved calls. */
export function describeSavedCallContract(store: () => Store, restart: () => Promise<void>): void {
  describe('saved calls', () => {
    it('survive a restart unchanged', async () => {
      expect(await store().savedCalls.insert(SAVED)).toBe('stored');
      const plain = { ...SAVED, id: 'plain', name: 'Plain', left_out: [], timeout_ms: null, expectation: null, created_by: null };
      expect(await store().savedCalls.insert(plain)).toBe('stored');
      await restart();
      expect(await store().savedCalls.get(SAVED.id)).toEqual(SAVED);
      expect(await store().savedCalls.get('plain')).toEqual(plain);
      expect(await store().savedCalls.get('other')).toBeNull();
    });

    it('are listed by tool and name', async () => {
      await store().savedCalls.insert({ ...SAVED, id: 'b', name: 'b' });
      await store().savedCalls.insert({ ...SAVED, id: 'a', name: 'a' });
      await store().savedCalls.insert({ ...SAVED, id: 'x', name: 'a', tool: 'other' });
      expect((await store().savedCalls.list('get_weather')).map((saved) => saved.id)).toEqual(['a', 'b']);
      expect(await store().savedCalls.list('none')).toEqual([]);
    });

    it('have a unique name within a tool, also when they are renamed', async () => {
      await store().savedCalls.insert(SAVED);
      expect(await store().savedCalls.insert({ ...SAVED, id: 'second' })).toBe('name_taken');
      await store().savedCalls.insert({ ...SAVED, id: 'second', name: 'Bergen' });
      expect(await store().savedCalls.replace({ ...SAVED, id: 'second' }, SAVED.updated_at)).toBe('name_taken');
      expect(await store().savedCalls.replace({ ...SAVED, arguments: {} }, SAVED.updated_at)).toBe('stored');
      expect((await store().savedCalls.get(SAVED.id))?.arguments).toEqual({});
      expect(await store().savedCalls.replace({ ...SAVED, id: 'third', name: 'Third' }, SAVED.updated_at)).toBe('gone');
    });

    it('are not replaced after a concurrent change', async () => {
      await store().savedCalls.insert(SAVED);
      const later = '2026-11-22T11:00:00.000Z';
      expect(await store().savedCalls.replace({ ...SAVED, required: true, updated_at: later }, SAVED.updated_at)).toBe('stored');
      expect(await store().savedCalls.replace({ ...SAVED, arguments: {} }, SAVED.updated_at)).toBe('changed');
      expect(await store().savedCalls.get(SAVED.id)).toMatchObject({ required: true, arguments: SAVED.arguments });
    });

    it('are refused above the limit per tool', async () => {
      const { savedCalls } = store();
      const names = Array.from({ length: LIMITS.savedCallsPerTool }, (_, at) => `n${at}`);
      await Promise.all(names.map((name) => savedCalls.insert({ ...SAVED, id: name, name })));
      expect(await savedCalls.insert({ ...SAVED, id: 'more', name: 'more' })).toBe('full');
      expect(await savedCalls.insert({ ...SAVED, id: 'more', name: 'more', tool: 'other' })).toBe('stored');
    });

    it('can be listed as required checks of all tools, by tool and name', async () => {
      await store().savedCalls.insert({ ...SAVED, required: true });
      await store().savedCalls.insert({ ...SAVED, id: 'other', tool: 'add_numbers', required: true });
      await store().savedCalls.insert({ ...SAVED, id: 'plain', name: 'Plain' });
      await store().savedCalls.insert({ ...SAVED, id: 'first', name: 'Bergen' });
      await store().savedCalls.replace({ ...SAVED, id: 'first', name: 'Bergen', required: true }, SAVED.updated_at);
      await restart();
      expect((await store().savedCalls.required()).map(({ id }) => id)).toEqual(['other', 'first', SAVED.id]);
      await store().savedCalls.replace({ ...SAVED, required: false }, SAVED.updated_at);
      expect(await store().savedCalls.get(SAVED.id)).toEqual(SAVED);
      expect(await store().savedCalls.required()).toHaveLength(2);
    });

    it('store their last run, unless they were changed meanwhile', async () => {
      await store().savedCalls.insert(SAVED);
      await store().savedCalls.noteRun(SAVED.id, SAVED.updated_at, RUN);
      expect((await store().savedCalls.get(SAVED.id))?.last_run).toEqual(RUN);
      await store().savedCalls.replace({ ...SAVED, updated_at: '2026-11-22T11:00:00.000Z' }, SAVED.updated_at);
      await store().savedCalls.noteRun(SAVED.id, SAVED.updated_at, RUN);
      expect((await store().savedCalls.get(SAVED.id))?.last_run).toBeNull();
    });

    it('free their name when they are removed', async () => {
      await store().savedCalls.insert(SAVED);
      await store().savedCalls.remove(SAVED.id);
      expect(await store().savedCalls.get(SAVED.id)).toBeNull();
      expect(await store().savedCalls.insert({ ...SAVED, id: 'again' })).toBe('stored');
    });
  });
}
