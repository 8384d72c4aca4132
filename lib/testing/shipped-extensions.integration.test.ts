import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { isAlive } from './child-processes.ts';
import { type LivingHost, startHost } from './living-host.ts';
import { startLocalIndex } from './local-index.ts';

const root = path.dirname(path.dirname(import.meta.dirname));
let living: LivingHost;
let workspace: string;

beforeAll(async () => {
  workspace = await mkdtemp(path.join(tmpdir(), 'shipped-'));
  await mkdir(path.join(workspace, 'root', 'inside'), { recursive: true });
  await mkdir(path.join(workspace, 'root2'));
  await symlink('../root2', path.join(workspace, 'root', 'out'));
  living = await startHost({}, { extensionsDir: path.join(root, 'extensions'), workspaceRoot: path.join(workspace, 'root') });
});
afterAll(async () => {
  await living.remove();
  await rm(workspace, { recursive: true });
});

it('all load without a failure or a warning, and the template is excluded', () => {
  const { extensions } = living.host.extensions.list();
  expect(extensions.map(({ id, state, failure, warnings }) => ({ id, state, failure, warnings }))).toEqual(
    [
      { id: 'channels/inbox', state: 'ready' },
      { id: 'channels/reminders', state: 'ready' },
      { id: 'example', state: 'excluded' },
      { id: 'math', state: 'ready' },
      { id: 'memory', state: 'ready' },
      { id: 'shell', state: 'ready' },
      { id: 'tables', state: 'ready' },
      { id: 'tools/compare_texts', state: 'ready' },
      { id: 'tools/measure_text', state: 'ready' },
      { id: 'weather', state: 'ready' },
    ].map((extension) => ({ ...extension, failure: null, warnings: [] })),
  );
  expect(living.host.tools.list().tools.flatMap((tool) => tool.warnings)).toEqual([]);
});

it('measure_text is described by its types and validates their limits', async () => {
  expect(await living.call('measure_text', { text: 'One two. Three?' })).toMatchObject({ result: { words: 3, sentences: 2 } });
  expect(await living.call('measure_text', { text: 'One', top: 0.5 })).toMatchObject({
    error: { issues: [{ path: '/top', keyword: 'type' }] },
  });
});

it('tables are described and queried, only in the workspace and without changes', async () => {
  await writeFile(path.join(workspace, 'root', 'sales.csv'), 'city;price;note\nOslo;2.5;\nBergen;4;late\nOslo;3;\n');
  expect(await living.call('describe_table', { path: 'sales.csv' })).toMatchObject({
    status: 'succeeded',
    result: {
      rows: 3,
      columns: [
        { name: 'city', type: 'text', filled: 3, different: 2, examples: ['Oslo', 'Bergen'] },
        { name: 'price', type: 'number', least: 2.5, greatest: 4, mean: 3.166667, median: 3 },
        { name: 'note', type: 'text', filled: 1 },
      ],
    },
  });
  const sql = 'SELECT city, sum(price) AS total FROM data GROUP BY city ORDER BY city';
  expect((await living.call('query_table', { path: 'sales.csv', sql })).result).toEqual({
    columns: ['city', 'total'],
    rows: [
      ['Bergen', 4],
      ['Oslo', 5.5],
    ],
    more: false,
  });
  for (const wrong of ['DROP TABLE data', "ATTACH 'x.db' AS x", 'SELECT nothing FROM data'])
    expect(await living.call('query_table', { path: 'sales.csv', sql: wrong })).toMatchObject({
      error: { kind: 'invalid_parameters', message: expect.stringContaining('one SELECT') },
    });
  expect(await living.call('describe_table', { path: '../root2/x.csv' })).toMatchObject({
    error: { kind: 'invalid_parameters', message: expect.stringContaining('outside of the workspace') },
  });
  expect(await living.call('describe_table', { path: 'gone.csv' })).toMatchObject({ error: { kind: 'not_found' } });
});

it('compare_texts reports added and removed parts', async () => {
  expect(await living.call('compare_texts', { before: 'one\ntwo', after: 'one\n2\n3' })).toMatchObject({
    status: 'succeeded',
    result: { same: false, similarity: 0.4, added: 2, removed: 1, diff: expect.stringContaining('-two\n+2\n+3') },
  });
  expect(await living.call('compare_texts', { before: 'a b', after: 'a b', unit: 'words' })).toMatchObject({
    result: { same: true, similarity: 1, diff: '' },
  });
});

it('memory stores entities in the workspace', async () => {
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }];
  expect(await living.call('memory__create_entities', { entities })).toMatchObject({ status: 'succeeded' });
  expect(await living.call('memory__search_nodes', { query: 'programs' })).toMatchObject({ result: { structuredContent: { entities } } });
  expect(await readFile(path.join(workspace, 'root', 'memory.jsonl'), 'utf8')).toContain('writes programs');
});

it('each runs its own examples', async () => {
  for (const tool of living.host.tools.list().tools) {
    const examples = tool.examples.filter((example) => !JSON.stringify(example).includes('git'));
    for (const example of examples)
      expect(await living.call(tool.name, example as Record<string, unknown>)).toMatchObject({ status: 'succeeded', error: null });
  }
});

it('shell runs with its defaults in the workspace, with its shipped permissions', async () => {
  expect(await living.call('run_shell_command', { command: 'pwd', cwd: 'inside' })).toMatchObject({
    status: 'succeeded',
    result: { exit_code: 0, stdout: `${workspace}/root/inside\n`, timed_out: false, notes: [] },
  });
});

it.each(['..', '/', '/etc', '../root2', 'out', 'inside/../out', 'gone'])('shell refuses to run in %s', async (cwd) => {
  const call = await living.call('run_shell_command', { command: 'pwd', cwd });
  expect(call).toMatchObject({ status: 'failed', error: { kind: 'invalid_parameters', message: expect.stringMatching(/workspace/) } });
});

it.each([
  { command: 'ls', timeout_seconds: 121 },
  { command: 'ls', max_output_chars: 20_001 },
  { command: '' },
  { command: 'ls', shell: true },
])('shell refuses %j without running a program', async (args) => {
  expect(await living.call('run_shell_command', args)).toMatchObject({
    status: 'failed',
    error: { kind: 'invalid_parameters', issues: [expect.anything()] },
  });
});

it('a cancelled shell call leaves no process behind', async () => {
  await writeFile(path.join(workspace, 'root', 'wait.sh'), 'sleep 300 & echo $! > pid; wait\n');
  const started = await living.host.calls.start({
    tool: 'run_shell_command',
    arguments: { command: 'sh wait.sh' },
    source: 'api',
    actor: { name: null },
  });
  if (!started.ok) throw new Error(started.problem.detail);
  const pid = await vi.waitFor(
    async () => {
      const text = (await readFile(path.join(workspace, 'root', 'pid'), 'utf8')).trim();
      expect(text).toMatch(/^\d+$/);
      return Number(text);
    },
    { timeout: 10_000 },
  );
  await living.host.calls.cancel(started.value.id);
  expect(JSON.parse(await started.value.finished)).toMatchObject({ status: 'cancelled' });
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });
});

it('errors of math have their kind and location', async () => {
  expect(await living.call('calculate_expression', { expression: '1 / 0' })).toMatchObject({
    status: 'failed',
    error: { kind: 'invalid_parameters', message: 'Division by zero at character 3.', data: { position: 3 } },
  });
});

it('a copy of the template runs', async () => {
  const own = await startHost();
  await cp(path.join(root, 'extensions', 'example'), path.join(own.folder, 'extensions', 'greeting'), { recursive: true });
  await own.reload();
  expect(await own.call('greet_person', { person: 'Ada' })).toMatchObject({
    status: 'succeeded',
    result: { greeting: 'Hello, Ada!' },
    progress: { done: 1, total: 1 },
  });
  await own.remove();
});

it('those with packages work in an otherwise empty folder', async () => {
  const index = await startLocalIndex();
  onTestFinished(() => index.close());
  for (const name of ['shlex', '@modelcontextprotocol/server-memory']) index.addInstalled(path.join(root, 'node_modules', name));
  const elsewhere = path.join(workspace, 'elsewhere');
  for (const name of ['shell', 'memory']) await cp(path.join(root, 'extensions', name), path.join(elsewhere, name), { recursive: true });
  const other = await startHost(
    {},
    {
      extensionsDir: elsewhere,
      dependencies: 'auto',
      extensionAllow: [
        { extension: '*', permission: 'net' },
        { extension: 'shell', permission: 'run' },
      ],
    },
    null,
    index.environment,
  );
  onTestFinished(() => other.remove());
  for (const id of ['shell', 'memory'])
    await vi.waitFor(() => expect(other.extension(id)).toMatchObject({ state: 'ready', failure: null }), { timeout: 90_000 });
  expect((await other.call('run_shell_command', { command: 'echo "two words"' })).result).toMatchObject({ stdout: 'two words\n' });
  expect(await other.call('memory__read_graph')).toMatchObject({ status: 'succeeded' });
});
