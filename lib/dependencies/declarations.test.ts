import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DependencySources, ReadDeclaration, ReadFile } from './declaration.ts';
import { readNodeDeclaration } from './node-declaration.ts';
import { readPythonDeclaration } from './python-declaration.ts';

const FOLDER = '/x';

function reader(files: Readonly<Record<string, string>>): ReadFile {
  return async (file) => {
    const text = files[path.relative(FOLDER, file)];
    return text === undefined
      ? { ok: false, reason: 'absent', message: `${file} no longer exists.` }
      : { ok: true, bytes: Buffer.from(text) };
  };
}
const python = (files: Readonly<Record<string, string>>, sources: DependencySources = 'index'): Promise<ReadDeclaration> =>
  readPythonDeclaration('/x/extension.py', FOLDER, reader({ 'extension.py': '', ...files }), sources);
const node = (manifest: unknown, lock?: unknown, sources: DependencySources = 'index'): Promise<ReadDeclaration> =>
  readNodeDeclaration(
    FOLDER,
    reader({ 'package.json': JSON.stringify(manifest), ...(lock === undefined ? {} : { 'package-lock.json': JSON.stringify(lock) }) }),
    sources,
  );

describe('a Python declaration', () => {
  it('is read from the script block first, then requirements.txt, then pyproject.toml', async () => {
    const files = {
      'extension.py': 'import os\n\n# /// script\n# requires-python = ">=3.11"\n# dependencies = [\n#   "requests<3",\n# ]\n# ///\n',
      'requirements.txt': 'flask==3.0 # web\n\nrich[jupyter] >= 13 ; python_version >= "3.9"\n',
      'pyproject.toml': '[project]\nname = "x"\ndependencies = ["httpx"]\n',
    };
    expect(await python(files)).toMatchObject({
      declaration: { file: '/x/extension.py', line: 3, requiresPython: '>=3.11', requirements: [{ name: 'requests', text: 'requests<3' }] },
    });
    expect(await python({ ...files, 'extension.py': '' })).toMatchObject({
      declaration: { file: '/x/requirements.txt', requirements: [{ name: 'flask', text: 'flask==3.0' }, { name: 'rich' }], locked: null },
    });
    expect(await python({ 'pyproject.toml': files['pyproject.toml'] })).toMatchObject({
      declaration: { file: '/x/pyproject.toml', requirements: [{ name: 'httpx' }] },
      missing: ['/x/requirements.txt'],
    });
    expect(await python({})).toEqual({ ok: true, declaration: null, missing: ['/x/requirements.txt', '/x/pyproject.toml'] });
    expect(await python({ 'pyproject.toml': '[tool.ruff]\n' })).toMatchObject({ ok: true, declaration: null });
  });

  it('includes files in its folder, joins continued lines and preserves hashes', async () => {
    const hash = `--hash=sha256:${'a'.repeat(64)}`;
    const read = await python({
      'requirements.txt': `-r more.txt\n-c limits.txt\nflask==3.0 \\\n    ${hash}\n`,
      'more.txt': 'httpx==1.0\n',
      'limits.txt': 'idna<4\n',
    });
    expect(read).toMatchObject({
      declaration: {
        files: { 'requirements.txt': `flask==3.0 ${hash}\nhttpx==1.0\n`, 'constraints.txt': 'idna<4\n' },
        locked: [
          { name: 'flask', version: '3.0' },
          { name: 'httpx', version: '1.0' },
        ],
      },
    });
  });

  it.each(['utf16le', 'utf16be', 'utf8'] as const)('reads requirements in %s with a byte order mark', async (encoding) => {
    const text = Buffer.from('\uFEFFflask==3.0\r\nrich\r\n', encoding === 'utf8' ? 'utf8' : 'utf16le');
    const bytes = encoding === 'utf16be' ? text.swap16() : text;
    const read: ReadFile = async (file) =>
      file === '/x/requirements.txt' ? { ok: true, bytes } : { ok: false, reason: 'absent', message: `${file} no longer exists.` };
    expect(await readPythonDeclaration('/x/extension.py', FOLDER, read, 'index')).toMatchObject({
      declaration: { requirements: [{ text: 'flask==3.0' }, { text: 'rich' }] },
    });
  });

  it.each([
    ['--extra-index-url https://elsewhere.example', 1],
    ['ok\n-e .', 2],
    ['git+https://elsewhere.example/x', 1],
    ['./local.whl', 1],
    ['-r ../../etc/passwd', 1],
    ['a @ https://elsewhere.example/a.whl', 1],
    ['ok\n\na b c', 3],
    ['a --global-option=x', 1],
    ['a; rm -rf "$HOME`', 1],
    ['a>=1 --hash=md5:00', 1],
    ['-r absent.txt', 1],
  ])('refuses %j', async (text, line) => {
    expect(await python({ 'requirements.txt': text })).toMatchObject({
      ok: false,
      failure: { code: 'dependencies_failed', file: '/x/requirements.txt', line },
    });
  });

  it('accepts URLs when the server allows them, and never an option', async () => {
    expect(await python({ 'requirements.txt': 'a @ https://elsewhere.example/a.whl' }, 'any')).toMatchObject({ ok: true });
    expect(await python({ 'requirements.txt': '--index-url https://elsewhere.example' }, 'any')).toMatchObject({ ok: false });
  });

  it('locates errors in TOML', async () => {
    expect(await python({ 'pyproject.toml': '[project]\ndependencies = [\n' })).toMatchObject({
      failure: { code: 'syntax_error', file: '/x/pyproject.toml' },
    });
    expect(await python({ 'extension.py': '\n# /// script\n# dependencies = 3\n# ///\n' })).toMatchObject({
      failure: { code: 'dependencies_failed', line: 2 },
    });
    expect(await python({ 'extension.py': '# /// script\n# requires-python = "3.11 please"\n# ///\n' })).toMatchObject({
      failure: { code: 'dependencies_failed', line: 1 },
    });
  });
});

describe('a Node declaration', () => {
  it('passes only the dependencies to npm, without scripts', async () => {
    const manifest = {
      name: 'x',
      scripts: { preinstall: 'evil' },
      devDependencies: { vitest: '1' },
      dependencies: { '@scope/a': '^1.0.0', own: 'workspace:*', b: 'npm:c@2.x || >=3' },
      optionalDependencies: { d: 'latest' },
      overrides: { e: '1.0.0' },
    };
    const read = await node(manifest);
    expect(read).toMatchObject({
      declaration: { requirements: [{ name: '@scope/a' }, { name: 'b' }, { name: 'd', text: 'd@latest' }], locked: null },
    });
    const files = read.ok ? read.declaration?.files : {};
    expect(JSON.parse(files?.['package.json'] ?? '')).toEqual({
      private: true,
      dependencies: { '@scope/a': '^1.0.0', b: 'npm:c@2.x || >=3' },
      optionalDependencies: { d: 'latest' },
      overrides: { e: '1.0.0' },
    });
    expect(await node({ type: 'module', devDependencies: { a: '1' } })).toMatchObject({ ok: true, declaration: null });
  });

  it('uses the packages in its folder, also if optional ones are not for this system', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'declaration-'));
    const manifest = { dependencies: { a: '^1.0.0' }, optionalDependencies: { elsewhere: '1.0.0', here: '^2.0.0' } };
    const declared = async (): Promise<unknown> => {
      const read: ReadFile = async (file) =>
        file === path.join(folder, 'package.json')
          ? { ok: true, bytes: Buffer.from(JSON.stringify(manifest)) }
          : { ok: false, reason: 'absent', message: `${file} no longer exists.` };
      return readNodeDeclaration(folder, read, 'index');
    };
    const install = (name: string, version: string): void => {
      mkdirSync(path.join(folder, 'node_modules', name), { recursive: true });
      writeFileSync(path.join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ name, version }));
    };
    try {
      expect(await declared()).toMatchObject({ declaration: { own: null } });
      install('a', '1.2.0');
      expect(await declared()).toMatchObject({ declaration: { own: folder } });
      install('here', '1.0.0');
      expect(await declared()).toMatchObject({ declaration: { own: null } });
      install('here', '2.1.0');
      expect(await declared()).toMatchObject({ declaration: { own: folder } });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reads the versions of a lock file', async () => {
    const integrity = 'sha512-x';
    const lock = {
      lockfileVersion: 3,
      packages: {
        '': {},
        'node_modules/a': { version: '1.0.0', resolved: 'https://registry.example/a.tgz', integrity },
        'node_modules/a/node_modules/@s/b': { version: '2.0.0', integrity },
        'node_modules/t': { version: '1.0.0', dev: true },
        'node_modules/here': { version: '1.0.0', integrity, optional: true, os: [process.platform], cpu: process.arch },
        'node_modules/elsewhere': { version: '1.0.0', integrity, optional: true, os: ['plan9'] },
        'node_modules/not-here': { version: '1.0.0', integrity, optional: true, os: [`!${process.platform}`] },
      },
    };
    expect(await node({ dependencies: { a: '1' } }, lock)).toMatchObject({
      declaration: {
        locked: [
          { name: 'a', version: '1.0.0' },
          { name: '@s/b', version: '2.0.0' },
          { name: 'here', version: '1.0.0' },
        ],
      },
    });
  });

  it.each([
    [{ dependencies: { a: 'git+ssh://elsewhere.example/a' } }],
    [{ dependencies: { a: 'owner/repository' } }],
    [{ dependencies: { a: 'file:../a' } }],
    [{ dependencies: { a: 'https://elsewhere.example/a.tgz' } }],
    [{ dependencies: { '--registry=x': '1' } }],
    [{ dependencies: { '../a': '1' } }],
    [{ dependencies: ['a'] }],
    [{ dependencies: { a: '1' }, overrides: { b: { c: 'git+ssh://elsewhere.example/c' } } }],
  ])('refuses %j', async (manifest) => {
    expect(await node(manifest)).toMatchObject({ ok: false, failure: { code: 'dependencies_failed', file: '/x/package.json' } });
  });

  it.each([
    [{ version: '1.0.0', resolved: 'git+ssh://elsewhere.example/a', integrity: 'sha512-x' }],
    [{ version: '1.0.0', resolved: 'https://registry.example/a.tgz' }],
    [{ link: true, resolved: '../a' }],
  ])('refuses the locked entry %j', async (entry) => {
    const lock = { lockfileVersion: 3, packages: { 'node_modules/a': entry } };
    expect(await node({ dependencies: { a: '1' } }, lock)).toMatchObject({
      ok: false,
      failure: { code: 'dependencies_failed', file: '/x/package-lock.json' },
    });
  });
});
