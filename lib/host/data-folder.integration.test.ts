import { cp, mkdir, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHost } from '#lib/host/create-host.ts';
import { createLogger } from '#lib/host/logger.ts';
import { type LivingHost, oneTool, startHost } from '#lib/testing/living-host.ts';
import { sweepArtifacts } from './maintenance.ts';

let living: LivingHost | null = null;

afterEach(async () => {
  await living?.remove();
  living = null;
});

describe('the data folder', () => {
  it('is locked by one host at a time, and released when that one has stopped', async () => {
    living = await startHost();
    const second = await createHost(living.host.config, createLogger({ write: () => undefined, readable: true }), {});
    expect(second).toMatchObject({
      ok: false,
      reason: expect.stringMatching(new RegExp(`in use by another running Switchboard \\(process ${process.pid} on .+, since 20`)),
    });
    living = await living.restart();
    expect(living.host.health().ready).toBe(true);
  });

  it.each([
    ['host.lock', 'a folder', /host\.lock cannot be used \(unable to open database file\)/, (file: string) => mkdir(file)],
    [
      'host.lock',
      'no database',
      /host\.lock cannot be used \(file is not a database\)/,
      (file: string) => writeFile(file, 'x'.repeat(4_096)),
    ],
    ['artifacts', 'a file', /could not be written there \(EEXIST/, (file: string) => writeFile(file, '')],
    ['programs', 'a link to itself', /could not be written there \(E[A-Z]+/, (file: string) => symlink(file, file)],
  ])('in which %s is %s is reported in one line, and stays unlocked', async (name, _, words, put) => {
    living = await startHost();
    const { host, folder } = living;
    const dataDir = path.join(folder, 'other');
    await mkdir(dataDir);
    await put(path.join(dataDir, name));
    const logger = createLogger({ write: () => undefined, readable: true });
    const refused = await createHost({ ...host.config, dataDir }, logger, {});
    expect(refused).toMatchObject({ ok: false, reason: expect.stringMatching(words) });
    expect(refused).toMatchObject({ reason: expect.not.stringMatching(/in use|\n/) });
    await rm(path.join(dataDir, name), { recursive: true });
    const made = await createHost({ ...host.config, dataDir }, logger, {});
    expect(made.ok).toBe(true);
    if (made.ok) await made.host.close();
  });

  it('can be copied: artifacts are rebuilt in the copy, and nothing reads the original', async () => {
    const text = `import { ToolError } from 'switchboard';\n${oneTool('first_tool', 'one', 'export const status = () => ({ name: ToolError.name });')}`;
    living = await startHost({ 'a/extension.ts': text });
    await living.call('first_tool');
    const { folder, host } = living;
    await host.close();
    await cp(path.join(folder, 'data'), path.join(folder, 'copy'), { recursive: true });
    living = await living.restart({ dataDir: path.join(folder, 'copy') });
    expect(await living.call('first_tool')).toMatchObject({ status: 'succeeded', revision: 1 });
    expect(living.host.extensions.list()).toMatchObject({ version: 1, extensions: [{ state: 'ready', revision: 1 }] });
  });

  it('loses only artifacts that can no longer run', async () => {
    living = await startHost({ 'a/extension.ts': oneTool('first_tool', 'one') });
    const artifacts = path.join(living.host.config.dataDir, 'artifacts');
    await vi.waitFor(() => expect(living?.extension('a')?.state).toBe('ready'));
    const stale = path.join(artifacts, '0'.repeat(64));
    await mkdir(stale);
    await writeFile(path.join(stale, 'program.mjs'), '');
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(stale, longAgo, longAgo);
    const { runnable } = { runnable: living.extension('a')?.content_hash ?? '' };
    await utimes(path.join(artifacts, runnable), longAgo, longAgo);
    const young = path.join(artifacts, '1'.repeat(64));
    await mkdir(young);
    const store = {
      extensions: { all: () => [{ extension: 'a' }] },
      revisions: { list: () => [{ runnable: true, contentHash: runnable }] },
    };
    expect(await sweepArtifacts(artifacts, Object(store))).toBe(1);
    expect(await readdir(artifacts)).toEqual(expect.arrayContaining([runnable, '1'.repeat(64)]));
    expect(await readdir(artifacts)).not.toContain('0'.repeat(64));
  });
});
