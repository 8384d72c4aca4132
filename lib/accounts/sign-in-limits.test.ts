import { expect, test } from 'vitest';
import { createSignInLimits } from './sign-in-limits.ts';

test('lets three in ten seconds through for an account, and says how long to wait', () => {
  let now = 0;
  const limits = createSignInLimits(() => now);
  for (const address of ['a', 'b', 'c']) {
    expect(limits.take('anna', address)).toEqual({ ok: true, value: null });
    now += 1_000;
  }
  expect(limits.take('anna', 'd')).toMatchObject({ ok: false, problem: { code: 'too_many_attempts', retryAfter: 7 } });
  expect(limits.take('bert', 'd').ok).toBe(true);
  now = 10_000;
  expect(limits.take('anna', 'd').ok).toBe(true);
  expect(limits.take('anna', 'd')).toMatchObject({ ok: false, problem: { retryAfter: 1 } });
});

test('lets three in ten seconds through from an address, whatever the account', () => {
  const limits = createSignInLimits(() => 0);
  for (const account of ['a', 'b', 'c']) expect(limits.take(account, 'here').ok).toBe(true);
  expect(limits.take('d', 'here').ok).toBe(false);
  expect(limits.take('d', 'there').ok).toBe(true);
});

test('does not count what it refused, so that waiting helps', () => {
  let now = 0;
  const limits = createSignInLimits(() => now);
  for (let tries = 0; tries < 50; tries += 1) limits.take('anna', 'here');
  now = 10_000;
  expect(limits.take('anna', 'here').ok).toBe(true);
});

test('forgets the oldest rather than filling the memory', () => {
  const limits = createSignInLimits(() => 0);
  for (let tries = 0; tries < 3; tries += 1) limits.take('first', `address ${tries}`);
  for (let flood = 0; flood < 10_000; flood += 1) limits.take(`flood ${flood}`, `flood ${flood}`);
  expect(limits.take('first', 'new').ok).toBe(true);
});
