import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { extensionEnvironment, withoutHostSecrets } from './extension-environment.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'env-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the `.env` of a folder overrides the common environment, also with a byte order mark and Windows line ends', () => {
  writeFileSync(path.join(folder, '.env'), '\uFEFFKEY=é\r\nexport OTHER="two words"\r\n');
  expect(extensionEnvironment({ KEY: 'of all', PATH: '/bin' }, folder)).toEqual({ KEY: 'é', OTHER: 'two words', PATH: '/bin' });
});

test('excludes the host variables, and nothing else', () => {
  const secrets = [
    'EXTENSIONS_ADMIN_TOKEN',
    'AUTH_SECRET',
    'TELEGRAM_BOT_TOKEN',
    'OIDC_CLIENT_SECRET',
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  ];
  const environment = Object.fromEntries([...secrets, 'PATH', 'EXTENSIONS_DIR', 'GITHUB_TOKEN'].map((name) => [name, 'value']));
  expect(Object.keys(withoutHostSecrets(environment))).toEqual(['PATH', 'EXTENSIONS_DIR', 'GITHUB_TOKEN']);
});
