import { expect, test } from 'vitest';
import { createSessionCookie, SESSION_COOKIE } from './session-cookie.ts';

const TOKEN = 'aBcDeFgHiJkLmNoPqRsTuVwXyZ012345';
const cookie = createSessionCookie('a secret of 32 characters or more');
const [sent = ''] = cookie.write(TOKEN).split(';');

test('reads its own cookie, also between others', () => {
  expect(cookie.read(sent)).toBe(TOKEN);
  expect(cookie.read(`theme=dark; ${sent}; other=x`)).toBe(TOKEN);
  expect(cookie.read(`${SESSION_COOKIE}=tossed; ${SESSION_COOKIE}=tossed too; ${sent}`)).toBe(TOKEN);
});

test.each([
  undefined,
  '',
  'theme=dark',
  SESSION_COOKIE,
  `${SESSION_COOKIE}=`,
  `${SESSION_COOKIE}=.`,
  `${SESSION_COOKIE}=${TOKEN}`,
  `${SESSION_COOKIE}=${TOKEN}.`,
  `${sent}x`,
  sent.slice(0, -2),
  sent.replace(TOKEN, `${TOKEN.slice(0, -1)}6`),
  `x${sent}`,
  `${SESSION_COOKIE}=a; ${SESSION_COOKIE}=b; ${SESSION_COOKIE}=c; ${sent}`,
])('reads no session from %j', (header) => {
  expect(cookie.read(header)).toBeNull();
});

test('reads no session from a cookie signed with another secret', () => {
  expect(createSessionCookie('another secret of 32 characters..').read(sent)).toBeNull();
});

test('limits the cookie to this host and scheme, and hides it from scripts', () => {
  expect(cookie.write(TOKEN)).toMatch(/^__Host-[^;]+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect(cookie.gone).toBe('__Host-switchboard=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax');
});
