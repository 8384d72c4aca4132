import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { built, createBuildFolder, failed } from '#lib/testing/build-folder.ts';
import { SOURCE_BYTES_MOST } from './source-reader.ts';

let folder: Awaited<ReturnType<typeof createBuildFolder>>;
let root: string;

beforeEach(async () => {
  folder = await createBuildFolder();
  root = folder.root;
});

afterEach(() => folder.close());

test('a half-written file is a syntax error with a location, and the next save fixes it', async () => {
  const half = failed(await folder.buildExtension({ 'extension.ts': 'export const TOOL = {\n  name: "é", execute(' }));
  expect(half.failure).toMatchObject({
    code: 'syntax_error',
    file: join(root, 'extensions/one/extension.ts'),
    line: 2,
    column: 22,
    message: 'The file ends too early: something that was opened is not closed.',
  });
  expect(half.sources).toHaveProperty(['one/extension.ts']);
  const whole = built(await folder.buildExtension({ 'extension.ts': 'export const TOOL = {\n  name: "é", execute() {} }' }));
  expect(whole.artifact.contentHash).not.toBe(half.contentHash);
});

test('counts columns in characters, also in a file that uses import.meta', async () => {
  const outcome = failed(
    await folder.buildExtension({ 'extension.ts': 'const url = import.meta.url;\nconst é = "ü"; const a b;\nfunction open() {' }),
  );
  expect(outcome.failure).toMatchObject({ code: 'syntax_error', line: 2, column: 24 });
  const end = failed(await folder.buildExtension({ 'extension.ts': 'const url = import.meta.url;\nfunction open() {' }));
  expect(end.failure).toMatchObject({ code: 'syntax_error', line: 2, column: 18 });
});

test('distinguishes a types-only package and a path mapped in tsconfig.json from a missing package', async () => {
  const types = failed(
    await folder.buildExtension({
      'extension.ts': `import { x } from 'typed';\nexport const y = x;`,
      'node_modules/typed/package.json': '{"name":"typed","types":"index.d.ts"}',
      'node_modules/typed/index.d.ts': 'export declare const x: 1;',
    }),
  );
  expect(types.failure).toMatchObject({
    code: 'import_unresolved',
    message: 'The package "typed" is installed, but it has no code to import.',
  });
  expect(types.missing).not.toContain(join(root, 'extensions/one/node_modules/typed'));
  const mapped = failed(await folder.buildExtension({ 'extension.ts': `import { x } from '@/lib/x';\nexport const y = x;` }));
  expect(mapped.failure).toMatchObject({
    message: '"@/lib/x" is neither a package nor the path of a file.',
    hint: expect.stringContaining('"./lib/x.ts"'),
  });
});

test('lists every error, at most six, in the message', async () => {
  const lines = Array.from({ length: 9 }, (_, index) => `import x${index} from './gone-${index}.ts'; x${index};`);
  const { failure } = failed(await folder.buildExtension({ 'extension.ts': lines.join('\n') }));
  expect(failure.message.split('\n')).toHaveLength(7);
  expect(failure.message).toContain('Also, one/extension.ts:2:16: The file "./gone-1.ts" does not exist');
  expect(failure.message).toContain('And 3 more.');
});

test('a missing file is import_unresolved at the import, with the closest name', async () => {
  const outcome = failed(
    await folder.buildExtension({
      'extension.ts': `import { a } from './helprs.js';\nexport const TOOL = a;`,
      'helpers.ts': 'export const a = 1',
    }),
  );
  expect(outcome.failure).toMatchObject({
    code: 'import_unresolved',
    line: 1,
    column: 19,
    message: 'The file "./helprs.js" does not exist (resolved to one/helprs.js).',
    hint: 'Did you mean "./helpers.ts"?',
  });
  expect(outcome.missing).toEqual(
    expect.arrayContaining([
      join(root, 'extensions/one/helprs.js'),
      join(root, 'extensions/one/helprs.ts'),
      join(root, 'extensions/one/helprs.js/index.ts'),
    ]),
  );
});

test('a missing package is import_unresolved, and every folder it can be installed in is watched', async () => {
  const outcome = failed(
    await folder.buildExtension({
      'extension.ts': `import { a } from './deep/b.ts';\nexport const TOOL = a;`,
      'deep/b.ts': `\nexport { a } from '@scope/pack/part';`,
    }),
  );
  expect(outcome.failure).toMatchObject({
    code: 'import_unresolved',
    file: join(root, 'extensions/one/deep/b.ts'),
    line: 2,
    column: 19,
    message: 'The package "@scope/pack" is not installed where this file can reach it.',
  });
  expect(outcome.missing).toEqual(
    expect.arrayContaining([join(root, 'extensions/one/deep/node_modules/@scope/pack'), join(root, 'node_modules/@scope/pack')]),
  );
});

test.each([
  [
    `import { nope } from './b.ts'; export const TOOL = nope;`,
    '"b.ts" exports nothing called "nope".',
    'Check the spelling, or add `export` to "nope" in "b.ts".',
  ],
  [`import { helpr } from './b.ts'; export const TOOL = helpr;`, '"b.ts" exports nothing called "helpr".', 'Did you mean "helper"?'],
  [
    `import b from './b.ts'; export const TOOL = b;`,
    '"b.ts" has no default export.',
    'Import a name in braces, or give "b.ts" an `export default`.',
  ],
  [
    `import x from 'node:nope'; export const TOOL = x;`,
    'Node has no module "node:nope".',
    'Check the spelling; the names of Node’s own modules are in its documentation.',
  ],
  [
    `import x from 'https://example.org/x.js'; export const TOOL = x;`,
    '"https://example.org/x.js" is an address on the network; extensions import files and installed packages only.',
    'Install the package, or save the file beside the extension and import it from there.',
  ],
  [
    `import x from './b.md'; export const TOOL = x;`,
    '"one/b.md" is not code or JSON and cannot be imported.',
    'Read it at run time instead: `readFileSync(new URL("./name", import.meta.url))`.',
  ],
])('reports which import is wrong, and why: %s', async (source, message, hint) => {
  const outcome = failed(await folder.buildExtension({ 'extension.ts': source, 'b.ts': 'export const helper = 1', 'b.md': '#' }));
  expect(outcome.failure).toMatchObject({
    code: 'import_unresolved',
    message,
    hint,
    line: 1,
    file: join(root, 'extensions/one/extension.ts'),
  });
  expect(outcome.failure.column).toBeGreaterThan(1);
});

test('an entry that is not a file, or was removed, is unreadable', async () => {
  await mkdir(join(root, 'extensions/one/extension.ts'), { recursive: true });
  expect(failed(await folder.buildExtension({})).failure).toMatchObject({
    code: 'unreadable',
    file: join(root, 'extensions/one/extension.ts'),
  });
  const gone = failed(await folder.buildExtension({}, 'gone.ts'));
  expect(gone.failure).toMatchObject({ code: 'unreadable', file: join(root, 'extensions/one/gone.ts') });
  expect(gone.missing).toContain(join(root, 'extensions/one/gone.ts'));
});

test('reports a symbolic link loop, and a URL that is not a local file', async () => {
  await mkdir(join(root, 'extensions/one'), { recursive: true });
  await symlink('loop.ts', join(root, 'extensions/one/loop.ts'));
  const loop = failed(await folder.buildExtension({ 'extension.ts': `import './loop.ts'; export const TOOL = 1;` }));
  expect(loop.failure).toMatchObject({ code: 'unreadable', file: join(root, 'extensions/one/loop.ts') });
  const address = failed(await folder.buildExtension({ 'extension.ts': `import 'file://elsewhere/x.ts'; export const TOOL = 1;` }));
  expect(address.failure).toMatchObject({
    code: 'import_unresolved',
    line: 1,
    column: 8,
    message: '"file://elsewhere/x.ts" is not the address of a file on this machine.',
  });
});

test('a byte order mark does not count as a column', async () => {
  const outcome = failed(await folder.buildExtension({ 'extension.ts': '\ufeffconst a b' }));
  expect(outcome.failure).toMatchObject({ code: 'syntax_error', line: 1, column: 9 });
});

test('refuses sources that are too large', async () => {
  const outcome = failed(
    await folder.buildExtension({
      'extension.ts': `import a from './a.json'; export const TOOL = a;`,
      'a.json': `"${'x'.repeat(SOURCE_BYTES_MOST)}"`,
    }),
  );
  expect(outcome.failure).toMatchObject({
    code: 'unreadable',
    message: 'The sources of "one" are more than 10 MiB in total; an extension cannot have more.',
  });
});
