import { expect, test } from 'vitest';
import { createSignInLimits } from './sign-in-limits.ts';

test('allows three in ten seconds for an account, and returns the time to wait', async () => {
  let now = 0;
  const limits = createSignInLimits({ monotonicNow: () => now });
  for (const address of ['a', 'b', 'c']) {
    expect(await limits.take('anna', address)).toEqual({ ok: true, value: null });
    now += 1_000;
  }
  expect(await limits.take('anna', 'd')).toMatchObject({ ok: false, problem: { code: 'too_many_attempts', retryAfter: 7 } });
  expect((await limits.take('bert', 'd')).ok).toBe(true);
  now = 10_000;
  expect((await limits.take('anna', 'd')).ok).toBe(true);
  expect(await limits.take('anna', 'd')).toMatchObject({ ok: false, problem: { retryAfter: 1 } });
});

test('allows three in ten seconds from an address, for any account', async () => {
  const limits = createSignInLimits({ monotonicNow: () => 0 });
  for (const account of ['a', 'b', 'c']) expect((await limits.take(account, 'here')).ok).toBe(true);
  expect((await limits.take('d', 'here')).ok).toBe(false);
  expect((await limits.take('d', 'there')).ok).toBe(true);
});

test('does not count refused attempts, so that waiting helps', async () => {
  let now = 0;
  const limits = createSignInLimits({ monotonicNow: () => now });
  for (let tries = 0; tries < 50; tries += 1) await limits.take('anna', 'here');
  now = 10_000;
  expect((await limits.take('anna', 'here')).ok).toBe(true);
});

test('removes the oldest entries above the limit', async () => {
  const limits = createSignInLimits({ monotonicNow: () => 0 });
  for (let tries = 0; tries < 3; tries += 1) await limits.take('first', `address ${tries}`);
  for (let flood = 0; flood < 10_000; flood += 1) await limits.take(`flood ${flood}`, `flood ${flood}`);
  expect((await limits.take('first', 'new')).ok).toBe(true);
});

test('counts attempts on all servers', async () => {
  const counts = new Map<string, number>();
  const attempts = {
    async count(name: string) {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return { count, ageMs: 4_000 };
    },
  };
  const [one, other] = [createSignInLimits({ attempts }), createSignInLimits({ attempts })];
  for (const limits of [one, other, one]) expect((await limits.take('anna', 'here')).ok).toBe(true);
  expect(await other.take('anna', 'there')).toMatchObject({ ok: false, problem: { code: 'too_many_attempts', retryAfter: 6 } });
});
