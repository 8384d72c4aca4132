import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { saveCallSchema } from '#lib/contract/saved-call.ts';
import { must, OF_SQLITE, oneTool, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { startPostgres } from '#lib/testing/postgres.ts';
import type { TestPostgres } from '#lib/testing/postgres.ts';
import { runCommand } from './command-for-tests.ts';
import type { CommandContext } from './command.ts';
import { databaseCommand } from './database.ts';

const LARGE = 'x'.repeat(100_000);
let postgres: TestPostgres;
let living: LivingHost;

beforeAll(async () => {
  postgres = await startPostgres();
  living = await startHost({ 'a/extension.ts': oneTool('first_tool', 'one') }, OF_SQLITE);
  await living.call('first_tool', { text: 'a zero \0 and a sign \u{e5b2}0' });
  await living.call('first_tool', { text: LARGE });
  for (let count = 0; count < 5; count += 1) await living.call('first_tool', { text: `number ${count}` });
  must(await living.host.savedCalls.save(saveCallSchema.parse({ tool: 'first_tool', name: 'Kept' }), { name: null }));
  await living.save({ 'a/extension.ts': 'export const TOOL = (' });
  await vi.waitFor(() => expect(living.extension('a')?.state).toBe('degraded'), { timeout: 20_000 });
});

afterAll(async () => {
  await living.remove();
  await postgres.close();
});

const copyTo = (url: string, change: Partial<CommandContext> = {}) =>
  runCommand(databaseCommand, ['copy', '--to', url], { cwd: living.folder, env: { DATA_DIR: 'data' }, ...change });

it('refuses to copy while a server uses the folder, since its next writes would be missing', async () => {
  expect(await copyTo(await postgres.createDatabase())).toMatchObject({ code: 3, stderr: expect.stringContaining('Stop it first') });
});

describe('after a stop of the server', () => {
  beforeAll(() => living.host.close());

  it('copies everything, and a server on PostgreSQL continues with it', async () => {
    const url = await postgres.createDatabase();
    const copied = await copyTo(url);
    expect(copied).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d+ rows in \d+ tables, every one compared/) });
    expect(copied.stderr).toMatch(/^calls: copied 7 of 7 rows$/m);
    expect(copied.stderr).toMatch(/^calls: verified 7 of 7 rows$/m);
    const moved = await living.restart({ database: { url, connections: 5, statementMs: 5_000, startMs: 0 } });
    try {
      expect(moved.extension('a')).toMatchObject({ state: 'degraded', serving_revision: 1 });
      const { calls } = must(await moved.host.calls.list({ limit: 10 }));
      expect(calls.map((call) => call.arguments)).toContainEqual({ text: 'a zero \0 and a sign \u{e5b2}0' });
      const large = calls.find((call) => call.truncated);
      expect(must(await moved.host.calls.get(large?.id ?? '')).arguments).toEqual({ text: LARGE });
      expect(must(await moved.host.calls.list({ q: 'number', limit: 10 })).calls).toHaveLength(5);
      expect(must(await moved.host.failures.list({ limit: 10 })).groups).toMatchObject([{ extension: 'a', status: 'open', count: 2 }]);
      expect((await moved.host.savedCalls.list('first_tool')).saved_calls).toMatchObject([{ name: 'Kept' }]);
      expect(await moved.call('first_tool')).toMatchObject({ status: 'succeeded' });
    } finally {
      await moved.host.close();
    }
    expect(await copyTo(url)).toMatchObject({ code: 3, stderr: expect.stringContaining('already has tables of Switchboard') });
  });

  it('leaves the target without tables when interrupted, and resumes', async () => {
    const url = await postgres.createDatabase();
    const stop = new AbortController();
    const stopped = await copyTo(url, {
      signal: stop.signal,
      note: (line) => {
        if (line.startsWith('calls: copied')) stop.abort('SIGINT');
      },
    });
    expect(stopped.code).not.toBe(0);
    await expect(postgres.run('select 1 from calls', url)).rejects.toThrow(/does not exist/);
    const lines: string[] = [];
    expect(await copyTo(url, { note: (line) => lines.push(line) })).toMatchObject({ code: 0 });
    expect(lines.filter((line) => line.startsWith('calls: copied'))).toEqual([]);
    expect(lines).toContain('calls: verified 7 of 7 rows');
    await postgres.run('select 1 from calls', url);
  });

  it('starts again when the folder was used between two runs', async () => {
    const url = await postgres.createDatabase();
    const stop = new AbortController();
    await copyTo(url, { signal: stop.signal, note: (line) => line.startsWith('calls: verified') && stop.abort('SIGINT') });
    living = await living.restart({});
    await living.call('first_tool', { text: 'later' });
    await living.host.close();
    expect(await copyTo(url)).toMatchObject({ code: 0, stderr: expect.stringContaining('calls: verified 8 of 8 rows') });
  });

  it('reports in one line why it cannot copy', async () => {
    const other = new URL(await postgres.createDatabase());
    other.pathname = '/nothing';
    expect(await copyTo(other.href)).toMatchObject({ code: 3, stderr: expect.stringMatching(/does not exist.*createdb/) });
    expect(await copyTo('mysql://x')).toMatchObject({ code: 2, stderr: expect.stringContaining('postgres://') });
    expect(await copyTo(other.href, { env: { DATA_DIR: 'nowhere' } })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('There is no database'),
    });
    expect(await runCommand(databaseCommand, [], { cwd: living.folder })).toMatchObject({ code: 2 });
  });
});
