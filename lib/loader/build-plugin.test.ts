import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { built, createBuildFolder, failed } from '#lib/testing/build-folder.ts';

let folder: Awaited<ReturnType<typeof createBuildFolder>>;

beforeEach(async () => {
  folder = await createBuildFolder();
});

afterEach(() => folder.close());

const REST = 'export const TOOL = 1;';

test('a missing file is import_unresolved even when the import is unused', async () => {
  const files = {
    'extension.ts': `// a is not used yet\n/* é */ import { a } from './helprs.ts';\n${REST}`,
    'helpers.ts': 'export const a = 1;',
  };
  const outcome = failed(await folder.buildExtension(files));
  expect(outcome.failure).toMatchObject({
    code: 'import_unresolved',
    line: 2,
    column: 27,
    message: 'The file "./helprs.ts" does not exist (resolved to one/helprs.ts).',
    hint: 'Did you mean "./helpers.ts"?',
  });
  expect(outcome.missing).toContain(join(folder.root, 'extensions/one/helprs.ts'));
});

test.each([
  ['a default', `import gone from 'no-such-package';`],
  ['a namespace', `import * as gone from 'no-such-package';`],
  ['what only a text names', `import { rooms } from 'no-such-package';\nexport const about = 'Lists the rooms.';`],
  ['one of several imports', `import { join as gone } from 'node:path';\nimport { here, type There } from 'no-such-package';`],
])('a missing package is import_unresolved even when nothing uses %s of it', async (_what, line) => {
  const { failure } = failed(await folder.buildExtension({ 'extension.ts': `import './helper.ts';\n${REST}`, 'helper.ts': line }));
  expect(failure).toMatchObject({ code: 'import_unresolved', file: join(folder.root, 'extensions/one/helper.ts') });
  expect(failure.message).toContain('The package "no-such-package" is not installed');
});

test('reports an unused import of a URL like a used one', async () => {
  const { failure } = failed(await folder.buildExtension({ 'extension.ts': `import a from 'https://example.org/a.js';\n${REST}` }));
  expect(failure).toMatchObject({ code: 'import_unresolved', line: 1, column: 15 });
  expect(failure.message).toContain('is an address on the network');
});

test.each([
  ['types by their word', `import type { A } from './gone.ts'; import { type B } from 'no-such-package';`],
  ['what only types use', `import { A } from './gone.ts'; import { B } from 'no-such-package'; export let x: A | B;`],
  ['what is there', `import { A } from './types.ts'; import { Tool } from 'switchboard'; import fs from 'node:fs';`],
])('accepts %s', async (_what, line) => {
  const files = { 'extension.ts': `${line}\n${REST}`, 'types.ts': 'export interface A { a: 1 }' };
  expect(built(await folder.buildExtension(files)).inputs).not.toEqual([]);
});
