import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Builder, BuildOutcome, Candidate } from './build.ts';
import { createBuilder } from './builder.ts';
import { SOURCE_BYTES_MOST } from './source-reader.ts';

let root: string;
let builder: Builder;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'builder é ')));
  await write({ 'author.mjs': 'export class ToolError extends Error {}', 'package.json': '{"sideEffects": false}' });
  builder = createBuilder({ extensionsDir: join(root, 'extensions'), artifactsDir: join(root, 'artifacts'), authorModule: join(root, 'author.mjs') });
});

afterEach(async () => {
  await builder.close();
  await rm(root, { recursive: true });
});

async function write(files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
}

async function buildExtension(files: Record<string, string | Uint8Array>, entry = 'extension.ts', id = 'one'): Promise<BuildOutcome> {
  await write(Object.fromEntries(Object.entries(files).map(([name, content]) => [`extensions/${id}/${name}`, content])));
  const folder = join(root, 'extensions', id);
  const candidate: Candidate = { id, kind: 'tools', runtime: 'node', folder, entryFile: join(folder, entry) };
  return builder.build(candidate);
}

function built(outcome: BuildOutcome) {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
  return outcome;
}

function failed(outcome: BuildOutcome) {
  if (outcome.ok) throw new Error('The build went through.');
  return outcome;
}

/** Imports the artifact in a process of its own, as a child does, and evaluates `expression` over the module `m`. */
async function run(outcome: BuildOutcome, expression: string): Promise<unknown> {
  const program = pathToFileURL(built(outcome).artifact.programFile).href;
  const script = `const m = await import(${JSON.stringify(program)}); console.log(JSON.stringify(await (${expression})))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--enable-source-maps', '--input-type=module', '-e', script], { cwd: tmpdir() });
  return JSON.parse(stdout);
}

test('bundles helpers in TypeScript, CommonJS and JSON into one program', async () => {
  const outcome = await buildExtension({
    'extension.ts': `import { twice } from './lib/twice.ts'; import old from './old.js'; import data from './data.json' with { type: 'json' };
      import { nothing } from './types.ts'; import './effect.js';
      export const TOOL = { a: twice(2), b: old.b, c: data.c, e: globalThis.effect satisfies unknown }; let x: nothing;`,
    'lib/twice.ts': 'export function twice(n: number): number { return n * 2 }',
    'old.js': `const path = require('node:path'); module.exports = { b: path.basename('/x/y') };`,
    'data.json': '{"c": 3}',
    'types.ts': 'export type nothing = 1;',
    'effect.js': 'globalThis.effect = 5;',
  });
  expect(await run(outcome, 'm.TOOL')).toEqual({ a: 4, b: 'y', c: 3, e: 5 });
  expect(Object.keys(built(outcome).sources)).toEqual(['one/data.json', 'one/effect.js', 'one/extension.ts', 'one/lib/twice.ts', 'one/old.js']);
  expect(built(outcome).inputs.map((input) => input.path)).toContain(join(root, 'extensions/one/lib/twice.ts'));
});

test('keeps import.meta, __dirname and __filename of every bundled file at its source', async () => {
  const outcome = await buildExtension({
    'extension.ts': `import { readFileSync } from 'node:fs'; import { where } from './deep/where.ts'; import legacy from './deep/legacy.js';
      export const TOOL = [import.meta.url, import.meta.dirname, __filename, readFileSync(new URL('./data.txt', import.meta.url), 'utf8'), import.meta.resolve('./data.txt')];
      export { where, legacy };`,
    'data.txt': 'text',
    'deep/where.ts': 'const { filename } = import.meta; export const where = [filename, __dirname]; // no newline',
    'deep/legacy.js': 'module.exports = [__filename, __dirname, typeof require.resolve];',
  });
  const folder = join(root, 'extensions/one');
  const url = (name: string) => pathToFileURL(join(folder, name)).href;
  expect(await run(outcome, 'm.TOOL')).toEqual([url('extension.ts'), folder, join(folder, 'extension.ts'), 'text', url('data.txt')]);
  expect(await run(outcome, 'm.where')).toEqual([join(folder, 'deep/where.ts'), join(folder, 'deep')]);
  expect(await run(outcome, 'm.legacy')).toEqual([join(folder, 'deep/legacy.js'), join(folder, 'deep'), 'function']);
});

test('maps a stack to lines and columns of the sources, also on the first line of a file that uses import.meta', async () => {
  const outcome = await buildExtension({
    'extension.ts': `import { boom } from './a b#c/boom.ts';\ninterface Long {\n  a: string;\n}\nexport const TOOL = (a?: Long) => boom(1);`,
    'a b#c/boom.ts': `export function boom(n: number): never { void import.meta.url; throw new Error('x' + n); }`,
    'legacy.js': '',
  });
  const stack = String(await run(outcome, 'Promise.resolve().then(m.TOOL).catch((error) => error.stack)'));
  const lines = decodeURIComponent(stack).split('\n');
  expect(lines[1]).toContain(`${join(root, 'extensions/one/a b#c/boom.ts')}:1:70`);
  expect(lines[2]).toContain(`${join(root, 'extensions/one/extension.ts')}:5:35`);
});

test('still maps a stack when the program needs require', async () => {
  const outcome = await buildExtension({ 'extension.js': `const fs = require('fs');\n\nmodule.exports.TOOL = () => {\n  throw new Error('x');\n};` }, 'extension.js');
  const stack = String(await run(outcome, 'Promise.resolve().then(m.TOOL).catch((error) => error.stack)'));
  expect(decodeURIComponent(stack).split('\n')[1]).toContain(`${join(root, 'extensions/one/extension.js')}:4:9`);
});

test.each([
  ['module.exports = { TOOL: { a: 1 }, status() {} };', ['TOOL', 'default', 'status']],
  ['exports.TOOL = { a: 1 }; exports.status = () => 1;', ['TOOL', 'default', 'status']],
  ['const TOOL = { a: 1 };\nconst all = { TOOL, status() {} };\nmodule.exports = all;', ['TOOL', 'default', 'status']],
  ['module.exports = exports = { TOOL: { a: 1 } };', ['TOOL', 'default']],
])('surfaces the exports of CommonJS by name: %s', async (source, names) => {
  const outcome = await buildExtension({ 'extension.js': source }, 'extension.js');
  expect(await run(outcome, '[m.TOOL, Object.keys(m)]')).toEqual([{ a: 1 }, names]);
});

test('surfaces TOOL when CommonJS makes its exports at run time', async () => {
  const outcome = await buildExtension({ 'extension.js': 'module.exports = (() => ({ TOOL: { a: 1 } }))();' }, 'extension.js');
  expect(await run(outcome, '[m.TOOL, m.TOOLS === undefined]')).toEqual([{ a: 1 }, true]);
});

test('leaves installed packages outside, as they would load from the source, and puts the host’s module in place of switchboard', async () => {
  const pack = (name: string) => `{"name":"${name}","exports":{".":{"module":"./wrong.mjs","import":"./index.mjs","require":"./index.cjs"}}}`;
  await write({
    'extensions/one/node_modules/near/package.json': pack('near'),
    'extensions/one/node_modules/near/index.mjs': 'export const how = import.meta.url;',
    'node_modules/far/package.json': pack('far'),
    'node_modules/far/index.cjs': 'module.exports = __filename;',
  });
  const outcome = await buildExtension({
    'extension.ts': `import { how } from 'near'; import far from './far.js'; import { ToolError, type Tool } from 'switchboard'; import type { X } from 'absent'; import fs from 'fs';
      export const TOOL = [how, far, new ToolError('x').constructor.name, typeof fs.readFileSync, (await import('near')).how];`,
    'far.js': `module.exports = require('far');`,
  });
  const near = pathToFileURL(join(root, 'extensions/one/node_modules/near/index.mjs')).href;
  expect(await run(outcome, 'm.TOOL')).toEqual([near, join(root, 'node_modules/far/index.cjs'), 'ToolError', 'function', near]);
  expect(Object.keys(built(outcome).sources)).toEqual(['one/extension.ts', 'one/far.js']);
});

test('gives the same content the same artifact and does not write it again', async () => {
  const first = built(await buildExtension({ 'extension.ts': 'export const TOOL = 1' }));
  const before = await stat(first.artifact.programFile, { bigint: true });
  const second = built(await buildExtension({ 'extension.ts': 'export const TOOL = 1' }));
  expect(second.artifact).toEqual(first.artifact);
  const after = await stat(second.artifact.programFile, { bigint: true });
  expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  const changed = built(await buildExtension({ 'extension.ts': 'export const TOOL = 22' }));
  expect(changed.artifact.contentHash).not.toBe(first.artifact.contentHash);
  expect(await readdir(dirname(changed.artifact.programFile))).toEqual(['program.mjs']);
  expect(await readFile(first.artifact.programFile, 'utf8')).toContain('TOOL = 1');
});

test('the hash covers .env, whose text is not kept, and waits for one to appear', async () => {
  const without = built(await buildExtension({ 'extension.ts': 'export const TOOL = 1' }));
  expect(without.missing).toEqual([join(root, 'extensions/one/.env')]);
  const withEnv = built(await buildExtension({ '.env': 'KEY=secret' }));
  expect(withEnv.artifact.contentHash).not.toBe(without.artifact.contentHash);
  expect(withEnv.inputs.map((input) => input.path)).toContain(join(root, 'extensions/one/.env'));
  expect(JSON.stringify(withEnv.sources)).not.toContain('secret');
  const other = built(await buildExtension({ '.env': 'KEY=other!' }));
  expect(other.artifact.contentHash).not.toBe(withEnv.artifact.contentHash);
});

test('two extensions that import each other’s files are two artifacts', async () => {
  await write({ 'extensions/two/extension.ts': `import '../one/extension.ts'; export const TOOL = 2;` });
  const one = built(await buildExtension({ 'extension.ts': `import '../two/extension.ts'; export const TOOL = 1;` }));
  const two = built(await buildExtension({}, 'extension.ts', 'two'));
  expect(Object.keys(one.sources)).toEqual(Object.keys(two.sources));
  expect(two.artifact.programFile).not.toBe(one.artifact.programFile);
});

test('input facts are those from before the read', async () => {
  const outcome = built(await buildExtension({ 'extension.ts': 'export const TOOL = 1' }));
  const facts = await stat(join(root, 'extensions/one/extension.ts'), { bigint: true });
  expect(outcome.inputs[0]).toEqual({ path: join(root, 'extensions/one/extension.ts'), size: 21, mtimeNs: String(facts.mtimeNs), ctimeNs: String(facts.ctimeNs), ino: String(facts.ino) });
});

test('a half-written file is a syntax error with a place, and the next save mends it', async () => {
  const half = failed(await buildExtension({ 'extension.ts': 'export const TOOL = {\n  name: "é", execute(' }));
  expect(half.failure).toMatchObject({ code: 'syntax_error', file: join(root, 'extensions/one/extension.ts'), line: 2, column: 22, message: 'The file ends too early: something that was opened is not closed.' });
  expect(half.sources).toHaveProperty(['one/extension.ts']);
  const whole = built(await buildExtension({ 'extension.ts': 'export const TOOL = {\n  name: "é", execute() {} }' }));
  expect(whole.artifact.contentHash).not.toBe(half.contentHash);
});

test('counts columns in characters, and places errors of a file that uses import.meta by its own text', async () => {
  const outcome = failed(await buildExtension({ 'extension.ts': 'const url = import.meta.url;\nconst é = "ü"; const a b;\nfunction open() {' }));
  expect(outcome.failure).toMatchObject({ code: 'syntax_error', line: 2, column: 24 });
  const end = failed(await buildExtension({ 'extension.ts': 'const url = import.meta.url;\nfunction open() {' }));
  expect(end.failure).toMatchObject({ code: 'syntax_error', line: 2, column: 18 });
});

test('names every error, at most six, in the message', async () => {
  const lines = Array.from({ length: 9 }, (_, index) => `import x${index} from './gone-${index}.ts'; x${index};`);
  const { failure } = failed(await buildExtension({ 'extension.ts': lines.join('\n') }));
  expect(failure.message.split('\n')).toHaveLength(7);
  expect(failure.message).toContain('Also, one/extension.ts:2:16: The file "./gone-1.ts" is not there');
  expect(failure.message).toContain('And 3 more.');
});

test('a missing file is import_unresolved at the import, with what it could be called', async () => {
  const outcome = failed(await buildExtension({ 'extension.ts': `import { a } from './helprs.js';\nexport const TOOL = a;`, 'helpers.ts': 'export const a = 1' }));
  expect(outcome.failure).toMatchObject({ code: 'import_unresolved', line: 1, column: 19, message: 'The file "./helprs.js" is not there (looked for as one/helprs.js).', hint: 'Did you mean "./helpers.ts"?' });
  expect(outcome.missing).toEqual(expect.arrayContaining([join(root, 'extensions/one/helprs.js'), join(root, 'extensions/one/helprs.ts'), join(root, 'extensions/one/helprs.js/index.ts')]));
});

test('a missing package is import_unresolved and is waited for wherever it can be installed', async () => {
  const outcome = failed(await buildExtension({ 'extension.ts': `import { a } from './deep/b.ts';\nexport const TOOL = a;`, 'deep/b.ts': `\nexport { a } from '@scope/pack/part';` }));
  expect(outcome.failure).toMatchObject({ code: 'import_unresolved', file: join(root, 'extensions/one/deep/b.ts'), line: 2, column: 19, message: 'The package "@scope/pack" is not installed where this file can reach it.' });
  expect(outcome.missing).toEqual(expect.arrayContaining([join(root, 'extensions/one/deep/node_modules/@scope/pack'), join(root, 'node_modules/@scope/pack')]));
});

test.each([
  [`import { nope } from './b.ts'; export const TOOL = nope;`, '"b.ts" exports nothing called "nope".', 'Check the spelling, or add `export` to "nope" in "b.ts".'],
  [`import { helpr } from './b.ts'; export const TOOL = helpr;`, '"b.ts" exports nothing called "helpr".', 'Did you mean "helper"?'],
  [`import b from './b.ts'; export const TOOL = b;`, '"b.ts" has no default export.', 'Import a name in braces, or give "b.ts" an `export default`.'],
  [`import x from 'node:nope'; export const TOOL = x;`, 'Node has no module "node:nope".', 'Check the spelling; the names of Node’s own modules are in its documentation.'],
  [`import x from 'https://example.org/x.js'; export const TOOL = x;`, '"https://example.org/x.js" is an address on the network; extensions import files and installed packages only.', 'Install the package, or save the file beside the extension and import it from there.'],
  [`import x from './b.md'; export const TOOL = x;`, '"one/b.md" is not code or JSON and cannot be imported.', 'Read it at run time instead: `readFileSync(new URL("./name", import.meta.url))`.'],
])('says in plain words which import is wrong: %s', async (source, message, hint) => {
  const outcome = failed(await buildExtension({ 'extension.ts': source, 'b.ts': 'export const helper = 1', 'b.md': '#' }));
  expect(outcome.failure).toMatchObject({ code: 'import_unresolved', message, hint, line: 1, file: join(root, 'extensions/one/extension.ts') });
  expect(outcome.failure.column).toBeGreaterThan(1);
});

test('an entry that is no file, or is gone, is unreadable', async () => {
  await mkdir(join(root, 'extensions/one/extension.ts'), { recursive: true });
  expect(failed(await buildExtension({})).failure).toMatchObject({ code: 'unreadable', file: join(root, 'extensions/one/extension.ts') });
  const gone = failed(await buildExtension({}, 'gone.ts'));
  expect(gone.failure).toMatchObject({ code: 'unreadable', file: join(root, 'extensions/one/gone.ts') });
  expect(gone.missing).toContain(join(root, 'extensions/one/gone.ts'));
});

test('sources without bound are refused', async () => {
  const outcome = failed(await buildExtension({ 'extension.ts': `import a from './a.json'; export const TOOL = a;`, 'a.json': `"${'x'.repeat(SOURCE_BYTES_MOST)}"` }));
  expect(outcome.failure).toMatchObject({ code: 'unreadable', message: 'The sources of "one" are more than 10 MiB together; that is more than an extension may have.' });
});
