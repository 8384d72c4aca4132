import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from './command-for-tests.ts';
import { testCommand } from './test.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'switchboard test é '));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
const test = (...args: string[]) => runCommand(testCommand, args, { cwd: folder });

const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ToolError } from 'switchboard';
import { loadExtension } from 'switchboard/testing';
test('adds, as the server runs it', async () => {
  await using sums = await loadExtension(import.meta.dirname);
  assert.equal(await sums.call('add', { a: 1 }), 3);
  assert.equal(new ToolError('no').kind, 'execution_error');
});
`;
const SUMS = `import { ToolError } from 'switchboard';
export const TOOL = { label: 'sums', name: 'add', description: 'Adds two numbers.',
  parameters: { a: { type: 'number', required: true }, b: { type: 'number', default: 2 } },
  execute({ a, b }) { if (a < 0) throw new ToolError('a is below 0.'); return a + b; } };
`;

describe('switchboard test', () => {
  it('passes the tests of all shipped extensions, in every language', async () => {
    const { code, stdout, stderr } = await runCommand(testCommand, [], { cwd: path.resolve(import.meta.dirname, '../..') });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^extensions {2}node\n/);
    expect(stdout).toContain('evaluate or refuse any expression, and never fail otherwise');
    expect(stdout).toContain('finds a stored entity again');
    expect(stdout).toMatch(/\nextensions\/tables {2}python\n(.+ok\n)+/);
  });

  it('resolves the imports of tests, in any folder of extensions', async () => {
    await write({ 'extensions/sums/extension.ts': SUMS, 'extensions/sums/sums.test.ts': TEST });
    expect(await test()).toMatchObject({ code: 0, stdout: expect.stringContaining('✔ adds, as the server runs it') });
    expect(await test('extensions/sums/sums.test.ts')).toMatchObject({ code: 0 });
  });

  it('runs modules in a folder whose package.json says "type": "commonjs", as npm init writes', async () => {
    await write({
      'package.json': '{"type": "commonjs"}',
      'extensions/sums/extension.ts': SUMS,
      'extensions/sums/sums.test.ts': `${TEST}import { three } from './three.js';\ntest('is three', () => assert.equal(three, 3));\n`,
      'extensions/sums/three.js': 'export const three = 3;\n',
      'extensions/sums/old.test.js':
        "const { test } = require('node:test');\n// import nothing\ntest('is CommonJS', () => { module.exports = 1; });\n",
    });
    const { code, stdout } = await test();
    expect(stdout).toContain('✔ adds, as the server runs it');
    expect(stdout).toContain('✔ is three');
    expect(stdout).toContain('✔ is CommonJS');
    expect(code).toBe(0);
  });

  it('exits with 1 when a test fails in either language, and prints the reason', async () => {
    await write({
      'sums/extension.ts': SUMS.replace('a + b', 'a - b'),
      'sums/sums.test.ts': TEST,
      'lists/extension.py': 'TOOLS = []\n',
      'lists/test_lists.py':
        'import unittest\nfrom .extension import TOOLS\n\nclass Lists(unittest.TestCase):\n    def test_none(self):\n        self.assertEqual(len(TOOLS), 1)\n',
      'broken/test_import.py': 'from .absent import nothing\n',
    });
    const { code, stdout } = await test('.');
    expect(code).toBe(1);
    expect(stdout).toContain('-1 !== 3');
    expect(stdout).toContain('AssertionError: 0 != 1');
    expect(stdout).toMatch(/No module named '[\w.]*absent'/);
  });

  it('reports a Python file without tests', async () => {
    await write({ 'a/test_nothing.py': 'x = 1\n' });
    expect(await test('.')).toMatchObject({ code: 1, stdout: expect.stringContaining('These files hold no test') });
  });

  it('finds the Python of the extension, and reports a missing one', async () => {
    await write({ 'a/test_a.py': '' });
    const ran = await runCommand(testCommand, ['.'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], PYTHON: 'python-that-is-not-there' },
    });
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('no program called "python-that-is-not-there"') });
  });

  it('skips files that import vitest, and exits with 3 when none is left', async () => {
    await write({ 'a/a.test.ts': "import { it } from 'vitest';\n", 'a/node_modules/b/b.test.js': '' });
    const { code, stderr } = await test('a');
    expect(code).toBe(3);
    expect(stderr).toContain('Skipped, because they import Vitest: a/a.test.ts');
    expect(stderr).toContain('No tests in “a”');
    expect((await test('absent')).code).toBe(3);
    expect((await test('a', 'b')).code).toBe(2);
  });

  it('does not load a test beside an extension, or reload because of it', async () => {
    const { startHost } = await import('#lib/testing/living-host.ts');
    await cp(path.resolve(import.meta.dirname, '../../extensions/tools'), path.join(folder, 'tools'), { recursive: true });
    const living = await startHost({ 'sums/extension.js': SUMS });
    try {
      const revision = living.extension('sums')?.revision;
      await living.save({
        'sums/sums.test.ts': TEST,
        'sums/test_sums.py': 'import unittest\n',
        'tools/one.py': 'def run() -> int:\n    """One."""\n    return 1\n',
        'tools/one.test.ts': TEST,
        'tools/test_one.py': 'import unittest\n',
      });
      await living.host.extensions.reload(null, { name: null });
      expect(living.host.extensions.list().extensions.map(({ id, state }) => [id, state])).toEqual([
        ['sums', 'ready'],
        ['tools/one', 'ready'],
      ]);
      expect(living.extension('sums')?.revision).toBe(revision);
    } finally {
      await living.remove();
    }
  });
});
