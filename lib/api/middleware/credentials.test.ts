import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test, it } from 'vitest';
import type { FoundToken } from '#lib/accounts/tokens.ts';
import type { TokenHolder } from '#lib/access/principal.ts';
import { createAdminGuard, isAdminToken, createBearerGuard } from './credentials.ts';

const TOKEN = 'a long and secret token';

function codeOf(result: ReturnType<ReturnType<typeof createAdminGuard>['check']>): string {
  return result.ok ? 'ok' : result.problem.code;
}

test('requires no token when none is configured', () => {
  expect(codeOf(createAdminGuard(null).check(undefined, '::1'))).toBe('ok');
  expect(isAdminToken(null, null)).toBe(true);
});

test.each([undefined, '', 'wrong', TOKEN.slice(0, -1), `${TOKEN} `, TOKEN.toUpperCase()])(
  'refuses %j with the documented message',
  (given) => {
    const result = createAdminGuard(TOKEN).check(given, '::1');
    expect(result).toMatchObject({ ok: false, problem: { code: 'admin_token_invalid', detail: 'invalid admin token' } });
  },
);

test('refuses even the right token after ten wrong ones in a minute, from that address only', () => {
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

test('limits the number of addresses in memory', () => {
  const guard = createAdminGuard(TOKEN);
  for (let guess = 0; guess < 10; guess += 1) guard.check('x', 'first');
  for (let address = 0; address < 10_000; address += 1) guard.check('x', `flood ${address}`);
  expect(codeOf(guard.check(TOKEN, 'first'))).toBe('ok');
});

const holder: TokenHolder = { kind: 'token', id: 't', name: 'nightly', ownerId: 'm', owner: 'Anna', role: 'operator', tools: null };
const known = new Map<string, FoundToken>([
  ['right', { kind: 'works', holder }],
  ['old', { kind: 'expired', token: { id: 't', name: 'nightly' } }],
  ['gone', { kind: 'revoked', token: { id: 't', name: 'nightly' } }],
]);

function request(authorization: string | undefined, from = '10.0.0.1'): IncomingMessage {
  const made = new IncomingMessage(new Socket());
  if (authorization !== undefined) made.headers.authorization = authorization;
  made.headers['x-from'] = from;
  return made;
}

function guard(monotonicNow?: () => number) {
  const wrong: string[] = [];
  const made = createBearerGuard({
    find: async (text) => known.get(text) ?? { kind: 'unknown', token: null },
    resourceOf: () => null,
    addressOf: ({ headers }) => String(headers['x-from']),
    onWrong: ({ kind }) => wrong.push(kind),
    ...(monotonicNow === undefined ? {} : { monotonicNow }),
  });
  return { ...made, wrong };
}

it.each([undefined, 'Basic dXNlcjpwYXNz', 'swb_x', ''])('treats %j as no token', async (header) => {
  expect(await guard().check(request(header))).toBeNull();
});

it.each(['Bearer right', 'bearer right', 'BEARER  right'])('identifies the sender of %j', async (header) => {
  expect(await guard().check(request(header))).toEqual({ ok: true, value: holder });
});

it.each([
  ['Bearer', 'unknown'],
  ['Bearer ', 'unknown'],
  ['Bearer right more', 'unknown'],
  ['Bearer old', 'expired'],
  ['Bearer gone', 'revoked'],
  ['Bearer other', 'unknown'],
])('refuses %j and states the reason', async (header, token) => {
  const { check, wrong } = guard();
  expect(await check(request(header))).toMatchObject({ ok: false, problem: { code: 'sign_in_needed', extra: { token } } });
  expect(wrong).toEqual([token]);
});

it('rate-limits an address after ten wrong tokens in a minute, and delays no valid token', async () => {
  let now = 0;
  const { check, wrong } = guard(() => now);
  for (let time = 0; time < 10; time += 1) {
    expect(await check(request('Bearer guess'))).toMatchObject({ problem: { code: 'sign_in_needed' } });
    now += 1_000;
  }
  expect(await check(request('Bearer guess'))).toMatchObject({ problem: { code: 'too_many_attempts', retryAfter: 50 } });
  expect(await check(request('Bearer right'))).toEqual({ ok: true, value: holder });
  expect(await check(request('Bearer guess', '10.0.0.2'))).toMatchObject({ problem: { code: 'sign_in_needed' } });
  now = 60_000;
  expect(await check(request('Bearer guess'))).toMatchObject({ problem: { code: 'sign_in_needed' } });
  expect(wrong).toHaveLength(13);
});

it('asks for a new token each time one has expired, because that is no guess', async () => {
  const { check, wrong } = guard(() => 0);
  for (let time = 0; time < 20; time += 1)
    expect(await check(request('Bearer old'))).toMatchObject({ problem: { code: 'sign_in_needed', extra: { token: 'expired' } } });
  for (let time = 0; time < 10; time += 1) await check(request('Bearer guess'));
  expect(await check(request('Bearer guess'))).toMatchObject({ problem: { code: 'too_many_attempts' } });
  expect(await check(request('Bearer old'))).toMatchObject({ problem: { code: 'sign_in_needed' } });
  expect(wrong).toHaveLength(32);
});

it('counts IPv6 by /64', async () => {
  const { check } = guard();
  for (let time = 0; time < 10; time += 1) await check(request('Bearer guess', `2001:db8:0:1::${time}`));
  expect(await check(request('Bearer guess', '2001:db8:0:1:ffff::1'))).toMatchObject({ problem: { code: 'too_many_attempts' } });
  expect(await check(request('Bearer guess', '2001:db8:0:2::1'))).toMatchObject({ problem: { code: 'sign_in_needed' } });
});
