import { expect, test } from 'vitest';
import { STRANGER } from '#lib/access/principal.ts';
import { createSessionView, initialsOf } from './session-view.ts';

test.each([
  ['Anna Author', 'AA'],
  ['anna maria author', 'AA'],
  ['Anna', 'AN'],
  ['é', 'É'],
  ['李 明', '李明'],
  ['anna.author', 'AA'],
  ['😀 Smith-Jones', 'SJ'],
  ['— –', '— '],
])('the initials of %j are %j', (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});

test('shows an anonymous client how to sign in, and nothing else', () => {
  const view = createSessionView({ provider: 'Example ID', hasMembers: () => false });
  expect(view(STRANGER)).toEqual({
    mode: 'team',
    person: null,
    may: ['health.read', 'pages.enter', 'session.read', 'session.begin'],
    sign_in: { password: true, oidc: { name: 'Example ID' } },
    needs_first_admin: true,
  });
});
