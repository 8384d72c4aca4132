import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readOrMakeSecret } from './auth-secret.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'auth-secret-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = path.join(folder, 'auth-secret');

test('creates a secret once, readable by its owner only', () => {
  const made = readOrMakeSecret(folder);
  expect(made).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readOrMakeSecret(folder)).toBe(made);
});

test('replaces a truncated secret', () => {
  writeFileSync(file, 'cut');
  expect(readOrMakeSecret(folder)).toMatch(/^[0-9a-f]{64}$/);
  expect(readFileSync(file, 'utf8').trim()).toHaveLength(64);
});
