import { beforeEach, describe, expect, it } from 'vitest';
import type { Member } from '#lib/access/principal.ts';
import type { MakeToken } from '#lib/contract/token.ts';
import type { TokenRepository, TokenRow } from '#lib/store/account-store.ts';
import type { AuditedEvent } from './audit-meter.ts';
import { hashToken } from './token-text.ts';
import { createTokens } from './tokens.ts';
import type { Owner, Tokens } from './tokens.ts';

const DAY_MS = 86_400_000;
const anna: Member = { kind: 'member', id: 'm1', name: 'Anna', email: 'anna@example.org', role: 'admin', sessionId: 's1' };
const FROM = { address: '10.0.0.1' };
const asked: MakeToken = { name: 'nightly', role: 'operator', tools: null, toolset: null, expires_in_days: 90 };

let rows: TokenRow[];
let owners: Map<string, Owner>;
let ended: string[];
let looked: number;
let uses: number;
let now: number;
let tokens: Tokens;
let audited: AuditedEvent[];

function repository(): TokenRepository {
  const change = (id: string, fields: Partial<TokenRow>): void => {
    rows = rows.map((row) => (row.id === id ? { ...row, ...fields } : row));
  };
  return {
    insert: async (row) => (rows.push(row), 'stored'),
    async findByHash(hash) {
      looked += 1;
      return rows.find((row) => row.hash === hash) ?? null;
    },
    get: async (id) => rows.find((row) => row.id === id) ?? null,
    list: async () => rows,
    noteUse: async (id, at) => {
      uses += 1;
      change(id, { lastUsedAt: at });
    },
    async revoke(id, at) {
      const was = rows.find((row) => row.id === id)?.revokedAt === null;
      if (was) change(id, { revokedAt: at });
      return was;
    },
    removeDead: async () => 0,
  };
}

async function make(more: Partial<MakeToken> = {}): Promise<{ id: string; token: string }> {
  const made = await tokens.make({ ...asked, ...more }, anna, FROM);
  if (!made.ok) throw new Error(made.problem.detail);
  return made.value;
}

beforeEach(() => {
  rows = [];
  owners = new Map([['m1', { name: 'Anna', role: 'admin', active: true }]]);
  ended = [];
  looked = 0;
  uses = 0;
  audited = [];
  now = Date.parse('2030-01-01T00:00:00Z');
  tokens = createTokens({
    repository: repository(),
    audit: { record: (event) => audited.push(event) },
    ownerOf: async (id) => owners.get(id) ?? null,
    ended: (id) => ended.push(id),
    onError: (error) => {
      throw error;
    },
    now: () => now,
  });
});

describe('a new token', () => {
  it('is shown once, and stored as a hash', async () => {
    const { token } = await make();
    expect(rows[0]?.hash).toBe(hashToken(token));
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(await tokens.list())).not.toContain(token);
    expect((await tokens.list()).tokens).toMatchObject([
      {
        name: 'nightly',
        prefix: `${token.slice(0, 10)}…`,
        owner: { id: 'm1', name: 'Anna' },
        state: 'active',
        expires_at: '2030-04-01T00:00:00.000Z',
      },
    ]);
  });

  it('identifies its holder with its tools and role', async () => {
    const { id, token } = await make({ tools: ['b', 'a', 'b'] });
    expect(await tokens.find(token)).toEqual({
      kind: 'works',
      holder: {
        kind: 'token',
        id,
        name: 'nightly',
        ownerId: 'm1',
        owner: 'Anna',
        role: 'operator',
        tools: new Set(['a', 'b']),
        toolset: null,
      },
    });
    expect((await tokens.list()).tokens[0]?.tools).toEqual(['a', 'b']);
  });

  it('cannot have more permissions than its creator', async () => {
    const made = await tokens.make({ ...asked, role: 'admin' }, { ...anna, role: 'author' }, FROM);
    expect(made).toMatchObject({ ok: false, problem: { code: 'not_allowed' } });
    expect(rows).toEqual([]);
  });

  it('is looked up in the database once, and its use is recorded at most once a minute', async () => {
    const { token } = await make();
    for (let at = 0; at < 120; at += 1) {
      await tokens.find(token);
      now += 1_000;
    }
    expect([looked, uses]).toEqual([1, 2]);
  });
});

describe('a text that is not a token', () => {
  it('with a wrong checksum is unknown without a database query', async () => {
    const { token } = await make();
    const last = token.endsWith('0') ? '1' : '0';
    expect(await tokens.find(token.slice(0, -1) + last)).toEqual({ kind: 'unknown', token: null });
    expect(await tokens.find('')).toEqual({ kind: 'unknown', token: null });
    expect(looked).toBe(0);
  });

  it('of another server is unknown', async () => {
    const { token } = await make();
    rows = [];
    expect(await tokens.find(token)).toEqual({ kind: 'unknown', token: null });
  });
});

describe('a token', () => {
  it('is invalid immediately after it is revoked, cached or not', async () => {
    const { id, token } = await make();
    expect((await tokens.find(token)).kind).toBe('works');
    expect(await tokens.revoke(id, anna, FROM)).toMatchObject({ ok: true, value: { state: 'revoked', effective_role: null } });
    expect(await tokens.find(token)).toEqual({ kind: 'revoked', token: { id, name: 'nightly (Anna)' } });
    expect(ended).toEqual([id]);
    await tokens.revoke(id, anna, FROM);
    expect(ended).toEqual([id]);
    expect(audited.map(({ action, target, actor, address }) => [action, target, actor.name, address])).toEqual([
      ['tokens.made', 'nightly', 'Anna', '10.0.0.1'],
      ['tokens.revoked', 'nightly', 'Anna', '10.0.0.1'],
    ]);
    expect(JSON.stringify(audited)).not.toContain(token);
  });

  it('expires', async () => {
    const { id, token } = await make({ expires_in_days: 1 });
    now += DAY_MS - 1;
    expect((await tokens.find(token)).kind).toBe('works');
    now += 1;
    expect(await tokens.find(token)).toEqual({ kind: 'expired', token: { id, name: 'nightly (Anna)' } });
    expect((await tokens.list()).tokens[0]?.state).toBe('expired');
  });

  it('never has more permissions than its owner has now', async () => {
    const { id, token } = await make({ role: 'author' });
    const before = await tokens.find(token);
    owners.set('m1', { name: 'Anna', role: 'viewer', active: true });
    await tokens.ownerChanged('m1');
    expect(await tokens.find(token)).toMatchObject({ kind: 'works', holder: { role: 'viewer' } });
    expect((await tokens.list()).tokens[0]).toMatchObject({ role: 'author', effective_role: 'viewer' });
    expect(before.kind === 'works' && (await tokens.isCurrent(before.holder))).toBe(false);
    expect(ended).toEqual([id]);
    owners.set('m1', { name: 'Anna', role: 'admin', active: true });
    expect(before.kind === 'works' && (await tokens.isCurrent(before.holder))).toBe(true);
  });

  it('is invalid while its owner is inactive, and without an owner', async () => {
    const { token } = await make();
    owners.set('m1', { name: 'Anna', role: 'admin', active: false });
    expect((await tokens.find(token)).kind).toBe('owner_inactive');
    owners.delete('m1');
    expect((await tokens.find(token)).kind).toBe('owner_inactive');
    expect((await tokens.list()).tokens[0]).toMatchObject({ state: 'owner_inactive', effective_role: null });
  });

  it('that does not exist cannot be revoked', async () => {
    expect(await tokens.revoke('none', anna, FROM)).toMatchObject({ ok: false, problem: { code: 'token_not_found' } });
  });
});
