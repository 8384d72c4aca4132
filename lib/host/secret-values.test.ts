import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { secretSettings, secretsOfServer, secretVariables } from './secret-values.ts';

const RANDOM = 'q7RkW2mZx9TbL4vNcY8sHd3';

it('detects secret variables by name and by form', () => {
  const secrets = { DB_PWD: 'swordfish', GITHUB_PAT: 'abc-def', SMTP_PASS: 'letmein', STRIPE_KEY: 'key-of-stripe', BUILD: RANDOM };
  const settings = {
    MODEL: 'claude-sonnet-4-5-20250929',
    EDITOR: 'vim',
    HOME: '/home/ada',
    PWD: '/home/ada/switchboard',
    OLDPWD: '/home/ada/other',
    KEYBOARD: 'us-intl',
    SHLVL: '1',
    NAME: 'plain-value-123456',
  };
  expect(secretVariables({ ...secrets, ...settings })).toEqual(Object.values(secrets));
  expect(secretVariables({ DATABASE: 'postgres://app:hunter22@db/main' })).toEqual(['hunter22']);
});

it('treats values of a .env as secrets unless they are clearly settings', () => {
  const secrets = { WEATHER: 'plain-value-123456', API_KEY: 'short1', PHRASE: 'p4ss w0rds' };
  const settings = {
    PORT: '8080',
    DEBUG: 'true',
    GREETING: 'hello dear reader',
    MODEL: 'claude-sonnet-4-5-20250929',
    AWS_REGION: 'eu-west-1',
    SERVICE: 'https://api.example.com/v1',
    HOST: 'db-17.example.com:5432',
    WHO: 'ada99@example.com',
    FILES: '/srv/data-2026/files',
    WINDOWS: '%APPDATA%\\npm',
    ROAMING: '%APPDATA%',
    PLACE: '$HOME/documents-2',
    SINCE: '2026-01-31',
    KIND: 'application/json',
    SHORT: 'a1b2c3',
  };
  expect(secretSettings({ ...secrets, ...settings })).toEqual(Object.values(secrets));
  expect(secretSettings({ DATABASE_URL: 'postgres://app:hunter22@db/main' })).toEqual(['hunter22']);
});

it('treats environment, headers and arguments of a server as secrets, including referenced variables', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-secrets-'));
  const file = path.join(folder, 'server.json');
  const of = (connection: unknown): readonly string[] => {
    writeFileSync(file, JSON.stringify({ extension: 'x', folder, subject: [], prefix: '', connection, warnings: [] }));
    return secretsOfServer(file, { MINE: 'value-of-mine-1' }, {});
  };
  try {
    const headers = { Authorization: 'Bearer ${MINE}', 'X-Own': `own-${RANDOM}`, Accept: 'application/json' };
    expect(of({ type: 'http', url: 'https://x/?api_key=abcdef1', headers })).toEqual([
      'Bearer value-of-mine-1',
      'value-of-mine-1',
      `own-${RANDOM}`,
      'abcdef1',
    ]);
    const stdio = { type: 'stdio', command: 'x', args: ['--token', 'zx81-zx81'], env: { TOKEN: '${MINE}', PORT: '8080' }, cwd: null };
    expect(of(stdio)).toEqual(['value-of-mine-1', 'zx81-zx81']);
    expect(of({ type: 'http', url: 'https://x', headers: { Authorization: `Basic ${btoa('ada:hunter22')}` } })).toContain('hunter22');
    expect(secretsOfServer(path.join(folder, 'none.json'), {}, {})).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
