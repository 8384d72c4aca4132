import { expect, test } from 'vitest';
import { readReach } from './read-team.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const OPEN = { AUTH: 'team', HOST: '0.0.0.0', PUBLIC_URL: 'https://board.example.com', AUTH_SECRET: SECRET };
const OIDC = { OIDC_ISSUER: 'https://id.example.com/', OIDC_CLIENT_ID: 'board', OIDC_CLIENT_SECRET: 'hush-hush' };

function reasonOf(env: Readonly<Record<string, string>>): string {
  const read = readReach(env);
  if (read.ok) throw new Error('it was not refused');
  expect(read.reason).not.toContain('\n');
  return read.reason;
}

function reachOf(env: Readonly<Record<string, string>>) {
  const read = readReach(env);
  if (!read.ok) throw new Error(read.reason);
  return read.value;
}

test('has no accounts by default', () => {
  expect(reachOf({})).toEqual({ host: '127.0.0.1', team: null });
  expect(reachOf({ AUTH: 'LOCAL', AUTH_SECRET: SECRET })).toEqual({ host: '127.0.0.1', team: null });
});

test('needs nothing more for a team on loopback', () => {
  expect(reachOf({ AUTH: 'team' })).toEqual({ host: '127.0.0.1', team: { secret: null, publicUrl: null, oidc: null } });
});

test('opens to others with accounts, an origin and a secret', () => {
  expect(reachOf(OPEN)).toEqual({ host: '0.0.0.0', team: { secret: SECRET, publicUrl: 'https://board.example.com', oidc: null } });
  expect(reachOf({ ...OPEN, HOST: '::', PUBLIC_URL: 'https://Board.example.com:8443/' })).toMatchObject({
    host: '::',
    team: { publicUrl: 'https://board.example.com:8443' },
  });
});

test.each([
  ['AUTH', { ...OPEN, AUTH: '' }, /^HOST is "0\.0\.0\.0"; accepted: a loopback .* AUTH=team, PUBLIC_URL and AUTH_SECRET\.$/],
  ['PUBLIC_URL', { ...OPEN, PUBLIC_URL: '' }, /^PUBLIC_URL is not set; .* accepted: the https origin/],
  ['AUTH_SECRET', { ...OPEN, AUTH_SECRET: '' }, /^AUTH_SECRET is not set; .* accepted: 32 characters .*openssl rand/],
])('refuses to open to others without %s, and says what to set', (_, env, words) => {
  expect(reasonOf(env)).toMatch(words);
});

test.each(['', '*', '0', '0x0', 'example.com', '0.0'])('refuses HOST=%j for a team too', (host) => {
  expect(reasonOf({ ...OPEN, HOST: host })).toMatch(/^HOST is ".*"; accepted: an IP address of this machine/);
});

test.each(['short', 'a'.repeat(64), 'abcdefg'.repeat(5), SECRET.slice(1)])('refuses the secret %j without repeating it', (secret) => {
  const reason = reasonOf({ ...OPEN, AUTH_SECRET: secret });
  expect(reason).toMatch(/^AUTH_SECRET is too easy to guess .*; accepted: 32 characters or more/);
  expect(reason).not.toContain(secret);
});

test('accepts a complete identity provider', () => {
  expect(reachOf({ AUTH: 'team', ...OIDC, OIDC_ROLE: 'Viewer' }).team?.oidc).toEqual({
    issuer: 'https://id.example.com',
    clientId: 'board',
    clientSecret: 'hush-hush',
    name: 'id.example.com',
    role: 'viewer',
  });
  expect(reachOf({ AUTH: 'team', ...OIDC, OIDC_NAME: 'Example', OIDC_ISSUER: 'http://127.0.0.1:4000' }).team?.oidc).toMatchObject({
    issuer: 'http://127.0.0.1:4000',
    name: 'Example',
    role: null,
  });
});

test.each([
  ['OIDC_CLIENT_SECRET', { ...OIDC, OIDC_CLIENT_SECRET: '' }, /^OIDC_CLIENT_SECRET is not set; /],
  ['OIDC_ISSUER', { ...OIDC, OIDC_ISSUER: '' }, /^OIDC_ISSUER is not set; /],
  ['https', { ...OIDC, OIDC_ISSUER: 'http://id.example.com' }, /^OIDC_ISSUER is "http:\/\/id\.example\.com"; accepted: the https/],
])('refuses a provider without %s, never showing its secret', (_, env, words) => {
  const reason = reasonOf({ AUTH: 'team', ...env });
  expect(reason).toMatch(words);
  expect(reason).not.toContain('hush');
});
