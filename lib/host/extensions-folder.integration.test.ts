import { writeFileSync } from 'node:fs';
import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHost } from './create-host.ts';
import type { Host } from './host.ts';
import { createLogger } from './logger.ts';
import { type LivingHost, must, oneTool, refusal, startHost } from '#lib/testing/living-host.ts';

/** Holds builds or scans until they are released; null: none is held. */
interface Held {
  hold: Promise<void> | null;
  /** The id whose builds are held; null: all. */
  only: string | null;
  scans: Promise<void> | null;
  reached: boolean;
  /** Number of scans so far. */
  count: number;
}
const held = vi.hoisted((): Held => ({ hold: null, only: null, scans: null, reached: false, count: 0 }));
vi.mock('#lib/loader/scanner.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('#lib/loader/scanner.ts')>();
  return {
    ...original,
    createScanner(folder: string) {
      const scanner = original.createScanner(folder);
      const scan: typeof scanner.scan = async (touched) => {
        held.reached ||= held.scans !== null;
        held.count += 1;
        await held.scans;
        return scanner.scan(touched);
      };
      return { scan };
    },
  };
});
// On a slow machine, the time between two loads may exceed the time that a commit waits for the next one.
vi.mock('#lib/loader/load-batch.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('#lib/loader/load-batch.ts')>();
  const commitInGroups: typeof original.commitInGroups = (loads, times, commit) =>
    original.commitInGroups(loads, { ...times, graceMs: 60_000 }, commit);
  return { ...original, commitInGroups };
});
vi.mock('#lib/loader/build.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('#lib/loader/build.ts')>();
  return {
    ...original,
    createBuilders(...args: Parameters<typeof original.createBuilders>) {
      const builders = original.createBuilders(...args);
      const build: typeof builders.build = async (candidate) => {
        const built = await builders.build(candidate);
        const { hold, only } = held;
        if (hold === null || (only !== null && only !== candidate.id)) return built;
        held.reached = true;
        await hold;
        return built;
      };
      return { ...builders, build };
    },
  };
});

let living: LivingHost | null = null;
const start = async (...args: Parameters<typeof startHost>): Promise<LivingHost> => (living = await startHost(...args));
const ADA = { name: 'Ada' };
const PATIENCE = { timeout: 15_000 };

afterEach(async () => {
  await living?.remove();
  living = null;
  held.hold = null;
  held.only = null;
  held.scans = null;
  held.reached = false;
});

describe('the extensions folder', () => {
  it.each(['native', 'polling'] as const)('that is moved away withdraws its tools, and restores them (%s)', async (watch) => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') }, { watch });
    const folder = path.join(host.folder, 'extensions');
    await rename(folder, `${folder}-away`);
    await vi.waitFor(() => expect(host.host.tools.list().tools).toEqual([]), PATIENCE);
    expect(await host.reload()).toMatchObject({ loaded_extensions: [], tools: [] });
    expect(host.host.health()).toMatchObject({
      status: 'degraded',
      extensions_dir: { ok: false, reason: expect.stringContaining('does not exist') },
    });
    await rename(`${folder}-away`, folder);
    await vi.waitFor(async () => expect((await host.call('first_tool')).status).toBe('succeeded'), PATIENCE);
    await vi.waitFor(
      () => expect(host.host.health()).toMatchObject({ status: 'ok', extensions_dir: { ok: true, reason: null } }),
      PATIENCE,
    );
    await host.save({ 'a/extension.ts': oneTool('first_tool', 'two') });
    await vi.waitFor(async () => expect((await host.call('first_tool')).result).toMatchObject({ answer: 'two' }), PATIENCE);
  });

  it.each([
    ['a file', 'is not a folder', (folder: string) => writeFile(folder, '')],
    ['a link to itself', 'ELOOP', (folder: string) => symlink(folder, folder)],
  ])('that is %s is reported; extensions keep serving, and it is read again automatically', async (_, words, put) => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    const folder = path.join(host.folder, 'extensions');
    await rename(folder, `${folder}-away`);
    await put(folder);
    await vi.waitFor(() => expect(host.host.health().extensions_dir.reason).toContain(words), PATIENCE);
    expect(refusal(await host.host.extensions.reload(null, ADA))).toMatchObject({
      code: 'extensions_unreadable',
      detail: expect.stringContaining(words),
    });
    expect(host.host.health()).toMatchObject({ status: 'degraded', ready: true });
    await rm(folder);
    await rename(`${folder}-away`, folder);
    await vi.waitFor(() => expect(host.host.health()).toMatchObject({ status: 'ok' }), PATIENCE);
    await vi.waitFor(async () => expect((await host.call('first_tool')).status).toBe('succeeded'), PATIENCE);
    expect(host.log.filter((line) => line.includes('EXTENSIONS_DIR') && line.includes(words))).toHaveLength(1);
  });
});

describe('a start', () => {
  /** Starts on the files of a host that has ended, while the build of one extension is held. */
  async function startHeld(before: LivingHost, id: string): Promise<{ readonly host: Host; release(): Promise<void> }> {
    await before.host.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(held, { hold: promise, only: id });
    const made = await createHost(before.host.config, createLogger({ write: () => undefined, readable: true }), {
      PATH: process.env['PATH'],
    });
    if (!made.ok) throw new Error(made.reason);
    const { host } = made;
    living = {
      ...before,
      host,
      async remove() {
        resolve();
        await host.close();
        await before.remove();
      },
    };
    return {
      host,
      async release() {
        resolve();
        await host.ready;
      },
    };
  }
  const listed = (host: Host): readonly string[] => host.tools.list().tools.map(({ name }) => name);

  it('serves the extensions that have loaded while another one still loads, and is one version', async () => {
    const before = await start();
    await before.save({ 'early/extension.ts': oneTool('early_tool', 'yes'), 'late/extension.ts': oneTool('late_tool', 'yes') });
    const { host, release } = await startHeld(before, 'late');
    const { version } = host.extensions.list();
    await vi.waitFor(() => expect(listed(host)).toEqual(['early_tool']), PATIENCE);
    const { finished } = must(await host.calls.start({ tool: 'early_tool', arguments: {}, source: 'api', actor: { name: null } }));
    expect(JSON.parse(await finished)).toMatchObject({ status: 'succeeded', result: { answer: 'yes' } });
    expect(host.extensions.list()).toMatchObject({ version, loading: { loaded: 1, total: 2 } });
    await release();
    expect(listed(host)).toEqual(['early_tool', 'late_tool']);
    expect(host.extensions.list()).toMatchObject({ version: version + 1, loading: null });
    const { cause, changes } = must(await host.snapshots.get(version + 1));
    expect([cause.kind, changes.added]).toEqual(['start', ['early', 'late']]);
  });

  it('gives a name to an extension that loads before its former owner releases it', async () => {
    const before = await start({
      'a/extension.ts': oneTool('first_tool', 'a'),
      'b/extension.ts': oneTool('second_tool', 'b'),
      'c/extension.ts': oneTool('third_tool', 'c'),
    });
    await before.host.close();
    await before.save({
      'a/extension.ts': oneTool('third_tool', 'a'),
      'b/extension.ts': oneTool('fourth_tool', 'b'),
      'c/extension.ts': oneTool('fifth_tool', 'c'),
    });
    const { host, release } = await startHeld(before, 'c');
    await vi.waitFor(() => expect(listed(host)).toContain('fourth_tool'), PATIENCE);
    await release();
    expect(host.extensions.list().extensions.map(({ id, state, tools }) => [id, state, tools])).toEqual([
      ['a', 'ready', ['third_tool']],
      ['b', 'ready', ['fourth_tool']],
      ['c', 'ready', ['fifth_tool']],
    ]);
  });
});

describe('many saves at once', () => {
  const ids = Array.from({ length: 8 }, (_, at) => `many_${at}`);
  const sources = (answer: string): Record<string, string> =>
    Object.fromEntries(ids.map((id) => [`${id}/extension.ts`, oneTool(`${id}_tool`, answer)]));
  const answers = (host: LivingHost): Promise<readonly unknown[]> =>
    Promise.all(ids.map(async (id) => Object((await host.call(`${id}_tool`)).result).answer));

  /** Saves all, and waits until their loads have started and the complete scan has followed. */
  async function saveHeld(host: LivingHost, watched: Promise<void>): Promise<number> {
    held.hold = watched;
    // The server runs in this process too, and must not act between two writes.
    for (const [file, text] of Object.entries(sources('two'))) writeFileSync(path.join(host.folder, 'extensions', file), text);
    await vi.waitFor(() => expect(held.reached).toBe(true), PATIENCE);
    const { count } = held;
    await vi.waitFor(() => expect(held.count).toBeGreaterThan(count), PATIENCE);
    await wait(100);
    return held.count;
  }

  it('are served, and their loads cause no further scans', async () => {
    const host = await start(sources('one'));
    const { promise, resolve } = Promise.withResolvers<void>();
    const count = await saveHeld(host, promise);
    held.hold = null;
    resolve();
    await vi.waitFor(async () => expect(new Set(await answers(host))).toEqual(new Set(['two'])), PATIENCE);
    expect(held.count - count).toBeLessThan(4);
  });

  it('are loaded again when a file changed while it was built or queued', async () => {
    const host = await start(sources('one'));
    const { promise, resolve } = Promise.withResolvers<void>();
    await saveHeld(host, promise);
    await host.save(sources('three'));
    await wait(100);
    held.hold = null;
    resolve();
    await vi.waitFor(async () => expect(new Set(await answers(host))).toEqual(new Set(['three'])), PATIENCE);
  });
});

it('loads all extensions that import a changed helper in one version, and no other', async () => {
  const ids = Array.from({ length: 6 }, (_, at) => `use_${at}`);
  const using = (id: string): string =>
    `import { word } from '../_shared/word.ts';\nexport const TOOL = { label: 'T', name: '${id}_tool', description: 'Says.', parameters: { type: 'object' }, execute: () => word };`;
  const host = await start({
    '_shared/word.ts': `export const word = 'old';`,
    ...Object.fromEntries(ids.map((id) => [`${id}/extension.ts`, using(id)])),
    'other/extension.ts': oneTool('other_tool', 'other'),
  });
  const { version } = host.host.extensions.list();
  await host.save({ '_shared/word.ts': `export const word = 'new';` });
  await vi.waitFor(async () => expect((await host.call('use_5_tool')).result).toBe('new'), PATIENCE);
  for (const id of ids) expect((await host.call(`${id}_tool`)).result).toBe('new');
  expect(host.host.extensions.list().version).toBe(version + 1);
  const { cause, changes } = must(await host.host.snapshots.get(version + 1));
  expect(cause).toMatchObject({ kind: 'watch', files: ['_shared/word.ts'] });
  expect(new Set(changes.changed)).toEqual(new Set(ids));
  expect(host.extension('other')?.revision).toBe(1);
});

it('detects after another save that a file was removed with its folder without events', async () => {
  const host = await start({
    '__pycache__/word.js': `export const WORD = 'one';`,
    'a/extension.ts': oneTool('first_tool', 'one', `import { WORD } from '../__pycache__/word.js';\nexport const SEEN = WORD;`),
    'b/extension.ts': oneTool('second_tool', 'one'),
  });
  expect(host.extension('a')?.state).toBe('ready');
  await rm(path.join(host.folder, 'extensions/__pycache__'), { recursive: true });
  await host.save({ 'b/extension.ts': oneTool('second_tool', 'two') });
  await vi.waitFor(() => expect(host.extension('a')?.state).toBe('degraded'), PATIENCE);
});

describe('a save by a person', () => {
  it.each([
    ['the folder is scanned', async (scans: Promise<void>) => void (held.scans = scans)],
    [
      'an earlier save is built',
      async (builds: Promise<void>, host: LivingHost) => {
        held.hold = builds;
        await writeFile(path.join(host.folder, 'extensions/a/extension.ts'), oneTool('first_tool', 'by an editor'));
      },
    ],
  ])('records its author, also while %s', async (_, begin) => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') }, { watch: 'polling' });
    const { promise, resolve } = Promise.withResolvers<void>();
    await begin(promise, host);
    await vi.waitFor(() => expect(held.reached).toBe(true), PATIENCE);
    const { hash } = must(await host.host.sources.read('a/extension.ts'));
    const change = { text: oneTool('first_tool', 'by Ada'), expected_hash: hash };
    const written = host.host.sources.write('a/extension.ts', change, ADA);
    // Time in which the file would be written without the wait.
    await wait(100);
    resolve();
    held.hold = null;
    held.scans = null;
    expect(must(await written)).toMatchObject({ changed: ['a'] });
    expect((await host.call('first_tool')).result).toMatchObject({ answer: 'by Ada' });
    const { revision, revisions } = must(await host.host.extensions.get('a'));
    expect(revisions.find((one) => one.revision === revision)).toMatchObject({ trigger: 'edit', actor: 'Ada' });
  });
});

describe('the reload request', () => {
  it('validates every id', async () => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') }, { watch: 'off' });
    await host.save({ 'late/extension.ts': oneTool('late_tool', 'x') });
    expect(refusal(await host.host.extensions.reload(['late', 'typo'], ADA))).toMatchObject({
      code: 'extension_not_found',
      detail: expect.stringContaining('typo'),
    });
    expect(must(await host.host.extensions.reload(['late', 'a'], ADA)).changed).toEqual(['late']);
  });

  it('is answered when the save serves, even if a load of the old files had started', async () => {
    const host = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    const { promise, resolve } = Promise.withResolvers<void>();
    held.hold = promise;
    await host.save({ 'a/extension.ts': oneTool('first_tool', 'two') });
    await vi.waitUntil(() => held.reached, PATIENCE);
    await wait(100);
    held.hold = null;
    await host.save({ 'a/extension.ts': oneTool('first_tool', 'three') });
    const reloaded = host.reload(['a']);
    await wait(100);
    resolve();
    await reloaded;
    expect((await host.call('first_tool')).result).toMatchObject({ answer: 'three' });
  });
});
