import { afterEach, beforeEach, expect, it } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Store } from './store.ts';
import { occurrence, openTemporaryStore } from './store-contract-samples.ts';

let store: Store;
let close: () => Promise<void>;
const NOW = new Date('2026-03-02T00:00:00.000Z');
const act = { actor: 'Ben', at: NOW.toISOString() };
const LISTED = { limit: LIMITS.listDefault };

beforeEach(async () => {
  ({ store, close } = await openTemporaryStore());
});
afterEach(() => close());

/** A member who joined with an invitation link. */
async function join(id: string, name: string): Promise<void> {
  const link = {
    id,
    kind: 'invitation',
    secretHash: id,
    email: null,
    role: 'operator',
    invitedBy: null,
    createdAt: 0,
    expiresAt: 2,
  } as const;
  await store.accounts.insertLink(link);
  expect(await store.accounts.join(id, { id, name, email: `${id}@example.org`, passwordHash: '-' }, 1)).toMatchObject({ kind: 'joined' });
}

const fail = async (fingerprint: string): Promise<string> =>
  (await store.commitSet(async (writes) => await writes.recordFailure(occurrence({ fingerprint })))).group_id;
const found = async (filter: { assignee?: string; mentions?: string }) =>
  (await store.failureGroups.list({ ...LISTED, ...filter }, NOW))?.groups.map(({ id }) => id);

it('stays assigned to a renamed member, and shows when they cannot sign in', async () => {
  await join('m1', 'Ada');
  const id = await fail('f1');
  await store.failureGroups.change(id, { assignee: 'Ada', assigneeId: 'm1' }, act);
  await store.accounts.rename('m1', 'Ada Lovelace');
  expect(await store.failureGroups.get(id, NOW)).toMatchObject({ assignee: 'Ada Lovelace', assignee_member: { id: 'm1', active: true } });
  expect([await found({ assignee: 'ada lovelace' }), await found({ assignee: 'Ada' }), await found({ assignee: '' })]).toEqual([
    [id],
    [],
    [],
  ]);
  await store.failureGroups.change(id, { assignee: 'Ada Lovelace', assigneeId: 'm1' }, act);
  await store.accounts.changeMember('m1', { active: false });
  const group = await store.failureGroups.get(id, NOW);
  expect(group?.assignee_member).toEqual({ id: 'm1', active: false });
  expect(group?.activity.filter(({ kind }) => kind === 'assigned').map(({ from, to }) => [from, to])).toEqual([[null, 'Ada']]);
});

it('keeps an assignee who is not a member', async () => {
  const id = await fail('f1');
  await store.failureGroups.change(id, { assignee: 'The night shift' }, act);
  const group = await store.failureGroups.get(id, NOW);
  expect(group?.assignee).toBe('The night shift');
  expect(group).not.toHaveProperty('assignee_member');
  expect(await found({ assignee: 'The night shift' })).toEqual([id]);
});

it('stores the members a comment mentions, filters by them, and counts open mentions', async () => {
  await join('m1', 'Ada');
  const [first, second, third] = [await fail('f1'), await fail('f2'), await fail('f3')];
  const ada = { id: 'm1', name: 'Ada' };
  await store.failureGroups.comment(first, '@Ada look', [ada], act);
  await store.failureGroups.comment(first, '@Ada again', [ada], act);
  await store.failureGroups.comment(second, '@Ada too', [ada], act);
  await store.failureGroups.comment(third, 'nobody', [], act);
  expect((await found({ mentions: 'm1' }))?.toSorted()).toEqual([first, second].toSorted());
  expect([await store.failureGroups.countMentioning('m1'), await store.failureGroups.countMentioning('m2')]).toEqual([2, 0]);
  const group = await store.failureGroups.get(first, NOW);
  expect(group?.comments).toMatchObject([{ mentions: [ada] }, { mentions: [ada] }]);
  expect(group?.activity.filter(({ kind }) => kind === 'mentioned')).toMatchObject([{ actor: 'Ben', names: ['Ada'] }, { names: ['Ada'] }]);
  expect((await store.failureGroups.get(third, NOW))?.comments[0]).not.toHaveProperty('mentions');
  await store.failureGroups.change(second, { status: 'resolved' }, act);
  expect(await store.failureGroups.countMentioning('m1')).toBe(1);
  await store.failureGroups.merge(first, third, act);
  expect((await found({ mentions: 'm1' }))?.toSorted()).toEqual([second, third].toSorted());
});
