import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { extensionEnvironment } from './extension-environment.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'env-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('reads the `.env` of a folder over what all see, also with a byte order mark and the line ends of Windows', () => {
  writeFileSync(path.join(folder, '.env'), '\uFEFFKEY=é\r\nexport OTHER="two words"\r\n');
  expect(extensionEnvironment({ KEY: 'of all', PATH: '/bin' }, folder)).toEqual({ KEY: 'é', OTHER: 'two words', PATH: '/bin' });
});
