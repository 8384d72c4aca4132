import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Candidate } from '#lib/loader/build.ts';
import { createPackageVersions } from './failure-environment.ts';

let root: string;
const save = async (file: string, text: string): Promise<void> => {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
};
const candidate = (runtime: Candidate['runtime']): Candidate => ({ id: 'a', kind: 'tools', runtime, folder: root, entryFile: 'x' });
const versions = () =>
  createPackageVersions({
    find: async () => ({
      ok: true,
      program: 'python3',
      version: '3.12.0',
      isOwn: true,
      path: [path.join(root, 'lib/python3.12'), path.join(root, 'site-packages')],
    }),
  });

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'packages-'));
  await save('node_modules/left/package.json', '{"name": "left", "version": "1.2.3"}');
  await save('node_modules/@scope/right/package.json', '{"name": "@scope/right", "version": "0.1.0-beta.2"}');
  await save('node_modules/broken/package.json', '{');
  await save('lib/python3.12/json/__init__.py', '');
  await save('site-packages/numbers_of/__init__.py', '');
  await save('site-packages/numbers_of-2.0.1.dist-info/RECORD', 'numbers_of/__init__.py,,\n');
  await save('site-packages/yaml/__init__.py', '');
  await save('site-packages/PyYAML-6.0.2.dist-info/RECORD', 'PyYAML-6.0.2.dist-info/METADATA,,\nyaml/__init__.py,,\n');
  await save('site-packages/single.py', '');
  await save('site-packages/Other_Name-1.0.dist-info/RECORD', 'single.py,,\n');
});
afterAll(() => rm(root, { recursive: true }));

test('reads the versions of Node packages, and skips unreadable ones', async () => {
  const folders = ['left', '@scope/right', 'broken', 'gone'].map((name) => path.join(root, 'node_modules', name));
  expect(await versions()(candidate('node'), folders)).toEqual({ '@scope/right': '0.1.0-beta.2', left: '1.2.3' });
});

test('finds Python packages by their modules, whatever their names; excludes the standard library', async () => {
  const found = await versions()(candidate('python'), ['json', 'numbers_of', 'single', 'yaml', 'not_installed']);
  expect(found).toEqual({ Other_Name: '1.0', PyYAML: '6.0.2', numbers_of: '2.0.1' });
});

test('returns nothing for MCP servers', async () => {
  expect(await versions()(candidate('mcp'), ['left'])).toEqual({});
});
