import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Call } from '#lib/contract/call.ts';
import type { EventData } from '#lib/contract/events.ts';
import { type HostChange, type LivingHost, must, oneTool, refusal, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost | null = null;
const start = async (files: Readonly<Record<string, string>> = {}, change: HostChange = {}): Promise<LivingHost> =>
  (living = await startHost(files, { prewarms: true, ...change }));
const NOBODY = { name: 'Ada' };
const PATIENCE = { timeout: 15_000 };

afterEach(async () => {
  await living?.remove();
  living = null;
});

describe('saving a file', () => {
  it('serves a new extension without any action', async () => {
    const { host, save, call } = await start();
    expect(host.tools.list().tools).toEqual([]);
    await save({ 'hello/extension.ts': oneTool('say_hello', 'hi') });
    await vi.waitFor(() => expect(must(host.tools.get('say_hello')).revision).toBe(1), PATIENCE);
    expect(await call('say_hello')).toMatchObject({
      status: 'succeeded',
      result: { answer: 'hi', text: 'none' },
      revision: 1,
      extension: 'hello',
    });
  });

  it('reloads a changed extension without affecting the processes and state of its neighbours', async () => {
    const counter = `let count = 0;\nexport const TOOL = { label: 'T', name: 'count_up', description: 'Counts.', parameters: { type: 'object' }, execute: () => ++count };`;
    const { host, save, call, extension } = await start({ 'a/extension.ts': oneTool('first_tool', 'one'), 'b/extension.ts': counter });
    await call('count_up');
    expect((await call('count_up')).result).toBe(2);
    const pid = extension('b')?.process.pid;
    await save({ 'a/extension.ts': oneTool('first_tool', 'two') });
    await vi.waitFor(() => expect(must(host.tools.get('first_tool')).revision).toBe(2), PATIENCE);
    expect((await call('first_tool')).result).toMatchObject({ answer: 'two' });
    expect((await call('count_up')).result).toBe(3);
    expect(extension('b')?.process.pid).toBe(pid);
  });

  it('that breaks it fails no call of twenty neighbours', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `neighbour_${at}`);
    const files = Object.fromEntries(names.map((name) => [`${name}/extension.mjs`, oneTool(name, 'well')]));
    const { save, call, extension } = await start({ ...files, 'a/extension.mjs': oneTool('first_tool', 'one') });
    await save({ 'a/extension.mjs': `throw new Error('broken at import');` });
    const calls: Promise<Call>[] = [];
    await vi.waitFor(() => {
      calls.push(...names.map((name) => call(name)));
      expect(extension('a')).toMatchObject({ state: 'degraded', failure: { code: 'import_error', file: 'a/extension.mjs', line: 1 } });
    }, PATIENCE);
    expect((await Promise.all([...calls, call('first_tool')])).filter(({ status }) => status !== 'succeeded')).toEqual([]);
  });

  it('withdraws a removed file immediately, and serves it again when it returns', async () => {
    const { host, save } = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    const removed: EventData[] = [];
    host.events.subscribe(({ data }) => void removed.push(data), ['extension.removed']);
    await save({ a: null });
    await vi.waitFor(() => expect(refusal(host.tools.get('first_tool')).code).toBe('tool_not_found'), PATIENCE);
    await vi.waitFor(() => expect(removed).toEqual([{ snapshot_version: expect.any(Number), extension: 'a', revision: 1 }]), PATIENCE);
    await save({ 'a/extension.ts': oneTool('first_tool', 'one') });
    await vi.waitFor(() => expect(must(host.tools.get('first_tool')).revision).toBe(1), PATIENCE);
  });

  it('withdraws a removed entry immediately although its helpers remain, and releases its name', async () => {
    const using = `import { word } from './word.ts';\n${oneTool('first_tool', 'one')}\nvoid word;`;
    const first = await start({ 'a/extension.ts': using, 'a/word.ts': `export const word = 'one';` });
    await first.save({ 'a/extension.ts': null });
    await vi.waitFor(() => expect(first.extension('a')).toMatchObject({ state: 'failed', failure: { code: 'entry_missing' } }), PATIENCE);
    expect(first.extension('a')).toMatchObject({ serving_revision: null, tools: [] });
    expect(refusal(first.host.tools.get('first_tool')).code).toBe('tool_not_found');
    expect(must(await first.host.snapshots.get(first.host.extensions.list().version))).toMatchObject({
      cause: { kind: 'watch', files: ['a/extension.ts'] },
      changes: { failed: ['a'], tools_removed: ['first_tool'] },
    });
    living = await first.restart();
    expect(living.extension('a')).toMatchObject({ state: 'failed', serving_revision: null, tools: [] });
    await living.save({ 'b/extension.ts': oneTool('first_tool', 'two') });
    await vi.waitFor(async () => expect((await living?.call('first_tool'))?.result).toMatchObject({ answer: 'two' }), PATIENCE);
  });

  it('serves a file of CommonJS and one of JavaScript modules alike', async () => {
    const { call } = await start({
      'old/extension.js': `module.exports = { TOOL: { label: 'T', name: 'old_style', description: 'Old.', parameters: {}, execute: () => 'old' } };`,
      'new/extension.mjs': oneTool('new_style', 'new'),
    });
    expect((await call('old_style')).result).toBe('old');
    expect((await call('new_style')).result).toMatchObject({ answer: 'new' });
  });

  it('serves one tool of a module whose other exports are undefined or known only when it runs', async () => {
    const tool = (name: string): string => `{ label: 'T', name: '${name}', description: 'T.', parameters: {}, execute: () => '${name}' }`;
    const { call, extension } = await start({
      'passed/extension.js': `module.exports = require('./impl.js');`,
      'passed/impl.js': `exports.TOOL = ${tool('get_passed')};`,
      'frozen/extension.js': `module.exports = Object.freeze({ TOOL: ${tool('get_frozen')} });`,
      'later/extension.mjs': `export const TOOL = ${tool('get_later')};\nexport let TOOLS;`,
    });
    for (const [id, name] of [
      ['passed', 'get_passed'],
      ['frozen', 'get_frozen'],
      ['later', 'get_later'],
    ] as const) {
      expect(extension(id)).toMatchObject({ state: 'ready', warnings: [] });
      expect((await call(name)).result).toBe(name);
    }
  });
});

describe('keeping the last good revision', () => {
  it('keeps serving it when a save breaks the file, shows both, and recovers with the next save', async () => {
    const { host, save, call, extension } = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    await save({ 'a/extension.ts': `${oneTool('first_tool', 'two')}\nconst broken = (;` });
    await vi.waitFor(() => expect(extension('a')?.state).toBe('degraded'), PATIENCE);
    expect(extension('a')).toMatchObject({
      revision: 2,
      serving_revision: 1,
      tools: ['first_tool'],
      failure: { code: 'syntax_error', stage: 'build', file: 'a/extension.ts', line: 9, column: 17 },
    });
    expect(extension('a')?.failure?.code_frame).toContain('const broken = (;');
    expect((await call('first_tool')).result).toMatchObject({ answer: 'one' });
    await save({ 'a/extension.ts': oneTool('first_tool', 'three') });
    await vi.waitFor(
      () => expect(extension('a')).toMatchObject({ state: 'ready', revision: 3, serving_revision: 3, failure: null }),
      PATIENCE,
    );
    expect(must(await host.snapshots.get(host.extensions.list().version)).changes.recovered).toEqual(['a']);
  });

  it('assigns a restored source its old revision number, and uses the process that still runs it', async () => {
    const { save, call, extension } = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    await call('first_tool');
    const pid = extension('a')?.process.pid;
    await save({ 'a/extension.ts': 'export const TOOL = 5;' });
    await vi.waitFor(() => expect(extension('a')?.state).toBe('degraded'), PATIENCE);
    await save({ 'a/extension.ts': oneTool('first_tool', 'one') });
    await vi.waitFor(() => expect(extension('a')).toMatchObject({ state: 'ready', revision: 1, serving_revision: 1 }), PATIENCE);
    expect(extension('a')?.process.pid).toBe(pid);
  });

  it('serves the last good revision after a restart although the file on disk is broken', async () => {
    const first = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    await first.save({ 'a/extension.ts': 'export const TOOL = ' });
    await vi.waitFor(() => expect(first.extension('a')?.state).toBe('degraded'), PATIENCE);
    living = await first.restart();
    expect(living.extension('a')).toMatchObject({ state: 'degraded', revision: 2, serving_revision: 1 });
    expect((await living.call('first_tool')).result).toMatchObject({ answer: 'one' });
  });

  it('withdraws the tools instead when KEEP_LAST_GOOD is false, and reserves their names', async () => {
    const { host, save, extension, call } = await start({ 'a/extension.ts': oneTool('first_tool', 'one') }, { keepLastGood: false });
    await save({ 'a/extension.ts': 'throw new Error("no luck");' });
    await vi.waitFor(() => expect(extension('a')).toMatchObject({ state: 'failed', serving_revision: null }), PATIENCE);
    expect(must(host.tools.get('first_tool'))).toMatchObject({ available: false });
    expect(await call('first_tool')).toMatchObject({
      status: 'failed',
      error: { kind: 'extension_unavailable', message: 'a failed to load: no luck. The extension’s page says what to do.' },
    });
    await save({ 'b/extension.ts': oneTool('first_tool', 'thief') });
    await vi.waitFor(() => expect(extension('b')?.failure?.code).toBe('duplicate_tool_name'), PATIENCE);
  });
});

describe('the reload request', () => {
  it('creates no version when nothing changed', async () => {
    const { host, reload } = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    const { version } = host.extensions.list();
    expect(await reload()).toMatchObject({
      version,
      loaded_extensions: ['a'],
      failed_extensions: [],
      tools: ['first_tool'],
      channels: [],
      changed: [],
    });
    expect(await reload(['a'])).toMatchObject({ version, changed: [] });
  });

  it('retries failed extensions and adds the failure to the same record', async () => {
    const { reload, extension } = await start({ 'a/extension.ts': 'export const nothing = 1;' });
    const before = extension('a')?.failure;
    expect(before).toMatchObject({ code: 'export_missing', count: 1, revision: 1 });
    const report = await reload();
    expect(report.failed_extensions).toMatchObject([
      { id: before?.id, count: 2, group_id: before?.group_id, first_seen: before?.first_seen },
    ]);
    expect(report.loaded_extensions).toEqual([]);
  });

  it('shares the work of concurrent requests', async () => {
    const { reload, extension } = await start({ 'a/extension.ts': 'export const nothing = 1;' });
    await Promise.all(Array.from({ length: 10 }, () => reload()));
    expect(extension('a')?.failure?.count).toBeLessThanOrEqual(3);
  });

  it('is answered once an earlier save serves, too', async () => {
    const { host, save, reload } = await start();
    const states = (): string[] => host.extensions.list().extensions.map(({ state }) => state);
    for (let count = 1; count <= 12; count += 1) {
      await save({ [`e${count}/extension.js`]: oneTool(`tool_${count}`, 'x') });
      await vi.waitUntil(() => states().length === count, { ...PATIENCE, interval: 1 });
      await reload();
      expect(states().filter((state) => state !== 'ready')).toEqual([]);
    }
  });

  it('finds a folder created a moment ago, and refuses an unknown id', async () => {
    const { host, save, reload } = await start({}, { watch: 'off' });
    await save({ 'late/extension.ts': oneTool('late_tool', 'x') });
    const { changed, version } = await reload(['late']);
    expect(changed).toEqual(['late']);
    expect(must(await host.snapshots.get(version)).cause).toEqual({ kind: 'reload', actor: null, files: ['late/extension.ts'] });
    expect(refusal(await host.extensions.reload(['missing', 'late', 'gone'], NOBODY))).toMatchObject({
      code: 'extension_not_found',
      detail: expect.stringContaining('“missing”, “gone” not found.'),
    });
  });
});

describe('starting again', () => {
  it('preserves the version, the revisions and the failures when nothing changed', async () => {
    const first = await start({ 'a/extension.ts': oneTool('first_tool', 'one'), 'bad/extension.ts': 'throw new Error("no");' });
    const before = first.host.extensions.list();
    living = await first.restart();
    const after = living.host.extensions.list();
    expect(after.version).toBe(before.version);
    expect(after.extensions.map((item) => [item.id, item.state, item.revision, item.content_hash])).toEqual(
      before.extensions.map((item) => [item.id, item.state, item.revision, item.content_hash]),
    );
    expect(living.extension('a')?.process.state).toBe('none');
    expect((await living.call('first_tool')).status).toBe('succeeded');
  });

  it('reports changes made while it was stopped', async () => {
    const first = await start(
      { 'a/extension.ts': oneTool('first_tool', 'one'), 'b/extension.ts': oneTool('second_tool', 'two') },
      { watch: 'off' },
    );
    const { version } = first.host.extensions.list();
    await first.save({ 'a/extension.ts': oneTool('first_tool', 'other'), b: null });
    living = await first.restart();
    expect(must(await living.host.snapshots.get(version + 1))).toMatchObject({
      cause: { kind: 'start' },
      changes: { changed: ['a'], removed: ['b'], tools_removed: ['second_tool'] },
    });
  });
});

describe('actions on an extension', () => {
  it('disables and enables it, over a restart too', async () => {
    const first = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    expect(must(await first.host.extensions.disable('a', NOBODY)).state).toBe('disabled');
    expect(await first.call('first_tool')).toMatchObject({ status: 'failed', error: { kind: 'extension_unavailable' } });
    living = await first.restart();
    expect(living.extension('a')?.state).toBe('disabled');
    expect(must(await living.host.extensions.enable('a', NOBODY))).toMatchObject({ state: 'ready', serving_revision: 1 });
    expect((await living.call('first_tool')).status).toBe('succeeded');
  });

  it('rolls back until the source changes, pins until it is unpinned, and calls run on another revision', async () => {
    const first = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    await first.save({ 'a/extension.ts': oneTool('first_tool', 'two') });
    await vi.waitFor(() => expect(first.extension('a')?.revision).toBe(2), PATIENCE);
    expect(await first.call('first_tool', {}, { revision: 1 })).toMatchObject({ revision: 1, result: { answer: 'one' } });
    expect(must(await first.host.extensions.rollback('a', 1, NOBODY))).toMatchObject({ state: 'ready', revision: 2, serving_revision: 1 });
    living = await first.restart();
    expect((await living.call('first_tool')).result).toMatchObject({ answer: 'one' });
    must(await living.host.extensions.pin('a', 1, NOBODY));
    await living.save({ 'a/extension.ts': oneTool('first_tool', 'three') });
    await vi.waitFor(() => expect(living?.extension('a')?.revision).toBe(3), PATIENCE);
    expect((await living.call('first_tool')).result).toMatchObject({ answer: 'one' });
    expect(must(await living.host.extensions.unpin('a', NOBODY))).toMatchObject({ serving_revision: 3, pinned_revision: null });
    expect((await living.call('first_tool')).result).toMatchObject({ answer: 'three' });
    expect(refusal(await living.host.extensions.rollback('a', 99, NOBODY)).code).toBe('revision_not_found');
  });

  it('lists an excluded extension and never loads it', async () => {
    const { extension, reload } = await start({ 'example/extension.ts': oneTool('first_tool', 'one') });
    expect(extension('example')).toMatchObject({ state: 'excluded', tools: [], revision: null });
    expect(await reload()).toMatchObject({ loaded_extensions: [], failed_extensions: [], tools: [] });
  });

  it('omits an excluded tool, ignoring case', async () => {
    const { host } = await start({ 'a/extension.ts': oneTool('first_tool', 'one') }, { excludedTools: new Set(['first_tool']) });
    expect(host.tools.list().tools).toEqual([]);
  });
});
