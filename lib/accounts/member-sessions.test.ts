import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import { openStore } from '#lib/store/open-store.ts';
import type { Store } from '#lib/store/store.ts';
import { createMemberSessions, type MemberSessions } from './member-sessions.ts';

const HOUR = 3_600_000;
let folder: string;
let store: Store;
let sessions: MemberSessions;
let now: number;
let ended: string[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'member-sessions-'));
  const opened = await openStore({ file: path.join(folder, 'x.db') });
  if (!opened.ok) throw new Error(opened.reason);
  ({ store } = opened);
  const link = {
    id: 'l',
    secretHash: 'h',
    email: null,
    role: 'operator',
    invitedBy: null,
    createdAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
  } as const;
  await store.accounts.insertLink({ ...link, kind: 'first_admin' });
  await store.accounts.join('h', { id: 'm1', name: 'Anna', email: 'anna@example.com', passwordHash: 'x' }, Date.now());
  now = Date.now();
  ended = [];
  sessions = createMemberSessions({ repository: store.accounts, onError: (error) => expect.unreachable(String(error)), now: () => now });
  sessions.onEnded((id) => ended.push(id));
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A session as better-auth writes it. */
async function begin(id: string, at = now): Promise<string> {
  const { Kysely } = await import('kysely');
  const db = new Kysely<{ member_sessions: Record<string, string> }>({ dialect: store.accounts.dialect() });
  const iso = new Date(at).toISOString();
  const row = { id, token: `token-${id}`, member_id: 'm1', expires_at: iso, created_at: iso, updated_at: iso };
  await db.insertInto('member_sessions').values(row).execute();
  return row.token;
}

test('returns the member, also when looked up often', async () => {
  const token = await begin('s1');
  const member = { kind: 'member', id: 'm1', name: 'Anna', email: 'anna@example.com', role: 'operator', sessionId: 's1' };
  for (let asked = 0; asked < 3; asked += 1) expect(await sessions.find(token)).toEqual(member);
  expect(await sessions.find('none')).toBeNull();
});

test('expires after twelve hours without use, and not before', async () => {
  const token = await begin('s1');
  now += LIMITS.sessionIdleMs - 1;
  expect(await sessions.find(token)).not.toBeNull();
  now += LIMITS.sessionIdleMs;
  expect(await sessions.find(token)).toBeNull();
  await expect.poll(async () => await store.accounts.session(token)).toBeNull();
  expect(ended).toEqual(['s1']);
});

test('expires seven days after the sign-in, regardless of its use', async () => {
  const token = await begin('s1');
  const start = now;
  while (now - start < LIMITS.sessionMostMs - HOUR) {
    now += HOUR;
    expect(await sessions.find(token)).not.toBeNull();
  }
  now = start + LIMITS.sessionMostMs;
  expect(await sessions.find(token)).toBeNull();
});

test('stores its last use within a minute, also across a restart', async () => {
  const token = await begin('s1');
  now += 10 * HOUR;
  await sessions.find(token);
  await expect.poll(async () => (await store.accounts.session(token))?.usedAt).toBe(now);
  const noted = now;
  now += 59_000;
  await sessions.find(token);
  now += 10 * HOUR;
  const another = createMemberSessions({ repository: store.accounts, onError: () => undefined, now: () => now });
  expect((await store.accounts.session(token))?.usedAt).toBe(noted);
  expect(another.find(token)).not.toBeNull();
  await expect.poll(async () => (await store.accounts.member('m1'))?.lastSeenAt).toBe(now);
});

test('ends immediately, also when it was just looked up', async () => {
  const [one, other] = [await begin('s1'), await begin('s2')];
  await sessions.find(one);
  await sessions.find(other);
  expect(await sessions.end({ memberId: 'm1', except: 's2' })).toBe(1);
  expect([await sessions.find(one), (await sessions.find(other))?.sessionId]).toEqual([null, 's2']);
  expect(ended).toEqual(['s1']);
  expect(await sessions.end({ id: 's2' })).toBe(1);
  expect(await sessions.end({ id: 's2' })).toBe(0);
  expect(await sessions.find(other)).toBeNull();
});

test('is invalid for an inactive member, and has the current role', async () => {
  const token = await begin('s1');
  await sessions.find(token);
  await store.accounts.changeMember('m1', { role: 'viewer' });
  sessions.forget();
  expect((await sessions.find(token))?.role).toBe('viewer');
  await store.accounts.changeMember('m1', { active: false });
  sessions.forget();
  expect(await sessions.find(token)).toBeNull();
});

test('is removed when expired, or when it is the oldest above the limit', async () => {
  await begin('too-old', now - LIMITS.sessionMostMs - 1);
  await begin('unused', now - LIMITS.sessionIdleMs - 1);
  for (let made = 0; made < LIMITS.sessionsPerMember + 2; made += 1) await begin(`s${String(made).padStart(2, '0')}`, now - 1_000 + made);
  await sessions.tidy('m1');
  expect(ended.toSorted()).toEqual(['s00', 's01', 'too-old', 'unused']);
  expect(await store.accounts.session('token-s02')).not.toBeNull();
});
