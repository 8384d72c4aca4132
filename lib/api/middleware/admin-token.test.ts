import { expect, test } from 'vitest';
import { createAdminGuard, isAdminToken } from './admin-token.ts';

const TOKEN = 'a long and secret token';

function codeOf(result: ReturnType<ReturnType<typeof createAdminGuard>['check']>): string {
  return result.ok ? 'ok' : result.problem.code;
}

test('requires no token if none is set', () => {
  expect(codeOf(createAdminGuard(null).check(undefined, '::1'))).toBe('ok');
  expect(isAdminToken(null, null)).toBe(true);
});

test.each([undefined, '', 'wrong', TOKEN.slice(0, -1), `${TOKEN} `, TOKEN.toUpperCase()])(
  'refuses %j with the words that clients know',
  (given) => {
    const result = createAdminGuard(TOKEN).check(given, '::1');
    expect(result).toMatchObject({ ok: false, problem: { code: 'admin_token_invalid', detail: 'invalid admin token' } });
  },
);

test('refuses even the right token after ten wrong ones in a minute, for that address only', () => {
  let now = 0;
  const guard = createAdminGuard(TOKEN, () => now);
  for (let guess = 0; guess < 10; guess += 1) {
    expect(codeOf(guard.check(`guess ${guess}`, '10.0.0.1'))).toBe('admin_token_invalid');
    now += 1_000;
  }
  expect(guard.check(TOKEN, '10.0.0.1')).toMatchObject({ ok: false, problem: { code: 'too_many_attempts', retryAfter: 50 } });
  expect(codeOf(guard.check(TOKEN, '10.0.0.2'))).toBe('ok');
  now = 60_000;
  expect(codeOf(guard.check(TOKEN, '10.0.0.1'))).toBe('ok');
});

test('does not count a missing token as a guess', () => {
  const guard = createAdminGuard(TOKEN);
  for (let ask = 0; ask < 20; ask += 1) guard.check(undefined, '::1');
  expect(codeOf(guard.check(TOKEN, '::1'))).toBe('ok');
});

test('forgets addresses rather than filling the memory', () => {
  const guard = createAdminGuard(TOKEN);
  for (let guess = 0; guess < 10; guess += 1) guard.check('x', 'first');
  for (let address = 0; address < 10_000; address += 1) guard.check('x', `flood ${address}`);
  expect(codeOf(guard.check(TOKEN, 'first'))).toBe('ok');
});
