import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ok } from '#lib/contract/result.ts';
import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import { createSourceFiles } from './source-files.ts';

let root: string;
let extensionsDir: string;
let looks: SnapshotCause[];
const ada = { name: 'Ada' };

const sources = (readOnly = false, beforeWrite: () => Promise<void> = async () => undefined) =>
  createSourceFiles({
    extensionsDir,
    readOnly,
    async save(write, cause) {
      await beforeWrite();
      const written = await write();
      if (!written.ok) return written;
      looks.push(cause);
      return ok(['weather']);
    },
    expect: () => undefined,
  });

async function codeOf(asked: Promise<{ ok: true } | { ok: false; problem: { code: string } }>): Promise<string> {
  const result = await asked;
  return result.ok ? 'ok' : result.problem.code;
}

async function hashOf(file: string): Promise<string> {
  const result = await sources().read(file);
  if (!result.ok) throw new Error(result.problem.detail);
  return result.value.hash;
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sources-'));
  extensionsDir = join(root, 'extensions');
  looks = [];
  await mkdir(join(extensionsDir, 'weather/node_modules/x'), { recursive: true });
  await mkdir(join(root, 'outside'));
  await writeFile(join(extensionsDir, 'weather/extension.ts'), 'export {};\n');
  await writeFile(join(extensionsDir, 'weather/.env'), 'SECRET=1');
  await writeFile(join(extensionsDir, 'weather/node_modules/x/index.js'), '');
  await writeFile(join(extensionsDir, 'weather/picture.png'), Buffer.from([137, 80, 0, 71]));
  await writeFile(join(extensionsDir, 'weather/latin.txt'), Buffer.from([0x66, 0xfc]));
  await writeFile(join(root, 'outside/secret.txt'), 'secret');
  await symlink(join(root, 'outside'), join(extensionsDir, 'weather/out'));
  await symlink(join(root, 'outside/secret.txt'), join(extensionsDir, 'weather/link.txt'));
});

afterEach(() => rm(root, { recursive: true }));

describe('files of the extensions folder', () => {
  it.each(['write', 'remove'] as const)('are not overwritten or removed when they change while a %s is queued', async (how) => {
    const file = 'weather/extension.ts';
    const hash = await hashOf(file);
    const changing = sources(false, () => writeFile(join(extensionsDir, file), 'export const a = 1;\n'));
    const asked =
      how === 'write'
        ? changing.write(file, { text: 'export const b = 2;\n', expected_hash: hash }, ada)
        : changing.remove(file, hash, ada);
    expect(await asked).toMatchObject({ ok: false, problem: { code: 'source_changed' } });
    expect(await readFile(join(extensionsDir, file), 'utf8')).toBe('export const a = 1;\n');
  });

  it('are listed without hidden files, third-party files and links', async () => {
    const tree = await sources().tree();
    expect(tree.ok && tree.value.files.map((file) => file.path)).toEqual([
      'weather/extension.ts',
      'weather/latin.txt',
      'weather/picture.png',
    ]);
  });

  it('are distinguished when too large and when unreadable', async () => {
    await writeFile(join(extensionsDir, 'weather/large.ts'), ' '.repeat(600_000));
    expect(await codeOf(sources().read('weather/large.ts'))).toBe('source_too_large');
    // The temporary folder of all tests is accessible only to its user.
    for (const folder of [dirname(root), root]) await chmod(folder, 0o711);
    await chmod(join(extensionsDir, 'weather/extension.ts'), 0);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.('nobody');
    const read = await codeOf(sources().read('weather/extension.ts')).finally(() => isRoot && process.seteuid?.(0));
    expect(read).toBe('source_unreadable');
  });

  it('are read with a hash', async () => {
    const file = await sources().read('weather/extension.ts');
    expect(file).toMatchObject({ ok: true, value: { text: 'export {};\n', path: 'weather/extension.ts' } });
    expect(await codeOf(sources().read('weather/nothing.ts'))).toBe('source_not_found');
    expect(await codeOf(sources().read('weather/picture.png'))).toBe('source_not_text');
    expect(await codeOf(sources().read('weather/latin.txt'))).toBe('source_not_text');
    expect(await sources().read('weather/latin.txt')).toMatchObject({
      problem: { detail: expect.stringContaining('byte 1 (0xFC), at line 1, column 2') },
    });
  });

  it.each(['a\r\nb\r\n', 'a\rb\r', 'a\r\nb\nc\r', '\uFEFFa\r\n'])(
    'preserve their line ends and their byte order mark: %j',
    async (text) => {
      await writeFile(join(extensionsDir, 'weather/ends.ts'), text);
      const read = await sources().read('weather/ends.ts');
      expect(read).toMatchObject({ ok: true, value: { text } });
      await sources().write('weather/ends.ts', { text: `${text}c`, expected_hash: await hashOf('weather/ends.ts') }, ada);
      expect(await readFile(join(extensionsDir, 'weather/ends.ts'), 'utf8')).toBe(`${text}c`);
    },
  );

  it.each([
    '../outside/secret.txt',
    'weather/../../outside/secret.txt',
    '/etc/passwd',
    '//etc/passwd',
    'weather//extension.ts',
    'weather/./extension.ts',
    './weather/extension.ts',
    'weather\\extension.ts',
    'weather/extension.ts\u0000.txt',
    'weather/extension.ts\n',
    '.env',
    'weather/.env',
    '.git/config',
    'weather/node_modules/x/index.js',
    'weather/__pycache__/a.py',
    'weather/out/secret.txt',
    'weather/link.txt',
    'weather',
    '',
    ' ',
    `weather/${'a'.repeat(500)}`,
  ])('cannot be outside the folder, or hidden: %j', async (file) => {
    expect(await codeOf(sources().read(file))).toBe('source_path_invalid');
    expect(await codeOf(sources().write(file, { text: 'x', expected_hash: null }, ada))).toBe('source_path_invalid');
    expect(await readFile(join(root, 'outside/secret.txt'), 'utf8')).toBe('secret');
    expect(looks).toEqual([]);
  });
});

it.each([
  ['/etc/passwd', 'it is absolute'],
  ['../outside/secret.txt', '“..” leads out of a folder'],
  ['weather//x.ts', 'a name in it is empty'],
  ['weather/ x.ts', 'the name “ x.ts” begins or ends with a blank'],
  ['weather\\x.ts', 'it has a backslash'],
  ['weather/x\0.ts', 'it has a control character'],
  ['weather/.env', 'the name “.env” begins with a dot, so it is hidden'],
  ['weather/node_modules/x.js', 'files in node_modules are not extension source'],
  [`weather/${'a'.repeat(201)}`, 'a name in it has more than 200 characters'],
])('an invalid path is refused with the reason: %j', async (file, fault) => {
  expect(await sources().read(file)).toMatchObject({
    ok: false,
    problem: { code: 'source_path_invalid', detail: expect.stringContaining(` is not a valid source path: ${fault}. `) },
  });
});

describe('a change of a file', () => {
  it('is written completely, loaded immediately, and records its author', async () => {
    const changed = await sources().write(
      'weather/extension.ts',
      { text: 'new', expected_hash: await hashOf('weather/extension.ts') },
      ada,
    );
    expect(changed).toMatchObject({ ok: true, value: { path: 'weather/extension.ts', changed: ['weather'] } });
    expect(await readFile(join(extensionsDir, 'weather/extension.ts'), 'utf8')).toBe('new');
    expect(looks).toEqual([{ kind: 'edit', actor: 'Ada', files: ['weather/extension.ts'] }]);
    expect((await readdir(join(extensionsDir, 'weather'))).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('preserves the permissions of the file, even those that new files do not get', async () => {
    const file = join(extensionsDir, 'weather/extension.ts');
    await chmod(file, 0o666);
    const change = { text: 'new', expected_hash: await hashOf('weather/extension.ts') };
    expect(await codeOf(sources().write('weather/extension.ts', change, ada))).toBe('ok');
    expect((await stat(file)).mode & 0o777).toBe(0o666);
  });

  it('makes a script executable, which nobody can do in the browser', async () => {
    const file = join(extensionsDir, 'server/run.sh');
    const isExecutable = async (): Promise<boolean> => ((await stat(file)).mode & 0o100) !== 0;
    expect(await codeOf(sources().write('server/run.sh', { text: '', expected_hash: null }, ada))).toBe('ok');
    expect(await isExecutable()).toBe(false);
    const change = { text: '#!/bin/sh', expected_hash: await hashOf('server/run.sh') };
    expect(await codeOf(sources().write('server/run.sh', change, ada))).toBe('ok');
    expect(await isExecutable()).toBe(true);
  });

  it('creates folders for a new file', async () => {
    expect(await codeOf(sources().write('tools/lib/new.ts', { text: 'x', expected_hash: null }, ada))).toBe('ok');
    expect(await readFile(join(extensionsDir, 'tools/lib/new.ts'), 'utf8')).toBe('x');
  });

  it('never overwrites a save of another person', async () => {
    const hash = await hashOf('weather/extension.ts');
    await writeFile(join(extensionsDir, 'weather/extension.ts'), 'theirs');
    expect(await codeOf(sources().write('weather/extension.ts', { text: 'mine', expected_hash: hash }, ada))).toBe('source_changed');
    expect(await codeOf(sources().write('weather/extension.ts', { text: 'mine', expected_hash: null }, ada))).toBe('source_changed');
    expect(await codeOf(sources().write('weather/gone.ts', { text: 'mine', expected_hash: hash }, ada))).toBe('source_changed');
    expect(await sources().remove('weather/extension.ts', hash, ada)).toMatchObject({
      problem: {
        code: 'source_changed',
        detail: expect.stringContaining('weather/extension.ts was not removed: it was changed since it was read.'),
      },
    });
    expect(await readFile(join(extensionsDir, 'weather/extension.ts'), 'utf8')).toBe('theirs');
  });

  it('is accepted once when two people save at the same time, and the other save is refused', async () => {
    const files = sources();
    const expected_hash = await hashOf('weather/extension.ts');
    const both = await Promise.all(
      ['first', 'second'].map((text) => codeOf(files.write('weather/extension.ts', { text, expected_hash }, ada))),
    );
    expect(both).toEqual(['ok', 'source_changed']);
  });

  it('is refused when it is too large, or when editing is off', async () => {
    expect(await codeOf(sources().write('weather/a.ts', { text: 'é'.repeat(300_000), expected_hash: null }, ada))).toBe('source_too_large');
    expect(await codeOf(sources(true).write('weather/a.ts', { text: '', expected_hash: null }, ada))).toBe('source_read_only');
    expect(await codeOf(sources(true).remove('weather/extension.ts', await hashOf('weather/extension.ts'), ada))).toBe('source_read_only');
  });

  it('can be its removal', async () => {
    expect(await codeOf(sources().remove('weather/extension.ts', await hashOf('weather/extension.ts'), ada))).toBe('ok');
    expect(await codeOf(sources().read('weather/extension.ts'))).toBe('source_not_found');
  });
});

describe('several changes at once', () => {
  it('are one edit', async () => {
    const hash = await hashOf('weather/extension.ts');
    const changes = [
      { path: 'weather/new/helper.ts', text: 'helper', expected_hash: null },
      { path: 'weather/extension.ts', text: null, expected_hash: hash },
    ];
    expect(await sources().writeAll(changes, ada)).toEqual({ ok: true, value: ['weather'] });
    expect(looks).toEqual([{ kind: 'edit', actor: 'Ada', files: ['weather/new/helper.ts', 'weather/extension.ts'] }]);
    expect(await readFile(join(extensionsDir, 'weather/new/helper.ts'), 'utf8')).toBe('helper');
    expect(await codeOf(sources().read('weather/extension.ts'))).toBe('source_not_found');
  });

  it('are all refused when one file changed, cannot be written, or editing is off', async () => {
    const expected_hash = await hashOf('weather/extension.ts');
    const first = { path: 'weather/extension.ts', text: 'new', expected_hash };
    const after = async (path: string, hash: string | null): Promise<string> =>
      codeOf(sources().writeAll([first, { path, text: 'x', expected_hash: hash }], ada));
    expect(await after('weather/latin.txt', null)).toBe('source_not_text');
    expect(await after('weather/gone.ts', expected_hash)).toBe('source_changed');
    expect(await after('../outside/secret.txt', null)).toBe('source_path_invalid');
    expect(await codeOf(sources(true).writeAll([first], ada))).toBe('source_read_only');
    // A folder occupies the path of the second one.
    const under = { path: 'weather/new/x.ts', text: 'x', expected_hash: null };
    await expect(sources().writeAll([first, { ...under, path: 'weather/new' }, under], ada)).rejects.toThrow('EISDIR');
    expect(await readFile(join(extensionsDir, 'weather/extension.ts'), 'utf8')).toBe('export {};\n');
    expect((await readdir(join(extensionsDir, 'weather'))).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(looks).toEqual([]);
  });
});

describe('a new extension', () => {
  it('is created in a working state, and loaded immediately', async () => {
    const made = await sources().begin({ kind: 'mcp', name: 'library', language: 'python' }, ada);
    expect(made).toEqual({ ok: true, value: { id: 'library', files: ['library/server.py', 'library/mcp.json'] } });
    expect(await readdir(join(extensionsDir, 'library'))).toEqual(['mcp.json', 'server.py']);
    expect(looks).toEqual([{ kind: 'edit', actor: 'Ada', files: ['library/server.py', 'library/mcp.json'] }]);
  });

  it('refuses a name that is in use, reserved or invalid', async () => {
    const begin = (kind: 'tool' | 'tools' | 'channel', name: string, readOnly = false) =>
      codeOf(sources(readOnly).begin({ kind, name, language: 'typescript' }, ada));
    expect(await begin('tools', 'weather')).toBe('state_conflict');
    await begin('tool', 'count');
    expect(await codeOf(sources().begin({ kind: 'tool', name: 'count', language: 'python' }, ada))).toBe('state_conflict');
    expect(await begin('tools', 'tools')).toBe('body_fields_invalid');
    expect(await begin('channel', 'web')).toBe('body_fields_invalid');
    expect(await begin('tools', '../out')).toBe('body_fields_invalid');
    expect(await begin('tools', 'mine', true)).toBe('source_read_only');
  });
});
