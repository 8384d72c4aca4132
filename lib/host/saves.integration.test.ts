import { mkdir, open, rename, rm, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FSWatcher } from 'chokidar';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type HostChange, type LivingHost, must, oneTool, startHost } from '#lib/testing/living-host.ts';

/** File changes as made by editors, version control and people; the final state must match the disk. */
let living: LivingHost | null = null;
const start = async (files: Readonly<Record<string, string>> = {}, change: HostChange = {}): Promise<LivingHost> =>
  (living = await startHost(files, { prewarms: true, ...change }));
const PATIENCE = { timeout: 15_000 };
const fileOf = (host: LivingHost, name: string): string => path.join(host.folder, 'extensions', name);

afterEach(async () => {
  await living?.remove();
  living = null;
});

describe('a save', () => {
  it('in two halves with a pause causes at most one failure, loses no call, and serves in the end', async () => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    const text = oneTool('first_tool', 'two');
    const file = await open(fileOf(host, 'a/extension.ts'), 'w');
    await file.write(text.slice(0, 60));
    await file.sync();
    const during = await Promise.all(Array.from({ length: 20 }, () => host.call('first_tool')));
    expect(during.map((call) => call.status)).toEqual(during.map(() => 'succeeded'));
    await wait(300);
    await file.write(text.slice(60));
    await file.close();
    await vi.waitFor(async () => expect((await host.call('first_tool')).result).toMatchObject({ answer: 'two' }), PATIENCE);
    expect(host.extension('a')).toMatchObject({ state: 'ready', failure: null });
    expect(host.log.filter((line) => line.includes('failed (')).length).toBeLessThanOrEqual(1);
  });

  it.each([
    [
      'removes the file and writes it anew',
      async (file: string, text: string) => {
        await unlink(file);
        await writeFile(file, text);
      },
    ],
    [
      'moves the old file away and writes a new one',
      async (file: string, text: string) => {
        await rename(file, `${file}~`);
        await writeFile(file, text);
        await unlink(`${file}~`);
      },
    ],
    ['writes over the old text', (file: string, text: string) => writeFile(file, text)],
    [
      'writes twice in a row',
      async (file: string, text: string) => {
        await writeFile(file, '');
        await writeFile(file, text);
      },
    ],
  ])('of an editor that %s loses no call', async (_, write) => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    const statuses = new Set<string>();
    let isSaving = true;
    const calling = (async () => {
      while (isSaving) {
        statuses.add((await host.call('first_tool')).status);
        await wait(3);
      }
    })();
    await write(fileOf(host, 'a/extension.ts'), oneTool('first_tool', 'two'));
    await vi.waitFor(async () => expect((await host.call('first_tool')).result).toMatchObject({ answer: 'two' }), PATIENCE);
    isSaving = false;
    await calling;
    expect([...statuses]).toEqual(['succeeded']);
    expect(host.extension('a')).toMatchObject({ state: 'ready' });
  });

  it('of 30 extensions at once loads each at most twice', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `ext_${index}`);
    const files = (answer: string): Record<string, string> =>
      Object.fromEntries(names.map((name) => [`${name}/extension.ts`, oneTool(`tool_of_${name}`, answer)]));
    const host = await start(files('old'));
    await host.save(files('new answer'));
    await vi.waitFor(
      () =>
        expect(host.host.extensions.list().extensions.map((item) => [item.state, item.serving_revision])).toEqual(
          names.map(() => ['ready', 2]),
        ),
      { timeout: 40_000 },
    );
    expect((await host.call('tool_of_ext_29')).result).toMatchObject({ answer: 'new answer' });
  });
});

describe('a folder', () => {
  it('that is removed and restored while it loads ends in the state on disk', async () => {
    const host = await start({}, { loadTimeoutMs: 3_000 });
    await host.save({ 'a/extension.ts': 'await new Promise(() => {});\n' });
    await vi.waitFor(() => expect(host.extension('a')?.state).toBe('loading'), PATIENCE);
    await rm(fileOf(host, 'a'), { recursive: true });
    await vi.waitFor(() => expect(host.extension('a')).toBeUndefined(), PATIENCE);
    await host.save({ 'a/extension.ts': oneTool('first_tool', 'back') });
    await vi.waitFor(async () => expect((await host.call('first_tool')).result).toMatchObject({ answer: 'back' }), PATIENCE);
    expect(host.extension('a')).toMatchObject({ state: 'ready', revision: 1 });
  });

  it('that is renamed moves its tool to the new id', async () => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    await rename(fileOf(host, 'a'), fileOf(host, 'b'));
    await vi.waitFor(() => expect(must(host.host.tools.get('first_tool'))).toMatchObject({ extension: 'b', available: true }), PATIENCE);
    expect(host.extension('a')).toBeUndefined();
  });

  it('that a save fixes during an endless import serves without waiting for the limit', async () => {
    const host = await start({}, { loadTimeoutMs: 60_000 });
    await host.save({ 'a/extension.ts': 'await new Promise(() => {});\n' });
    await vi.waitFor(() => expect(host.extension('a')?.state).toBe('loading'), PATIENCE);
    await host.save({ 'a/extension.ts': oneTool('first_tool', 'fixed') });
    await vi.waitFor(async () => expect((await host.call('first_tool')).result).toMatchObject({ answer: 'fixed' }), PATIENCE);
  });

  it('is scanned completely a moment after a save of a known file, so that changes without an event are found', async () => {
    const host = await start({
      'a/extension.ts': oneTool('first_tool', 'one'),
      'b/extension.ts': `import { answer } from './.venv/answer.ts';\n${oneTool('second_tool', 'one').replace('"one"', 'answer')}`,
      'b/.venv/answer.ts': `export const answer = 'one';`,
    });
    await vi.waitFor(() => expect(host.host.extensions.list().watch.self_test.result).toBe('seen'), PATIENCE);
    await wait(200);
    await writeFile(fileOf(host, 'b/.venv/answer.ts'), `export const answer = 'unheard of';`);
    await writeFile(fileOf(host, 'a/extension.ts'), oneTool('first_tool', 'two'));
    await vi.waitFor(async () => expect((await host.call('first_tool')).result).toMatchObject({ answer: 'two' }), PATIENCE);
    await vi.waitFor(async () => expect((await host.call('second_tool')).result).toMatchObject({ answer: 'unheard of' }), PATIENCE);
  });

  it('that is being loaded when the server stops has no failure, and is loaded by the next one', async () => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') }, { loadTimeoutMs: 60_000 });
    await host.save({ 'a/extension.ts': 'await new Promise(() => {});\n', 'b/extension.ts': 'await new Promise(() => {});\n' });
    await vi.waitFor(() => expect(host.extension('b')?.state).toBe('loading'), PATIENCE);
    await host.host.close();
    expect(host.log.filter((line) => line.includes('failed ('))).toEqual([]);
    await host.save({ 'a/extension.ts': oneTool('first_tool', 'two'), 'b/extension.ts': null });
    const next = (living = await host.restart());
    expect(must(await next.host.failures.list({ limit: 10 })).groups).toEqual([]);
    expect((await next.call('first_tool')).result).toMatchObject({ answer: 'two' });
  });

  it('that fails because of a missing helper serves as soon as the helper appears', async () => {
    const host = await start({
      'a/extension.ts': `import { word } from '../_later/word.ts';\nexport const TOOL = { label: 'T', name: 'say_word', description: 'Says.', parameters: {}, execute: () => word };`,
    });
    expect(host.extension('a')?.failure?.code).toBe('import_unresolved');
    await mkdir(fileOf(host, '_later'));
    await host.save({ '_later/word.ts': `export const word = 'found';` });
    await vi.waitFor(async () => expect((await host.call('say_word')).result).toBe('found'), PATIENCE);
  });
});

describe('watching by polling', () => {
  it('detects changes too and reports its mode', async () => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') }, { watch: 'polling' });
    expect(host.host.extensions.list().watch).toMatchObject({ mode: 'polling', reason: null });
    await host.save({ 'a/extension.ts': oneTool('first_tool', 'polled') });
    await vi.waitFor(async () => expect((await host.call('first_tool')).result).toMatchObject({ answer: 'polled' }), PATIENCE);
  });

  it('starts when watching stops, with one log entry', async () => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    const emitted = vi.spyOn(FSWatcher.prototype, 'emit');
    onTestFinished(() => emitted.mockRestore());
    await host.save({ 'b/extension.ts': oneTool('second_tool', 'two') });
    await vi.waitFor(() => expect(host.extension('b')).toMatchObject({ state: 'ready' }), PATIENCE);
    const [native] = emitted.mock.contexts;
    if (!(native instanceof FSWatcher)) throw new Error('no event was reported');
    native.emit('error', new Error('ENOSPC: no more watches'));
    native.removeAllListeners('all');
    expect(host.host.extensions.list().watch).toMatchObject({ mode: 'polling', reason: 'watching stopped: ENOSPC: no more watches' });
    await host.save({ 'a/extension.ts': oneTool('first_tool', 'polled') });
    await vi.waitFor(async () => expect((await host.call('first_tool')).result).toMatchObject({ answer: 'polled' }), PATIENCE);
    expect(host.log.filter((line) => line.includes('watching stopped: ENOSPC'))).toHaveLength(1);
  });
});
