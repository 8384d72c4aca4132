import { expect, it } from 'vitest';
import { chooseAssignee } from './failure-review.ts';

const MEMBERS = [
  { id: 'm1', name: 'Ada Lovelace', active: true },
  { id: 'm2', name: 'Ben', active: false },
];

it('accepts a member in any case and keeps the spelling of their name', () => {
  expect(chooseAssignee('ada lovelace', MEMBERS)).toEqual({ ok: true, value: { assignee: 'Ada Lovelace', assigneeId: 'm1' } });
});

it('refuses an unknown name and a member who cannot sign in, and lists the members', () => {
  const stranger = chooseAssignee('Somebody', MEMBERS);
  expect(stranger).toMatchObject({ ok: false, problem: { code: 'body_fields_invalid' } });
  expect(stranger.ok ? '' : stranger.problem.detail).toContain('“Somebody” is not a member; the members are Ada Lovelace.');
  const off = chooseAssignee('Ben', MEMBERS);
  expect(off.ok ? '' : off.problem.detail).toContain('The account of Ben is inactive; the members are Ada Lovelace.');
});

it('lists twenty members at most', () => {
  const many = Array.from({ length: 25 }, (_, at) => ({ id: `m${at}`, name: `P${at}`, active: true }));
  const refused = chooseAssignee('Nobody of them', many);
  expect(refused.ok ? '' : refused.problem.detail).toContain('P18, P19 and 5 more.');
});

it('accepts no assignee, and without accounts any name', () => {
  expect(chooseAssignee(null, MEMBERS)).toEqual({ ok: true, value: { assignee: null } });
  expect(chooseAssignee('Anybody', null)).toEqual({ ok: true, value: { assignee: 'Anybody' } });
  expect(chooseAssignee(undefined, MEMBERS)).toEqual({ ok: true, value: { assignee: undefined } });
});
