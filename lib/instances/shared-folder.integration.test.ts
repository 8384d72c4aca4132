import { existsSync, readFileSync } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { DatabaseSettings } from '#lib/host/config.ts';
import { KEY, startHttpMcpServer } from '#lib/testing/http-mcp-server.ts';
import { must, oneTool, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { sharedPostgres } from '#lib/testing/test-database.ts';
import type { SharedPostgres } from '#lib/testing/test-database.ts';

const PATIENCE = { timeout: 20_000, interval: 20 };
const NOBODY = { name: null };
const byText = (a: string | null, b: string | null): number => ((a ?? '') < (b ?? '') ? -1 : 1);
let postgres: SharedPostgres;
let database: DatabaseSettings;
let running: LivingHost[] = [];

beforeAll(async () => {
  postgres = await sharedPostgres();
});

afterEach(async () => {
  await Promise.all(running.map((living) => living.remove()));
  running = [];
});

afterAll(() => postgres.close());

async function newDatabase(): Promise<void> {
  database = { url: await postgres.createDatabase(), connections: 5, statementMs: 5_000, startMs: 0 };
}

async function join(files: Readonly<Record<string, string>> = {}): Promise<LivingHost> {
  const living = await startHost(files, { database });
  running.push(living);
  return living;
}

const textOf = (living: LivingHost, file: string): string | null => {
  const at = path.join(living.folder, 'extensions', file);
  return existsSync(at) ? readFileSync(at, 'utf8') : null;
};

/** Waits until it serves a tool with this result. */
async function serves(living: LivingHost, tool: string, answer: string): Promise<void> {
  await vi.waitFor(async () => expect((await living.call(tool)).result).toMatchObject({ answer }), PATIENCE);
}

it('serves a save on every server, with the same revision, and withdraws removed extensions', async () => {
  await newDatabase();
  const first = await join({ 'a/extension.ts': oneTool('first_tool', 'one'), 'a/helper.txt': 'plain', '.env': 'SECRET=local' });
  const second = await join();
  await serves(second, 'first_tool', 'one');
  expect(textOf(second, 'a/helper.txt')).toBe('plain');
  expect(textOf(second, '.env')).toBeNull();
  await second.save({ 'a/extension.ts': oneTool('first_tool', 'two') });
  await serves(first, 'first_tool', 'two');
  await serves(second, 'first_tool', 'two');
  expect([first, second].map((living) => living.extension('a')?.serving_revision)).toEqual([2, 2]);
  await first.save({ 'a/extension.ts': null, 'a/helper.txt': null });
  await vi.waitFor(() => expect(second.extension('a')).toBeUndefined(), PATIENCE);
});

it('accepts successive saves on one server without a conflict', async () => {
  await newDatabase();
  const first = await join({ 'a/extension.ts': oneTool('first_tool', '0') });
  const second = await join();
  for (let at = 1; at <= 30; at += 1) {
    // Each save of the extension causes a load on both servers.
    const [file, text] = at % 6 === 0 ? ['a/extension.ts', oneTool('first_tool', String(at))] : ['a/note.txt', `note ${at}`];
    await first.save({ [file]: text });
    // The next save happens while the first server reads back its own change.
    await vi.waitFor(() => expect(textOf(second, file)).toBe(text), { timeout: 20_000, interval: 1 });
  }
  await serves(second, 'first_tool', '30');
  await serves(first, 'first_tool', '30');
  expect(must(await first.host.extensions.get('a')).conflicts).toEqual([]);
});

it('stores both of two saves with the same base, and all servers serve the first', async () => {
  await newDatabase();
  const first = await join({ 'a/extension.ts': oneTool('first_tool', 'base') });
  const second = await join();
  await serves(second, 'first_tool', 'base');
  await Promise.all([
    first.save({ 'a/extension.ts': oneTool('first_tool', 'from the first') }),
    second.save({ 'a/extension.ts': oneTool('first_tool', 'from the second') }),
  ]);
  await vi.waitFor(async () => {
    for (const { host } of [first, second]) expect(must(await host.extensions.get('a')).conflicts).toHaveLength(1);
    expect(textOf(first, 'a/extension.ts')).toBe(textOf(second, 'a/extension.ts'));
  }, PATIENCE);
  const [conflict] = must(await second.host.extensions.get('a')).conflicts;
  if (conflict === undefined) throw new Error('there is a conflict');
  const texts = [oneTool('first_tool', 'from the first'), oneTool('first_tool', 'from the second')];
  expect([conflict.serving, conflict.other].toSorted(byText)).toEqual(texts.toSorted(byText));
  expect(conflict.serving).toBe(textOf(first, 'a/extension.ts'));

  must(await first.host.extensions.settleConflict('a', conflict.id, { keep: 'other' }, NOBODY));
  const other = conflict.other?.includes('from the first') === true ? 'from the first' : 'from the second';
  await serves(first, 'first_tool', other);
  await serves(second, 'first_tool', other);
  expect(must(await second.host.extensions.get('a')).conflicts).toEqual([]);
  expect(await first.host.extensions.settleConflict('a', conflict.id, { keep: 'other' }, NOBODY)).toMatchObject({
    ok: false,
    problem: { code: 'conflict_not_found' },
  });
});

it('shows the person who saved in the browser, and shows a conflict on the extensions that use the file', async () => {
  await newDatabase();
  const tool = (name: string) => `import { words } from './_words.ts';\nexport function run(): string {\n  return words + '${name}';\n}\n`;
  const words = (text: string) => `export const words = '${text} ';\n`;
  const first = await join({
    'tools/one_tool.ts': tool('one'),
    'tools/two_tool.ts': tool('two'),
    'tools/_words.ts': words('base'),
    'b/extension.ts': oneTool('third_tool', 'x'),
  });
  const second = await join();
  await vi.waitFor(async () => expect((await second.call('two_tool')).result).toBe('base two'), PATIENCE);
  const { hash } = must(await first.host.sources.read('tools/_words.ts'));
  await Promise.all(
    [first, second].map(({ host }, at) =>
      host.sources.write('tools/_words.ts', { text: words(`version ${at}`), expected_hash: hash }, { name: at === 0 ? 'Ada' : 'Ben' }),
    ),
  );
  const conflictsOf = async (id: string) => must(await second.host.extensions.get(id)).conflicts;
  await vi.waitFor(async () => expect(await conflictsOf('tools/one_tool')).toHaveLength(1), PATIENCE);
  const [conflict] = await conflictsOf('tools/one_tool');
  expect(new Set([conflict?.serving_actor, conflict?.actor])).toEqual(new Set(['Ada', 'Ben']));
  expect(conflict?.serving_instance).not.toBe(conflict?.instance);
  expect(await conflictsOf('tools/two_tool')).toEqual([conflict]);
  expect(await conflictsOf('b')).toEqual([]);
});

it('lists a conflict in a file that no extension uses, with both texts, and resolves it', async () => {
  await newDatabase();
  const first = await join({ 'a/extension.ts': oneTool('first_tool', 'base'), 'notes/plan.txt': 'base' });
  const second = await join();
  await serves(second, 'first_tool', 'base');
  await Promise.all([
    first.save({ 'notes/plan.txt': 'from the first', 'a/extension.ts': oneTool('first_tool', 'from the first') }),
    second.save({ 'notes/plan.txt': 'from the second', 'a/extension.ts': oneTool('first_tool', 'from the second') }),
  ]);
  const { conflicts } = second.host;
  await vi.waitFor(async () => expect((await conflicts.list()).conflicts).toHaveLength(2), PATIENCE);
  const listed = (await conflicts.list()).conflicts.map(({ path: file, extensions }) => [file, extensions]);
  expect(new Map(listed as [string, string[]][])).toEqual(
    new Map([
      ['notes/plan.txt', []],
      ['a/extension.ts', ['a']],
    ]),
  );
  const unused = (await conflicts.list()).conflicts.find(({ path: file }) => file === 'notes/plan.txt');
  if (unused === undefined) throw new Error('there is a conflict');
  const { serving, other } = must(await conflicts.get(unused.id));
  expect([serving, other].toSorted(byText)).toEqual(['from the first', 'from the second']);
  expect(must(await conflicts.settle(unused.id, { keep: 'other' }, NOBODY)).conflicts).toMatchObject([{ path: 'a/extension.ts' }]);
  await vi.waitFor(() => expect([first, second].map((living) => textOf(living, 'notes/plan.txt'))).toEqual([other, other]), PATIENCE);
  for (const refused of [conflicts.get(unused.id), conflicts.settle(unused.id, { keep: 'other' }, NOBODY)])
    expect(await refused).toMatchObject({ ok: false, problem: { code: 'conflict_not_found' } });
});

it('lists on each server the files that are local to one server', async () => {
  await newDatabase();
  const made = await join({
    'a/extension.ts': oneTool('first_tool', 'one'),
    'a/.env': 'SECRET=local',
    'a/node_modules/x/index.js': '',
    'a/large.txt': 'x'.repeat(1_048_577),
    '.env': 'SECRET=local',
  });
  await symlink('extension.ts', path.join(made.folder, 'extensions/a/link.ts'));
  const first = await made.restart({ database });
  running = [first];
  const second = await join();
  await serves(second, 'first_tool', 'one');
  const local = [
    { path: 'a/.env', reason: 'hidden' },
    { path: 'a/large.txt', reason: 'large' },
    { path: 'a/link.ts', reason: 'link' },
    { path: 'a/node_modules', reason: 'packages' },
  ];
  for (const { path: file } of local) expect(textOf(second, file)).toBeNull();
  const owner = (await first.host.instances.list()).instances.find((instance) => instance.is_self)?.id;
  const shown = must(await second.host.extensions.get('a')).instances.find(({ id }) => id === owner);
  expect(shown?.local_files).toEqual(local);
  const { instances } = await second.host.instances.list();
  expect(instances.find(({ id }) => id === owner)?.local_files).toContainEqual({ path: '.env', reason: 'hidden' });
  // The probe file of the watcher exists for a moment at each start.
  const names = instances.flatMap(({ local_files: files }) => files ?? []).map((file) => file.path);
  expect(names.filter((name) => name.startsWith('.switchboard'))).toEqual([]);
  expect(instances.find((instance) => instance.is_self)?.local_files).toEqual([]);
});

it('creates one version per save, and shows the revision that each server serves', async () => {
  await newDatabase();
  const first = await join({ 'a/extension.ts': oneTool('first_tool', 'one') });
  const second = await join();
  await serves(second, 'first_tool', 'one');
  await second.save({ 'a/extension.ts': oneTool('first_tool', 'two') });
  await serves(first, 'first_tool', 'two');
  await vi.waitFor(async () => {
    for (const { host } of [first, second])
      expect(must(await host.extensions.get('a')).instances.map((one) => [one.state, one.serving_revision])).toEqual([
        ['ready', 2],
        ['ready', 2],
      ]);
  }, PATIENCE);
  for (const { host } of [first, second])
    expect(must(await host.extensions.get('a')).revisions.map(({ files }) => files)).toEqual(Array(2).fill(['a/extension.ts']));
  const { snapshots } = must(await first.host.snapshots.list({ limit: 10 }));
  expect(snapshots.map(({ version, changes }) => [version, changes.added, changes.changed])).toEqual([
    [2, [], ['a']],
    [1, ['a'], []],
  ]);
});

it('shows a failure of one server on that server only, while the others serve', async () => {
  await newDatabase();
  const python = { 'p.py': 'def run(text: str = "none") -> str:\n    "Answers."\n    return "one"\n' };
  const first = await join({ 'tools/p.py': python['p.py'] });
  expect(await first.call('p')).toMatchObject({ status: 'succeeded' });
  const second = await startHost({}, { database, python: '/nowhere/python3' });
  running.push(second);
  await vi.waitFor(async () => {
    expect(second.extension('tools/p')?.state).toBe('failed');
    const states = must(await first.host.extensions.get('tools/p')).instances.map((one) => [one.state, one.failure !== null]);
    expect(states.toSorted(([one], [other]) => String(one).localeCompare(String(other)))).toEqual([
      ['failed', true],
      ['ready', false],
    ]);
  }, PATIENCE);
  expect(await first.call('p')).toMatchObject({ status: 'succeeded' });
  expect((await second.call('p')).error).toMatchObject({
    kind: 'extension_unavailable',
    message: expect.stringMatching(/This instance does not serve it; \S+ does\. Call again/),
  });
  await vi.waitFor(() => expect(second.host.health().served_only_elsewhere).toEqual(['tools/p']), PATIENCE);
  expect(first.host.health().served_only_elsewhere).toBeUndefined();
  const self = (await second.host.instances.list()).instances.find((instance) => instance.is_self);
  expect(second.extension('tools/p')?.failure?.instance).toBe(self?.id);
  expect(must(await first.host.snapshots.list({ limit: 1 })).snapshots[0]?.extensions).toMatchObject([{ id: 'tools/p', state: 'ready' }]);
  expect(must(await first.host.extensions.get('tools/p')).revisions).toMatchObject([{ revision: 1, outcome: 'loaded' }]);
});

it('names the servers that serve a tool whose extension has never loaded here', async () => {
  await newDatabase();
  const first = await join({});
  const second = await startHost({}, { database, python: '/nowhere/python3' });
  running.push(second);
  await first.save({ 'tools/p.py': 'def run(text: str = "none") -> str:\n    "Answers."\n    return "one"\n' });
  await vi.waitFor(async () => {
    expect(second.extension('tools/p')?.tools).toEqual(['p']);
    expect((await second.call('p')).error).toMatchObject({
      kind: 'extension_unavailable',
      message: expect.stringMatching(/This instance does not serve it; \S+ does\. Call again/),
    });
  }, PATIENCE);
  expect(await first.call('p')).toMatchObject({ status: 'succeeded' });
  expect(must(await first.host.extensions.get('tools/p')).revisions).toMatchObject([{ revision: 1, outcome: 'loaded' }]);
});

it('creates one version when an extension that failed on all servers recovers automatically', async () => {
  await newDatabase();
  const down = await startHttpMcpServer();
  await down.close();
  const first = await join({ 'far/mcp.json': JSON.stringify({ url: down.url, headers: { 'X-Key': KEY } }) });
  const second = await join();
  await vi.waitFor(() => {
    for (const living of [first, second]) expect(living.extension('far')?.state).toBe('failed');
  }, PATIENCE);
  const newest = async (living: LivingHost) => must(await living.host.snapshots.list({ limit: 1 })).snapshots[0];
  const before = (await newest(first))?.version ?? 0;
  const up = await startHttpMcpServer(down.port);
  try {
    await vi.waitFor(() => {
      for (const living of [first, second]) expect(living.extension('far')?.state).toBe('ready');
    }, PATIENCE);
    for (const living of [first, second]) {
      expect(await newest(living)).toMatchObject({
        version: before + 1,
        cause: { kind: 'recovery' },
        changes: { recovered: ['far'], tools_added: expect.arrayContaining(['far__double']) },
        extensions: [{ id: 'far', state: 'ready' }],
      });
      await vi.waitFor(() => expect(living.host.tools.list().version).toBe(before + 1), PATIENCE);
      expect(living.log.filter((line) => line.includes('extension far works again'))).toHaveLength(1);
    }
  } finally {
    await up.close();
  }
});

it('applies a person’s action on one server to all servers', async () => {
  await newDatabase();
  const first = await join({ 'a/extension.ts': oneTool('first_tool', 'one') });
  const second = await join();
  await first.save({ 'a/extension.ts': oneTool('first_tool', 'two') });
  await serves(second, 'first_tool', 'two');
  must(await first.host.extensions.rollback('a', 1, NOBODY));
  await serves(second, 'first_tool', 'one');
  must(await second.host.extensions.pin('a', 2, NOBODY));
  await serves(first, 'first_tool', 'two');
  must(await second.host.extensions.unpin('a', NOBODY));
  await vi.waitFor(() => expect(first.extension('a')?.pinned_revision).toBeNull(), PATIENCE);
  must(await first.host.extensions.disable('a', NOBODY));
  await vi.waitFor(() => expect(second.extension('a')?.state).toBe('disabled'), PATIENCE);
  must(await second.host.extensions.enable('a', NOBODY));
  await serves(first, 'first_tool', 'two');
});

it('applies a rollback on a server that still loads the revision that is rolled back', async () => {
  await newDatabase();
  const first = await join({ 'a/extension.ts': oneTool('first_tool', 'one') });
  const second = await join();
  await serves(second, 'first_tool', 'one');
  const slow = `if (process.env.HOME === ${JSON.stringify(first.folder)}) await new Promise((go) => setTimeout(go, 6_000));`;
  await first.save({ 'a/extension.ts': oneTool('first_tool', 'two', slow) });
  await serves(second, 'first_tool', 'two');
  expect(first.extension('a')?.serving_revision).toBe(1);
  must(await first.host.extensions.rollback('a', 1, NOBODY));
  await serves(second, 'first_tool', 'one');
  await vi.waitFor(() => expect(first.extension('a')?.revision).toBe(2), PATIENCE);
  await serves(first, 'first_tool', 'one');
  await serves(second, 'first_tool', 'one');
});

it('restores the files of an empty folder at start, and accepts saves made while the server was stopped', async () => {
  await newDatabase();
  const first = await join({ 'a/extension.ts': oneTool('first_tool', 'one'), 'b/extension.ts': oneTool('second_tool', 'one') });
  const second = await join();
  await serves(second, 'second_tool', 'one');
  await second.host.close();
  await rm(path.join(second.folder, 'extensions', 'a'), { recursive: true });
  await second.save({ 'b/extension.ts': oneTool('second_tool', 'two') });
  running[1] = await second.restart({ database });
  await serves(running[1], 'first_tool', 'one');
  await serves(first, 'second_tool', 'two');
  expect(textOf(first, 'b/extension.ts')).toBe(oneTool('second_tool', 'two'));
});

it('removes files at start that were removed on another server meanwhile, unless they changed here', async () => {
  await newDatabase();
  const first = await join({
    'a/extension.ts': oneTool('first_tool', 'one'),
    'b/extension.ts': oneTool('second_tool', 'one'),
    'b/note.txt': 'base',
  });
  const second = await join();
  await serves(second, 'second_tool', 'one');
  await vi.waitFor(() => expect(textOf(second, 'b/note.txt')).toBe('base'), PATIENCE);
  await second.host.close();
  await first.save({ 'a/extension.ts': null, 'b/note.txt': null });
  await vi.waitFor(() => expect(first.extension('a')).toBeUndefined(), PATIENCE);
  await second.save({ 'b/note.txt': 'changed here' });
  running[1] = await second.restart({ database });
  expect(textOf(running[1], 'a/extension.ts')).toBeNull();
  expect(running[1].extension('a')).toBeUndefined();
  await vi.waitFor(() => expect(textOf(first, 'b/note.txt')).toBe('changed here'), PATIENCE);
  expect(textOf(first, 'a/extension.ts')).toBeNull();
});

it('does not restore files that were removed while the only server was stopped', async () => {
  await newDatabase();
  const only = await join({ 'a/extension.ts': oneTool('first_tool', 'one'), 'b/extension.ts': oneTool('second_tool', 'one') });
  await serves(only, 'second_tool', 'one');
  await only.host.close();
  await only.save({ 'a/extension.ts': null });
  const again = (running[0] = await only.restart({ database }));
  await serves(again, 'second_tool', 'one');
  await vi.waitFor(() => expect(again.extension('a')).toBeUndefined(), PATIENCE);
  expect(textOf(again, 'a/extension.ts')).toBeNull();
});
