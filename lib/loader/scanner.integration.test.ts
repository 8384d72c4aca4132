import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scanExtensions } from './scanner.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'scan-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(...files: string[]): Promise<void> {
  for (const file of files) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), '');
  }
}

async function ids(): Promise<string[]> {
  return (await scanExtensions(folder)).candidates.map((candidate) => candidate.id).sort();
}

async function failures(): Promise<Record<string, { code: string; message: string; hint: string | undefined; file: string }>> {
  const { failed } = await scanExtensions(folder);
  return Object.fromEntries(
    failed.map((item) => [
      item.id,
      {
        code: item.failure.code,
        message: item.failure.message,
        hint: item.failure.hint,
        file: path.relative(folder, item.failure.file ?? ''),
      },
    ]),
  );
}

describe('scanning the extensions folder', () => {
  it('finds an entry in every language form, one-file tools, channels and MCP servers', async () => {
    await write(
      'a/extension.ts',
      'b/extension.mjs',
      'c/extension.js',
      'd/extension.mts',
      'e/extension.py',
      'f/mcp.json',
      'tools/one.ts',
      'channels/two.py',
    );
    expect(await ids()).toEqual(['a', 'b', 'c', 'channels/two', 'd', 'e', 'f', 'tools/one']);
    expect(await failures()).toEqual({});
  });

  it('reserves the names of built-in channels', async () => {
    await write('channels/web.ts', 'channels/Telegram.py', 'channels/website.ts', 'tools/web.ts');
    expect(await ids()).toEqual(['channels/website', 'tools/web']);
    expect(await failures()).toMatchObject({
      'channels/web': { code: 'name_invalid', file: 'channels/web.ts', hint: expect.stringContaining('my_web.ts') },
      'channels/Telegram': { code: 'name_invalid', message: expect.stringContaining('a built-in channel') },
    });
  });

  it('ignores items that are never an extension', async () => {
    await write(
      '_shared/extension.ts',
      '.hidden/extension.ts',
      'node_modules/x/extension.ts',
      '__pycache__/extension.py',
      'notes/readme.md',
      'readme.md',
      'tools/_help.ts',
      'types/only.d.ts',
      'types.d.ts',
      'globals.d.mts',
      'tools/helper.d.ts',
      'pictures/large/one.png',
      'notes/_drafts/idea.ts',
      'notes/node_modules/x/index.js',
    );
    expect(await ids()).toEqual([]);
    expect(await failures()).toEqual({});
  });

  it('suggests the likely entry in a folder with code but no entry', async () => {
    await write('weather/index.ts', 'weather/other.ts', 'upper/Extension.TS', 'react/extension.tsx', 'old/extension.cjs', 'loose.cjs');
    const found = await failures();
    expect(found['weather']).toMatchObject({ code: 'entry_missing', file: 'weather' });
    expect(found['weather']?.hint).toContain('Rename index.ts to extension.ts');
    expect(found['upper']?.hint).toContain('Rename Extension.TS to extension.ts');
    expect(found['react']?.hint).toContain('Rename extension.tsx to extension.ts');
    expect(found['old']?.hint).toContain('Rename extension.cjs to extension.js');
    expect(found['loose']?.hint).toContain('Move it to extensions/loose/extension.js');
  });

  it('finds the likely entry deeper in a folder without code of its own', async () => {
    await write('foo/src/extension.ts', 'foo/src/other.ts', 'foo/readme.md', 'bar/lib/python/tool.py', 'deep/a/b/c/d/extension.ts');
    const found = await failures();
    expect(Object.keys(found).sort()).toEqual(['bar', 'foo']);
    expect(found['foo']).toMatchObject({
      code: 'entry_missing',
      file: 'foo',
      message: expect.stringContaining('the nearest is src/extension.ts'),
    });
    expect(found['foo']?.hint).toContain('Put an extension.ts into extensions/foo itself');
    expect(found['bar']?.hint).toContain('Put an extension.py into extensions/bar itself');
    expect(await ids()).toEqual([]);
  });

  it('suggests the path for a file at the top level, also beside a folder with its name', async () => {
    await write('loose.py', 'pair.ts', 'pair/extension.ts');
    const found = await failures();
    expect(found['loose']).toMatchObject({ code: 'entry_missing', file: 'loose.py' });
    expect(found['loose']?.hint).toContain('extensions/loose/extension.py');
    expect(found['pair.ts']).toMatchObject({ code: 'entry_missing', file: 'pair.ts' });
    expect(await ids()).toEqual(['pair']);
  });

  it('suggests the path for the code of a folder below tools or channels', async () => {
    await write(
      'tools/travel/distance.ts',
      'tools/sky/extension.py',
      'tools/served/mcp.json',
      'tools/deep/src/extension.ts',
      'tools/twice.ts',
      'tools/twice/twice.ts',
      'channels/chat/chat.py',
    );
    const found = await failures();
    expect(found['tools/travel']).toMatchObject({
      code: 'entry_missing',
      file: 'tools/travel',
      message: 'extensions/tools/travel/ is a folder; a tool is one file, so distance.ts in it is not loaded.',
    });
    expect(found['tools/travel']?.hint).toContain('Move it to extensions/tools/distance.ts if it exports run');
    expect(found['tools/travel']?.hint).toContain('starts with “_”');
    expect(found['tools/sky']?.hint).toContain('extensions/sky/extension.py');
    expect(found['tools/served']?.hint).toContain('Move it to extensions/served/mcp.json');
    expect(found['tools/deep']?.message).toContain('src/extension.ts in it');
    expect(found['tools/twice/twice.ts']).toMatchObject({ code: 'entry_missing', file: 'tools/twice' });
    expect(found['channels/chat']?.hint).toContain('Move it to extensions/channels/chat.py');
    expect(await ids()).toEqual(['tools/twice']);
  });

  it('treats a folder that a tool beside it imports from as its helpers', async () => {
    await write('tools/geo/distance.ts', 'tools/words/count.py', 'tools/maps/draw.js', 'tools/_drafts/idea.ts', 'tools/tests/one.test.ts');
    await write('tools/tests/test_two.py', 'tools/pictures/one.png', 'tools/node_modules/x/index.js', 'tools/types/only.d.ts');
    await writeFile(path.join(folder, 'tools/route.ts'), `import { distance } from './geo/distance.ts';`);
    await writeFile(path.join(folder, 'tools/_shared.js'), `const { draw } = require("./maps/draw.js");`);
    await writeFile(path.join(folder, 'tools/tally.py'), 'from .words.count import count\n');
    await write('tools/from/here.ts');
    await writeFile(path.join(folder, 'tools/long.js'), `${'import(x);'.repeat(50_000)}import './from/here.ts';`);
    expect(await failures()).toEqual({});
    expect(await ids()).toEqual(['tools/long', 'tools/route', 'tools/tally']);
  });

  it('refuses two entries for one id', async () => {
    await write('two/extension.ts', 'two/extension.py', 'three/extension.ts', 'three/mcp.json', 'tools/same.ts', 'tools/same.py');
    const found = await failures();
    expect(Object.keys(found).sort()).toEqual(['three', 'tools/same', 'two']);
    expect(Object.values(found).every((item) => item.code === 'entry_ambiguous')).toBe(true);
    expect(found['two']?.message).toContain('extension.py, extension.ts');
    expect(await ids()).toEqual([]);
  });

  it('refuses invalid names and suggests a valid one', async () => {
    await write('2fast/extension.ts', 'my tool/extension.ts', `${'x'.repeat(65)}/extension.ts`, 'ünï/extension.ts');
    const found = await failures();
    expect(Object.values(found).map((item) => item.code)).toEqual(['name_invalid', 'name_invalid', 'name_invalid', 'name_invalid']);
    expect(found['my tool']?.hint).toContain('my_tool');
    expect(found['ünï']?.hint).toContain('“uni”');
  });

  it('reports an entry that is a folder or a broken link as unreadable', async () => {
    await mkdir(path.join(folder, 'dir/extension.ts'), { recursive: true });
    await mkdir(path.join(folder, 'dangling'));
    await symlink(path.join(folder, 'nowhere.ts'), path.join(folder, 'dangling/extension.ts'));
    const found = await failures();
    expect(found['dir']).toMatchObject({ code: 'unreadable', hint: expect.stringContaining('Rename the folder') });
    expect(found['dangling']).toMatchObject({ code: 'unreadable', message: 'extension.ts is a broken link.' });
  });

  it('follows a link to a folder', async () => {
    await write('_real/extension.ts');
    await symlink(path.join(folder, '_real'), path.join(folder, 'linked'));
    expect(await ids()).toEqual(['linked']);
  });
});

const PROGRAM = `
import { closeSync, openSync } from 'node:fs';
import { scanExtensions } from ${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, 'scanner.ts')).href)};
const scans = [await scanExtensions(process.cwd())];
const open = [];
try {
  for (;;) open.push(openSync('/dev/null'));
} catch {}
for (let free = 0; free < 8; free += 1) {
  scans.push(await scanExtensions(process.cwd()));
  closeSync(open.pop());
}
console.log(JSON.stringify(scans));`;

it.runIf(process.platform !== 'win32')('finds all or nothing while few file descriptors are left', async () => {
  const folders = Array.from({ length: 20 }, (_, at) => `e${at}`);
  await write(...folders.map((name) => `${name}/extension.ts`), 'tools/one.ts', 'tools/inside/helper.ts', 'mcp.json', 'servers/mcp.json');
  const command = ['-c', 'ulimit -n 128; exec "$0" --input-type=module -e "$1"', process.execPath, PROGRAM];
  const { stdout } = await promisify(execFile)('/bin/sh', command, { cwd: folder });
  const [complete, none, ...others]: Awaited<ReturnType<typeof scanExtensions>>[] = JSON.parse(stdout);
  expect(none?.folder).toMatchObject({ kind: 'unreadable', reason: expect.stringContaining('no more file descriptors (EMFILE)') });
  expect(none).toMatchObject({ candidates: [], failed: [], leftOut: [] });
  for (const scan of others) expect([complete, none]).toContainEqual(scan);
});
