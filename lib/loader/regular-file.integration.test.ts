import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type LivingHost, oneTool, startHost } from '#lib/testing/living-host.ts';
import { readRegularFile } from './regular-file.ts';

const MAKE_PIPE = 'mkfifo';

let folder: string | null = null;
let living: LivingHost | null = null;
afterEach(async () => {
  await living?.remove();
  living = null;
  if (folder !== null) await rm(folder, { recursive: true });
  folder = null;
});

it('reads only regular files, up to a size limit', async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'switchboard-file-'));
  const at = (name: string): string => path.join(folder ?? '', name);
  await writeFile(at('text'), 'four');
  await mkdir(at('folder'));
  execFileSync(MAKE_PIPE, [at('pipe')]);
  await symlink('/dev/zero', at('device'));
  expect(readRegularFile(at('text'), 4)).toMatchObject({ ok: true, bytes: Buffer.from('four') });
  expect(readRegularFile(at('text'), 3)).toEqual({ ok: false, reason: 'too_large' });
  expect(readRegularFile(at('missing'), 4)).toEqual({ ok: false, reason: 'absent' });
  for (const name of ['folder', 'pipe', 'device']) expect(readRegularFile(at(name), 4)).toEqual({ ok: false, reason: 'no_file' });
});

it('does not block on a pipe: as an entry it is a failure of its extension, as a .env it has no variables', async () => {
  living = await startHost({ 'code/extension.ts': oneTool('code_tool', 'x'), 'pipe/notes.txt': '' });
  const { folder: place, extension, reload } = living;
  execFileSync(MAKE_PIPE, [path.join(place, 'extensions/pipe/extension.ts'), path.join(place, 'extensions/code/.env')]);
  await reload();
  expect(extension('pipe')).toMatchObject({ state: 'failed', failure: { code: 'unreadable' } });
  living = await living.restart();
  expect(living.extension('pipe')).toMatchObject({ state: 'failed', failure: { code: 'unreadable' } });
  expect(living.extension('pipe')?.failure).toMatchObject({ message: 'extension.ts is a pipe, a socket or a device; it must be a file.' });
  expect(await living.call('code_tool')).toMatchObject({ status: 'succeeded' });
});
