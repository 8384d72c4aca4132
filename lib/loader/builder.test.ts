import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { built, createBuildFolder, runBuilt } from '#lib/testing/build-folder.ts';

let folder: Awaited<ReturnType<typeof createBuildFolder>>;
let root: string;

beforeEach(async () => {
  folder = await createBuildFolder();
  root = folder.root;
});

afterEach(() => folder.close());

test('bundles helpers in TypeScript, CommonJS and JSON into one program', async () => {
  const outcome = await folder.buildExtension({
    'extension.ts': `import { twice } from './lib/twice.ts'; import old from './old.js'; import data from './data.json' with { type: 'json' };
      import { nothing } from './types.ts'; import './effect.js';
      export const TOOL = { a: twice(2), b: old.b, c: data.c, e: globalThis.effect satisfies unknown }; let x: nothing;`,
    'lib/twice.ts': 'export function twice(n: number): number { return n * 2 }',
    'old.js': `const path = require('node:path'); module.exports = { b: path.basename('/x/y') };`,
    'data.json': '{"c": 3}',
    'types.ts': 'export type nothing = 1;',
    'effect.js': 'globalThis.effect = 5;',
  });
  expect(await runBuilt(outcome, 'm.TOOL')).toEqual({ a: 4, b: 'y', c: 3, e: 5 });
  expect(Object.keys(built(outcome).sources)).toEqual([
    'one/data.json',
    'one/effect.js',
    'one/extension.ts',
    'one/lib/twice.ts',
    'one/old.js',
  ]);
  expect(built(outcome).inputs.map((input) => input.path)).toContain(join(root, 'extensions/one/lib/twice.ts'));
});

test('points import.meta, __dirname and __filename of every bundled file to its source', async () => {
  const outcome = await folder.buildExtension({
    'extension.ts': `import { readFileSync } from 'node:fs'; import { where } from './deep/where.ts'; import legacy from './deep/legacy.js';
      export const TOOL = [import.meta.url, import.meta.dirname, __filename, readFileSync(new URL('./data.txt', import.meta.url), 'utf8'), import.meta.resolve('./data.txt')];
      export { where, legacy };`,
    'data.txt': 'text',
    'deep/where.ts': 'const { filename } = import.meta; export const where = [filename, __dirname]; // no newline',
    'deep/legacy.js': 'module.exports = [__filename, __dirname, typeof require.resolve];',
  });
  const home = join(root, 'extensions/one');
  const url = (name: string) => pathToFileURL(join(home, name)).href;
  expect(await runBuilt(outcome, 'm.TOOL')).toEqual([url('extension.ts'), home, join(home, 'extension.ts'), 'text', url('data.txt')]);
  expect(await runBuilt(outcome, 'm.where')).toEqual([join(home, 'deep/where.ts'), join(home, 'deep')]);
  expect(await runBuilt(outcome, 'm.legacy')).toEqual([join(home, 'deep/legacy.js'), join(home, 'deep'), 'function']);
});

test('maps a stack to lines and columns of the sources, also on the first line of a file that uses import.meta', async () => {
  const outcome = await folder.buildExtension({
    'extension.ts': `import { boom } from './a b#c/boom.ts';\ninterface Long {\n  a: string;\n}\nexport const TOOL = (a?: Long) => boom(1);`,
    'a b#c/boom.ts': `export function boom(n: number): never { void import.meta.url; throw new Error('x' + n); }`,
    'legacy.js': '',
  });
  const stack = String(await runBuilt(outcome, 'Promise.resolve().then(m.TOOL).catch((error) => error.stack)'));
  const lines = decodeURIComponent(stack).split('\n');
  expect(lines[1]).toContain(`${join(root, 'extensions/one/a b#c/boom.ts')}:1:70`);
  expect(lines[2]).toContain(`${join(root, 'extensions/one/extension.ts')}:5:35`);
});

test('still maps a stack when the program needs require', async () => {
  const outcome = await folder.buildExtension(
    { 'extension.js': `const fs = require('fs');\n\nmodule.exports.TOOL = () => {\n  throw new Error('x');\n};` },
    'extension.js',
  );
  const stack = String(await runBuilt(outcome, 'Promise.resolve().then(m.TOOL).catch((error) => error.stack)'));
  expect(decodeURIComponent(stack).split('\n')[1]).toContain(`${join(root, 'extensions/one/extension.js')}:4:9`);
});

test.each([
  ['module.exports = { TOOL: { a: 1 }, status() {} };', ['TOOL', 'default', 'status']],
  ['exports.TOOL = { a: 1 }; exports.status = () => 1;', ['TOOL', 'default', 'status']],
  ['const TOOL = { a: 1 };\nconst all = { TOOL, status() {} };\nmodule.exports = all;', ['TOOL', 'default', 'status']],
  ['module.exports = exports = { TOOL: { a: 1 } };', ['TOOL', 'default']],
])('exposes the exports of CommonJS by name: %s', async (source, names) => {
  const outcome = await folder.buildExtension({ 'extension.js': source }, 'extension.js');
  expect(await runBuilt(outcome, '[m.TOOL, Object.keys(m).filter((name) => !name.startsWith("__"))]')).toEqual([{ a: 1 }, names]);
});

test('recognises CommonJS by its source below a package.json that declares modules', async () => {
  await folder.write({ 'package.json': '{"type":"module"}' });
  const outcome = await folder.buildExtension(
    {
      'extension.js': `const { one } = require('./lib/one'); const two = require('./two.js'); module.exports = { TOOL: [one, two] };`,
      'lib/one.js': `exports.one = require('./deep').default;`,
      'lib/deep/index.js': 'export default 1;',
      'two.js': 'module.exports = 2;',
    },
    'extension.js',
  );
  expect(await runBuilt(outcome, 'm.TOOL')).toEqual([1, 2]);
});

test('exposes TOOL when CommonJS defines its exports at run time', async () => {
  const outcome = await folder.buildExtension({ 'extension.js': 'module.exports = (() => ({ TOOL: { a: 1 } }))();' }, 'extension.js');
  expect(await runBuilt(outcome, '[m.TOOL, m.TOOLS === undefined]')).toEqual([{ a: 1 }, true]);
});

test('leaves installed packages external, resolved from the source, and replaces switchboard with the module of the host', async () => {
  const pack = (name: string) =>
    `{"name":"${name}","exports":{".":{"module":"./wrong.mjs","import":"./index.mjs","require":"./index.cjs"}}}`;
  await folder.write({
    'extensions/one/node_modules/near/package.json': pack('near'),
    'extensions/one/node_modules/near/index.mjs': 'export const how = import.meta.url;',
    'node_modules/far/package.json': pack('far'),
    'node_modules/far/index.cjs': 'module.exports = __filename;',
  });
  const outcome = await folder.buildExtension({
    'extension.ts': `import { how } from 'near'; import far from './far.js'; import { ToolError, type Tool } from 'switchboard'; import type { X } from 'absent'; import fs from 'fs';
      export const TOOL = [how, far, new ToolError('x').constructor.name, typeof fs.readFileSync, (await import('near')).how];`,
    'far.js': `module.exports = require('far');`,
  });
  const near = pathToFileURL(join(root, 'extensions/one/node_modules/near/index.mjs')).href;
  expect(await runBuilt(outcome, 'm.TOOL')).toEqual([near, join(root, 'node_modules/far/index.cjs'), 'ToolError', 'function', near]);
  expect(Object.keys(built(outcome).sources)).toEqual(['one/extension.ts', 'one/far.js']);
});

test('reuses the artifact of the same source without writing it again', async () => {
  const first = built(await folder.buildExtension({ 'extension.ts': 'export const TOOL = 1' }));
  const before = await stat(first.artifact.programFile, { bigint: true });
  const second = built(await folder.buildExtension({ 'extension.ts': 'export const TOOL = 1' }));
  expect(second.artifact).toEqual(first.artifact);
  const after = await stat(second.artifact.programFile, { bigint: true });
  expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  const changed = built(await folder.buildExtension({ 'extension.ts': 'export const TOOL = 22' }));
  expect(changed.artifact.contentHash).not.toBe(first.artifact.contentHash);
  expect(await readdir(dirname(changed.artifact.programFile))).toEqual(['program.mjs']);
  expect(await readFile(first.artifact.programFile, 'utf8')).toContain('TOOL = 1');
});

test('the hash covers .env without storing its text, and a missing .env is watched', async () => {
  const without = built(await folder.buildExtension({ 'extension.ts': 'export const TOOL = 1' }));
  expect(without.missing).toEqual([join(root, 'extensions/one/.env')]);
  const withEnv = built(await folder.buildExtension({ '.env': 'KEY=secret' }));
  expect(withEnv.artifact.contentHash).not.toBe(without.artifact.contentHash);
  expect(withEnv.inputs.map((input) => input.path)).toContain(join(root, 'extensions/one/.env'));
  expect(JSON.stringify(withEnv.sources)).not.toContain('secret');
  const other = built(await folder.buildExtension({ '.env': 'KEY=other!' }));
  expect(other.artifact.contentHash).not.toBe(withEnv.artifact.contentHash);
});

test('builds two artifacts for two extensions that import each other’s files', async () => {
  await folder.write({ 'extensions/two/extension.ts': `import '../one/extension.ts'; export const TOOL = 2;` });
  const one = built(await folder.buildExtension({ 'extension.ts': `import '../two/extension.ts'; export const TOOL = 1;` }));
  const two = built(await folder.buildExtension({}, 'extension.ts', 'two'));
  expect(Object.keys(one.sources)).toEqual(Object.keys(two.sources));
  expect(two.artifact.programFile).not.toBe(one.artifact.programFile);
});

test('uses the file metadata from before the read', async () => {
  const outcome = built(await folder.buildExtension({ 'extension.ts': 'export const TOOL = 1' }));
  const facts = await stat(join(root, 'extensions/one/extension.ts'), { bigint: true });
  expect(outcome.inputs[0]).toEqual({
    path: join(root, 'extensions/one/extension.ts'),
    size: 21,
    mtimeNs: String(facts.mtimeNs),
    ctimeNs: String(facts.ctimeNs),
    ino: String(facts.ino),
  });
});

test('optional packages may be absent, and are watched', async () => {
  const outcome = await folder.buildExtension({
    'extension.ts': `import legacy from './legacy.js'; export const TOOL = [legacy, await import('optional-b').catch(() => 'no b')];`,
    'legacy.js': `try { module.exports = require('optional-a') } catch { module.exports = 'no a' }`,
  });
  expect(await runBuilt(outcome, 'm.TOOL')).toEqual(['no a', 'no b']);
  expect(built(outcome).missing).toEqual(
    expect.arrayContaining([join(root, 'node_modules/optional-a'), join(root, 'node_modules/optional-b')]),
  );
});

test('continues when the bundler process has died, also with concurrent builds', async () => {
  const text = (n: number) => `export const TOOL = ${n};`;
  await folder.buildExtension({ 'extension.ts': text(1) });
  const children = readdirSync('/proc/self/task').flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' '));
  const bundlers = children.filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('esbuild'));
  // Tests of other files in this process may have their own bundler.
  expect(bundlers.length).toBeGreaterThan(0);
  for (const pid of bundlers) process.kill(Number(pid), 'SIGKILL');
  await expect.poll(() => bundlers.some((pid) => existsSync(`/proc/${pid}/cmdline`))).toBe(false);
  const outcomes = await Promise.all([2, 3].map((n) => folder.buildExtension({ 'extension.ts': text(n) })));
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, true]);
});

test('continues when another builder of this program closes, at any step', async () => {
  const names = Array.from({ length: 100 }, (_, at) => `part-${at}.ts`);
  const imports = names.map((name, at) => `import { value as v${at} } from './${name}';`);
  await folder.buildExtension({
    ...Object.fromEntries(names.map((name, at) => [name, `export const value = ${at};`])),
    'extension.ts': `${imports.join('\n')}\nexport const TOOL = [${names.map((_, at) => `v${at}`).join()}];`,
  });
  for (let steps = 0; steps < 20; steps += 1) {
    const other = await createBuildFolder();
    const building = folder.buildExtension({});
    for (let step = 0; step < steps; step += 1) await stat(root);
    await other.close();
    expect(built(await building).inputs).toHaveLength(101);
  }
});
