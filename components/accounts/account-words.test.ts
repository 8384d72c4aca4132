import { expect, it } from 'vitest';
import type { Token } from '#lib/contract/token.ts';
import { auditFilterOf, detailFacts, whatInWords } from './AuditView.tsx';
import { offerInWords } from './JoinView.tsx';
import { passwordRules } from './AccountFields.tsx';
import { arrivalInWords } from './SignInView.tsx';
import { shortfallInWords, tokenSnippets, toolsInWords } from './TokensView.tsx';

const met = (password: string) => passwordRules(password, 'Anna Lind', 'anna@team.example').map(({ isMet }) => isMet);

it('marks each password rule as met as soon as it is', () => {
  expect(met('')).toEqual([false, false]);
  expect(met('short')).toEqual([false, true]);
  expect(met('correct horse battery')).toEqual([true, true]);
  expect(met('ANNA@team.example')).toEqual([true, false]);
  expect(met('a'.repeat(257))).toEqual([false, true]);
  expect(met('🐴'.repeat(12))).toEqual([true, true]);
});

it('describes an invitation link', () => {
  const base = { email: null, expires_at: '2026-11-29T08:00:00Z', invited_by: null };
  expect(offerInWords({ ...base, kind: 'first_admin', role: 'admin' }).title).toBe('Become the first admin');
  expect(offerInWords({ ...base, kind: 'recovery', role: 'admin' }).note).toContain('makes you an admin');
  expect(offerInWords({ ...base, kind: 'invitation', role: 'viewer', invited_by: 'Mia' }).note).toMatch(/^Mia invites you as a viewer\./);
  expect(offerInWords({ ...base, kind: 'invitation', role: 'operator' }).note).toMatch(/^An admin invites you as an operator\./);
});

it('has a message for each error of a provider, and for unknown ones', () => {
  expect(arrivalInWords(undefined)).toBeNull();
  expect(arrivalInWords('')).toBeNull();
  expect(arrivalInWords(['cancelled'])).toBeNull();
  expect(arrivalInWords('not_invited')).toContain('Ask an admin');
  expect(arrivalInWords('toString')).toBe(arrivalInWords('something new'));
});

const token: Token = {
  id: 't1',
  name: 'nightly',
  client: null,
  prefix: 'swb_AbCd…',
  owner: { id: 'm1', name: 'Anna' },
  role: 'author',
  effective_role: 'author',
  tools: null,
  toolset: null,
  state: 'active',
  created_at: '2026-11-22T08:00:00Z',
  expires_at: '2027-02-20T08:00:00Z',
  last_used_at: null,
  revoked_at: null,
};

it('explains why a token has fewer permissions than its role', () => {
  expect(shortfallInWords(token)).toBeNull();
  expect(shortfallInWords({ ...token, effective_role: 'viewer' })).toBe('Anna is viewer now, which limits this token.');
  expect(shortfallInWords({ ...token, effective_role: null, state: 'owner_inactive' })).toBe(
    'Anna is deactivated. Requests with this token are rejected.',
  );
  expect(shortfallInWords({ ...token, effective_role: null, state: 'revoked' })).toContain('Revoked');
  expect(shortfallInWords({ ...token, effective_role: null, state: 'expired' })).toContain('Expired');
});

it('names up to three tools, else two and the number of the others', () => {
  expect(toolsInWords(null)).toBe('any tool');
  expect(toolsInWords(['a', 'b', 'c'])).toBe('only a, b, c');
  expect(toolsInWords(['a', 'b', 'c', 'd', 'e'])).toBe('only a, b and 3 more');
});

it('includes the token in every snippet', () => {
  for (const { text, language } of tokenSnippets('https://board.example', 'swb_secret')) {
    expect(text).toContain('Bearer swb_secret');
    expect(text).toContain('https://board.example/');
    if (language === 'json') expect(JSON.stringify(JSON.parse(text))).toContain('Bearer swb_secret');
  }
});

it('starts an audit line with the action, even an unknown one', () => {
  expect(whatInWords('session.signed_in')).toBe('Signed in');
  expect(whatInWords('extensions.reload')).toBe('Reloading extensions');
  expect(whatInWords('novel.deed')).toBe('Novel.deed');
  expect(detailFacts({ role_before: 'viewer', sessions: 2, at_once: true, reason: null })).toEqual([
    { name: 'Role before', value: 'viewer' },
    { name: 'Sessions', value: '2' },
    { name: 'At once', value: 'true' },
    { name: 'Reason', value: '–' },
  ]);
});

it('sends only the set filters to the API', () => {
  const nothing = { q: null, actor: null, action: null, outcome: null, from: null, to: null };
  expect(Object.values(auditFilterOf(nothing)).every((value) => value === undefined)).toBe(true);
  expect(auditFilterOf({ ...nothing, q: '  math ', outcome: 'refused', from: new Date(0) })).toMatchObject({
    q: 'math',
    outcome: 'refused',
    from: '1970-01-01T00:00:00.000Z',
  });
});
