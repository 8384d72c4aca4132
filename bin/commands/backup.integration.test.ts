import { readFileSync, writeFileSync } from 'node:fs';
import { chmod, copyFile, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { must, OF_SQLITE, oneTool, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { runCommand } from './command-for-tests.ts';

let living: LivingHost;
beforeAll(async () => {
  living = await startHost({ 'a/extension.ts': oneTool('first_tool', 'one') }, OF_SQLITE);
  await living.save({ 'a/extension.ts': oneTool('first_tool', 'two') });
  await vi.waitFor(() => expect(living.extension('a')?.serving_revision).toBe(2), { timeout: 20_000 });
});
afterAll(() => living.remove());

const run = (command: typeof backupCommand, file: string, dataDir = 'data') =>
  runCommand(command, [file], { cwd: living.folder, env: { DATA_DIR: dataDir } });
const restored = async (name: string): Promise<readonly string[]> => readdir(path.join(living.folder, name)).catch(() => []);

describe('a backup', () => {
  it('of a running server has every finished call, and restores to a complete data folder with earlier revisions', async () => {
    let writing = true;
    const load = Array.from({ length: 4 }, async () => {
      while (writing) await living.call('first_tool', { text: 'under load' });
    });
    const ended = await living.call('first_tool', { text: 'before' });
    const made = await run(backupCommand, 'copies/one.db');
    writing = false;
    await Promise.all(load);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/one\.db: \d+ calls?, 2 programs, .*every page verified/) });
    expect(await restored('copies')).toEqual(['one.db']);

    await living.host.close();
    await rename(path.join(living.folder, 'data'), path.join(living.folder, 'lost'));
    expect(await run(restoreCommand, 'copies/one.db')).toMatchObject({ code: 0, stdout: expect.stringContaining('2 programs') });
    living = await living.restart();
    expect(must(await living.host.calls.get(ended.id))).toMatchObject({ status: 'succeeded', arguments: { text: 'before' } });
    expect(must(await living.host.extensions.rollback('a', 1, { name: null }))).toMatchObject({ serving_revision: 1 });
    expect((await living.call('first_tool')).result).toMatchObject({ answer: 'one' });
  });

  it('overwrites nothing, and reports missing files', async () => {
    writeFileSync(path.join(living.folder, 'mine.db'), 'precious');
    expect(await run(backupCommand, 'mine.db')).toMatchObject({ code: 3, stderr: expect.stringContaining('overwrites nothing') });
    expect(readFileSync(path.join(living.folder, 'mine.db'), 'utf8')).toBe('precious');
    expect(await run(backupCommand, 'x.db', 'nowhere')).toMatchObject({ code: 3, stderr: expect.stringContaining('There is no database') });
    expect(await runCommand(backupCommand, [], { cwd: living.folder })).toMatchObject({ code: 2 });
  });
});

describe('a restore', () => {
  it('refuses a folder with a running server or with a database', async () => {
    await run(backupCommand, 'two.db');
    expect(await run(restoreCommand, 'two.db')).toMatchObject({ code: 3, stderr: expect.stringMatching(/A server uses .*data\. Stop it/) });
    expect(await run(restoreCommand, 'two.db', 'taken')).toMatchObject({ code: 0 });
    expect(await run(restoreCommand, 'two.db', 'taken')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('already has a database'),
    });
  });

  it('accepts a read-only backup, and creates a writable folder', async () => {
    const at = (name: string): string => path.join(living.folder, name);
    await run(backupCommand, 'kept.db');
    await chmod(at('kept.db'), 0o444);
    expect(await run(restoreCommand, 'kept.db', 'written')).toMatchObject({ code: 0 });
    expect((await stat(at('written/switchboard.db'))).mode & 0o600).toBe(0o600);
    await rm(at('written'), { recursive: true });
  });

  it('refuses damaged files, unknown files, and paths out of the folder', async () => {
    const at = (name: string): string => path.join(living.folder, name);
    await run(backupCommand, 'three.db');
    const pages = readFileSync(at('three.db'));
    writeFileSync(at('damaged.db'), pages.fill(0x5a, 8_192, 16_384));
    writeFileSync(at('text.db'), 'no database at all, and yet long enough to be one if it were '.repeat(4));
    await copyFile(at('two.db'), at('leads-out.db'));
    const db = new DatabaseSync(at('leads-out.db'));
    db.prepare('insert into switchboard_backup_files (path, content) values (?, ?)').run('../../escaped.mjs', Buffer.from('x'));
    db.close();
    for (const [file, words] of [
      ['damaged.db', /is damaged \(.*\)\. Choose another file created by `switchboard backup`\.$/m],
      ['text.db', /is not a database\. Choose another file/],
      ['leads-out.db', /which is not a valid path/],
      ['absent.db', /not found/],
    ] as const) {
      expect(await run(restoreCommand, file, 'fresh')).toMatchObject({ code: 3, stderr: expect.stringMatching(words) });
      expect((await restored('fresh')).filter((name) => name.startsWith('switchboard.db'))).toEqual([]);
    }
    expect(await restored('.')).not.toContain('escaped.mjs');
    await rm(at('fresh'), { recursive: true, force: true });
  });
});
