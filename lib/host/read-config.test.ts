import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from './read-config.ts';

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'read-config-')));
});
afterEach(() => {
  chmodSync(cwd, 0o700);
  rmSync(cwd, { recursive: true });
});

function reasonOf(env: Record<string, string>): string {
  const read = readConfig(env, cwd);
  return read.ok ? 'accepted' : read.reason;
}

function configOf(env: Record<string, string>) {
  const read = readConfig(env, cwd);
  if (!read.ok) throw new Error(read.reason);
  return read.config;
}

test('without any variable everything has its documented default', () => {
  expect(configOf({})).toEqual({
    port: 3000,
    host: '127.0.0.1',
    extensionsDir: join(cwd, 'extensions'),
    dataDir: join(cwd, 'data'),
    team: null,
    trustedProxies: [],
    workspaceRoot: cwd,
    adminToken: null,
    secretsKeys: [],
    excludedExtensions: new Set(['example']),
    excludedTools: new Set(),
    keepLastGood: true,
    readOnlyExtensions: false,
    mcpAuthoring: false,
    extensionEnv: ['*'],
    dependencies: 'ask',
    dependencySources: 'index',
    extensionAllow: [
      { extension: '*', permission: 'net' },
      { extension: 'shell', permission: 'run' },
    ],
    allowedHosts: [],
    allowedOrigins: [],
    watch: 'native',
    callTimeoutMs: 60_000,
    loadTimeoutMs: 10_000,
    maxResultBytes: 10_485_760,
    instanceId: null,
    drainSeconds: 3,
    durability: 'process',
    database: null,
    extensionMemoryMb: 512,
    extensionIdleMs: 600_000,
    kept: {
      calls: { newest: 1_000_000, days: 0 },
      snapshots: { newest: 10_000, days: 0 },
      revisions: { newest: 1_000, days: 0 },
      failures: { newest: 500, days: 0 },
      messages: { newest: 100_000, days: 0 },
    },
    python: 'python3',
    telegramToken: null,
    telegramApiRoot: 'https://api.telegram.org',
    logLevel: 'info',
    logFormat: 'auto',
    callRate: { count: 50_000, perMs: 1_000 },
    writeRate: { count: 10_000, perMs: 1_000 },
    concurrentRequests: 4_000,
    tracing: null,
    dev: false,
  });
  expect(statSync(join(cwd, 'extensions')).isDirectory()).toBe(true);
});

test.each([
  '0.0.0.0',
  '::',
  '[::]',
  '0',
  '0x0',
  '::ffff:0.0.0.0',
  '',
  '*',
  '0.0',
  '00.0.0.0',
  '0:0:0:0:0:0:0:0',
  ' ',
  '192.168.1.1',
  'example.com',
  '127.0.0.1.example.com',
  '::ffff:127.0.0.1',
])('refuses to listen on HOST=%j', (host) => {
  expect(reasonOf({ HOST: host })).toMatch(/^HOST is ".*"; accepted: a loopback address/);
});

test.each([
  ['localhost', 'localhost'],
  ['LOCALHOST', 'localhost'],
  ['127.0.0.1', '127.0.0.1'],
  ['127.0.0.2', '127.0.0.2'],
  ['::1', '::1'],
])('listens on HOST=%s', (host, expected) => {
  expect(configOf({ HOST: host }).host).toBe(expected);
});

test.each([
  ['PORT', 'http'],
  ['PORT', '-1'],
  ['PORT', '65536'],
  ['PORT', '1.5'],
  ['PORT', '0x50'],
  ['PORT', '3000 '],
  ['AUTH', 'none'],
  ['PUBLIC_URL', 'http://tools.example.com'],
  ['PUBLIC_URL', 'tools.example.com'],
  ['PUBLIC_URL', 'https://tools.example.com/board'],
  ['TRUSTED_PROXIES', 'proxy.example.com'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['OIDC_ROLE', 'owner'],
  ['DATABASE_URL', 'mysql://db/switchboard'],
  ['DATABASE_POOL', '2'],
  ['DATABASE_STATEMENT_SECONDS', '0'],
  ['DATABASE_CONNECT_SECONDS', 'soon'],
  ['KEEP_LAST_GOOD', 'maybe'],
  ['WATCH', 'sometimes'],
  ['CALL_TIMEOUT_MS', '0'],
  ['CALL_TIMEOUT_MS', '1e3'],
  ['CALL_TIMEOUT_MS', '3600001'],
  ['LOAD_TIMEOUT_MS', '10s'],
  ['MAX_RESULT_BYTES', '10MB'],
  ['MAX_RESULT_BYTES', '0'],
  ['PYTHON', './no-such-python'],
  ['EXTENSION_MEMORY_MB', '1'],
  ['PYTHON', './no-such-python'],
  ['EXTENSION_EXCLUDED_EXTENSIONS', 'weather shell'],
  ['EXTENSION_EXCLUDED_TOOLS', 'run shell'],
  ['EXTENSION_ENV', 'A-B'],
  ['EXTENSION_ENV', '*_KEY'],
  ['EXTENSION_ALLOW', 'shell'],
  ['EXTENSION_ALLOW', 'shell:fly'],
  ['EXTENSION_ALLOW', '../x:net'],
  ['EXTENSION_ALLOW', ':net'],
  ['ALLOWED_HOSTS', 'http://tools.example.com'],
  ['ALLOWED_HOSTS', '*'],
  ['ALLOWED_HOSTS', '*.example.com'],
  ['ALLOWED_HOSTS', 'tools.example.com:65536'],
  ['ALLOWED_ORIGINS', 'tools.example.com'],
  ['ALLOWED_ORIGINS', 'https://tools.example.com/'],
  ['ALLOWED_ORIGINS', '*'],
  ['ALLOWED_ORIGINS', 'null'],
  ['TELEGRAM_API_ROOT', 'api.telegram.org'],
  ['TELEGRAM_API_ROOT', 'ftp://api.telegram.org'],
  ['WORKSPACE_ROOT', 'missing'],
  ['DATA_DIR', 'extensions/data'],
  ['DATA_DIR', 'extensions'],
])('refuses %s=%s in one line with the variable, the value and what is accepted', (name, value) => {
  const reason = reasonOf({ [name]: value });
  expect(reason).toContain(`${name} is "`);
  expect(reason).toContain(value.split('/').at(-1) ?? value);
  expect(reason).toMatch(/accepted(?: |:)/);
  expect(reason).not.toContain('\n');
});

test.each([
  'mysql://me:hunter2@db/switchboard',
  'mysql://me:pa/hunter2@db/switchboard',
  'me:hunter2@db.example.com/switchboard',
  'postgres://me:p@hunter2@db:99999/switchboard',
  'mysql://db/switchboard?user=me&password=hunter2',
])('does not show the password of the database address %s', (url) => {
  const reason = reasonOf({ DATABASE_URL: url });
  expect(reason).toContain('DATABASE_URL is "');
  expect(reason).toContain('db');
  expect(reason).not.toContain('hunter2');
});

test('refuses options of a database address that cannot work, before it connects', () => {
  const of = (query: string) => ({ DATABASE_URL: `postgres://me:hunter2@db/switchboard?${query}` });
  expect(reasonOf(of('sslmode=bogus'))).toBe(
    'DATABASE_URL is "…?sslmode=bogus"; accepted: as sslmode disable, prefer, require, verify-ca, verify-full, no-verify.',
  );
  expect(reasonOf(of('sslmode=verify-full&sslrootcert=/absent.pem'))).toBe(
    'DATABASE_URL is "…?sslrootcert=/absent.pem"; accepted: as sslrootcert a file that the server can read.',
  );
  expect(configOf(of('sslmode=verify-full')).database?.url).toContain('sslmode=verify-full');
});

test('accepts a bot token and never shows an invalid one', () => {
  expect(configOf({ TELEGRAM_BOT_TOKEN: '42:abcdefghij', TELEGRAM_API_ROOT: 'http://127.0.0.1:8081/' })).toMatchObject({
    telegramToken: '42:abcdefghij',
    telegramApiRoot: 'http://127.0.0.1:8081',
  });
  expect(configOf({ TELEGRAM_BOT_TOKEN: '' }).telegramToken).toBeNull();
  const reason = reasonOf({ TELEGRAM_BOT_TOKEN: 'hunter2' });
  expect(reason).toMatch(/^TELEGRAM_BOT_TOKEN .*; accepted: /);
  expect(reason).not.toContain('hunter2');
});

test('accepts any token that a URL can contain for other Telegram servers', () => {
  const TELEGRAM_API_ROOT = 'http://127.0.0.1:8081';
  expect(configOf({ TELEGRAM_BOT_TOKEN: 'test-token', TELEGRAM_API_ROOT }).telegramToken).toBe('test-token');
  expect(configOf({ TELEGRAM_BOT_TOKEN: '123:abc' }).telegramToken).toBe('123:abc');
  expect(reasonOf({ TELEGRAM_BOT_TOKEN: '123:a/../b?c', TELEGRAM_API_ROOT })).toMatch(/^TELEGRAM_BOT_TOKEN is not a bot token/);
});

test('escapes control characters in a value', () => {
  expect(reasonOf({ WATCH: 'a\n\u001b[2Jb' })).toContain('a\\u000a\\u001b[2Jb');
});

test('reads lists with spaces, empty entries and any case', () => {
  const config = configOf({
    EXTENSION_EXCLUDED_EXTENSIONS: ' Weather, ,math',
    EXTENSION_EXCLUDED_TOOLS: 'Add',
    EXTENSION_ENV: 'API_KEY, OPENAI_*',
    EXTENSION_ALLOW: 'tools/fetch:net, *:read,shell:all',
    ALLOWED_HOSTS: 'Tools.example.com, other:8443',
    ALLOWED_ORIGINS: 'https://tools.example.com',
    KEEP_LAST_GOOD: 'FALSE',
    WATCH: 'Polling',
    PORT: '0',
    EXTENSIONS_ADMIN_TOKEN: 'secret',
  });
  expect(config).toMatchObject({
    excludedExtensions: new Set(['example', 'weather', 'math']),
    excludedTools: new Set(['add']),
    extensionEnv: ['API_KEY', 'OPENAI_*'],
    extensionAllow: [
      { extension: 'tools/fetch', permission: 'net' },
      { extension: '*', permission: 'read' },
      { extension: 'shell', permission: 'all' },
    ],
    allowedHosts: ['tools.example.com', 'other:8443'],
    allowedOrigins: ['https://tools.example.com'],
    keepLastGood: false,
    watch: 'polling',
    port: 0,
    adminToken: 'secret',
  });
});

test('passes only named variables to the extensions of a team', () => {
  expect(configOf({ AUTH: 'team' }).extensionEnv).toEqual([]);
  expect(configOf({ AUTH: 'team', EXTENSION_ENV: '*' }).extensionEnv).toEqual(['*']);
  expect(configOf({ AUTH: 'team' }).dependencies).toBe('off');
});

test('an empty list of variables or grants means none, other empty values mean not set', () => {
  expect(configOf({ EXTENSION_ENV: '', EXTENSION_ALLOW: '', PORT: '', EXTENSIONS_ADMIN_TOKEN: '', WATCH: '' })).toMatchObject({
    extensionEnv: [],
    extensionAllow: [],
    port: 3000,
    adminToken: null,
    watch: 'native',
  });
});

test.each([' ', '\t', ' secret', 'secret ', 'geheim\u00e4', 'two\nlines'])(
  'refuses an admin token that no header could carry: %j',
  (token) => {
    const reason = reasonOf({ EXTENSIONS_ADMIN_TOKEN: token });
    expect(reason).toMatch(/^EXTENSIONS_ADMIN_TOKEN is set to .*; accepted: visible ASCII/);
    expect(reason).not.toMatch(/secret|geheim|two/);
  },
);

test('creates missing folders, preserves links in the path of the extensions folder, and refuses files', () => {
  mkdirSync(join(cwd, 'real'));
  symlinkSync(join(cwd, 'real'), join(cwd, 'link'));
  writeFileSync(join(cwd, 'file'), '');
  expect(configOf({ EXTENSIONS_DIR: 'link', DATA_DIR: 'new/deep' })).toMatchObject({
    extensionsDir: join(cwd, 'link'),
    dataDir: join(cwd, 'new', 'deep'),
  });
  expect(reasonOf({ EXTENSIONS_DIR: 'file' })).toMatch(/^EXTENSIONS_DIR is "file", which is a file/);
  expect(reasonOf({ EXTENSIONS_DIR: 'file/below' })).toMatch(/^EXTENSIONS_DIR is "file\/below", which is a file or lies below one/);
  expect(reasonOf({ DATA_DIR: '/proc/none' })).toMatch(/^DATA_DIR is "\/proc\/none", which could not be made or read/);
});

test.each([
  ['600/min', { count: 600, perMs: 60_000 }],
  ['5/s', { count: 5, perMs: 1_000 }],
  ['1/h', { count: 1, perMs: 3_600_000 }],
  ['OFF', null],
])('reads the rate %s', (given, rate) => {
  expect(configOf({ RATE_LIMIT_CALLS: given, RATE_LIMIT_WRITES: given })).toMatchObject({ callRate: rate, writeRate: rate });
});

test.each(['0/s', '5', '5/day', '-1/s', '1.5/s', 'many'])('refuses the rate %s', (given) => {
  expect(reasonOf({ RATE_LIMIT_CALLS: given })).toBe(
    `RATE_LIMIT_CALLS is "${given}"; accepted: a number of requests from 1 on per s, min or h, such as 20/s or 600/min, or off.`,
  );
});

test('reads the log format', () => {
  expect(configOf({ LOG_LEVEL: 'Debug', LOG_FORMAT: 'json' })).toMatchObject({ logLevel: 'debug', logFormat: 'json' });
  expect(reasonOf({ LOG_LEVEL: 'loud' })).toBe('LOG_LEVEL is "loud"; accepted: info, debug, warn, error.');
  expect(reasonOf({ LOG_FORMAT: 'xml' })).toBe('LOG_FORMAT is "xml"; accepted: auto, json, pretty.');
});

test('an instance has a name that fits into a line and an address, or none', () => {
  expect(configOf({}).instanceId).toBe(null);
  expect(configOf({ INSTANCE_ID: '' }).instanceId).toBe(null);
  expect(configOf({ INSTANCE_ID: 'Server-2.eu_1' }).instanceId).toBe('Server-2.eu_1');
  for (const bad of ['-a', 'a b', 'a/b', 'é', 'a\n', 'a'.repeat(64)])
    expect(reasonOf({ INSTANCE_ID: bad })).toMatch(
      /^INSTANCE_ID is ".*"; accepted: 1 to 63 letters, digits, dots, hyphens and underscores/s,
    );
});

test('the keys of the secrets are a list, and each is hard to guess', () => {
  const key = 'abcdefgh'.repeat(4);
  expect(configOf({ SECRETS_KEY: ` ${key} , ${key}2 ` }).secretsKeys).toEqual([key, `${key}2`]);
  for (const bad of ['short', `${key},short`, 'a'.repeat(40), `${key},`]) {
    const read = readConfig({ SECRETS_KEY: bad }, cwd);
    expect(read).toMatchObject({ ok: false, reason: expect.stringContaining('SECRETS_KEY is too easy to guess') });
    expect(JSON.stringify(read)).not.toContain(key);
  }
});
