import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childrenOf } from '#lib/testing/child-processes.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WRITE_CODE_CACHE } from './code-cache-file.ts';
import { createNodeRuntime } from './node-runtime.ts';
import { call, createRuntimeHarness, resultOf, type RuntimeHarness } from './runtime-harness.ts';
import type { AddressInfo } from 'node:net';
import type { Artifact } from './runtime.ts';

/**
 * Tests each permission in a process started for the extension, in a prewarmed one, and in one that dropped its permissions before
 * the load. The folders of two extensions are outside the workspace, which shows the difference between them.
 */
const FIXTURES = fileURLToPath(new URL('./fixtures', import.meta.url));
const place = realpathSync(mkdtempSync(join(tmpdir(), 'node-isolation-')));
const workspaceRoot = join(place, 'workspace');
const folders = ['mine', 'theirs'].map((name) => join(place, 'extensions', name));
const [mine = '', theirs = ''] = folders;
let url = '';
const server = createServer((_request, response) => response.end('hello'));

beforeAll(async () => {
  mkdirSync(workspaceRoot);
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true });
    cpSync(join(FIXTURES, 'uses-permissions.mjs'), join(folder, 'extension.mjs'));
    writeFileSync(join(folder, 'notes.txt'), `notes in ${folder}`);
  }
  writeFileSync(join(place, 'secret.txt'), 'secret');
  cpSync(join(FIXTURES, 'logs-and-reports.mjs'), join(mine, 'logs-and-reports.mjs'));
  cpSync(join(FIXTURES, 'needs-network-at-import.mjs'), join(mine, 'needs-network-at-import.mjs'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(() => {
  server.close();
  rmSync(place, { recursive: true });
});

function artifactOf(file: string): Artifact {
  const path = join(mine, `${file}.mjs`);
  return { extension: 'mine', kind: 'tools', runtime: 'node', contentHash: file, folder: mine, entryFile: path, programFile: path };
}

const runtimeWith = (permissions: readonly string[]) =>
  createNodeRuntime({
    limits: { loadTimeoutMs: 10_000, maxResultBytes: 100_000, extensionMemoryMb: 512 },
    permissionsOf: () => permissions,
    environmentOf: () => ({ OWN_TOKEN: 'mine alone', LANG: 'C' }),
    commonEnvironment: { LANG: 'C', ONLY_COMMON: 'not chosen for this extension' },
    workspaceRoot,
    nodeModulesDirs: [],
    programDir: join(place, 'programs'),
    cacheDir: join(place, 'cache'),
  });

/** Excludes the process of the same program that writes the code cache. */
const waitingProcesses = () =>
  childrenOf(process.pid).filter(({ command }) => command.includes('/cache/child-') && !command.includes(` ${WRITE_CODE_CACHE}`));

const refusal = (permission: string) => ({
  status: 'failed',
  error: { kind: 'execution_error', message: expect.stringContaining(`EXTENSION_ALLOW=mine:${permission}`) },
});

describe.each([
  { kind: 'a fresh process', isWarm: false, isExpected: false },
  { kind: 'a prewarmed process', isWarm: true, isExpected: false },
  { kind: 'a prewarmed process with permissions dropped before the load', isWarm: true, isExpected: true },
])('an extension in $kind', ({ isWarm, isExpected }) => {
  let harness: RuntimeHarness;

  const begin = async (permissions: readonly string[], expected = artifactOf('extension')): Promise<RuntimeHarness> => {
    const runtime = runtimeWith(permissions);
    harness = createRuntimeHarness(runtime, artifactOf);
    if (!isWarm) return harness;
    runtime.prepare(folders);
    await harness.until(() => waitingProcesses().length > 0);
    if (isExpected) runtime.expect?.(expected);
    return harness;
  };

  afterEach(() => harness.runtime.close());

  it('runs in the prewarmed process if that can drop its permissions', async () => {
    await begin(['net']);
    const [waiting] = waitingProcesses();
    const extension = await harness.start('extension');
    expect(waiting?.pid).toBe(isWarm ? extension.process().pid : undefined);
  });

  it('runs in a fresh process if the prewarmed one was prepared for another', async () => {
    const entryFile = join(theirs, 'extension.mjs');
    await begin(['net'], { ...artifactOf('extension'), extension: 'theirs', folder: theirs, entryFile, programFile: entryFile });
    const [waiting] = waitingProcesses();
    const extension = await harness.start('extension');
    expect(extension.process().pid === waiting?.pid).toBe(isWarm && !isExpected);
    expect(await resultOf(extension, 'read', { path: join(mine, 'notes.txt') })).toBe(`notes in ${mine}`);
  });

  it('without permissions reads and writes its folder and the workspace, and nothing else', async () => {
    const extension = await (await begin([])).start('extension');
    expect(await resultOf(extension, 'read', { path: join(mine, 'notes.txt') })).toBe(`notes in ${mine}`);
    expect(await resultOf(extension, 'write', { path: join(mine, 'new.txt') })).toBe('written');
    expect(await resultOf(extension, 'write', { path: join(workspaceRoot, 'new.txt') })).toBe('written');
    expect(await call(extension, 'read', { path: join(place, 'secret.txt') })).toMatchObject(refusal('read'));
    expect(await call(extension, 'read', { path: join(theirs, 'notes.txt') })).toMatchObject(refusal('read'));
    expect(await call(extension, 'write', { path: join(theirs, 'notes.txt') })).toMatchObject(refusal('write'));
    expect(await call(extension, 'write', { path: `${workspaceRoot}2` })).toMatchObject(refusal('write'));
  });

  it('without permissions reaches no network, no program, no worker and no addon', async () => {
    const extension = await (await begin([])).start('extension');
    expect(await call(extension, 'fetch', { url })).toMatchObject(refusal('net'));
    expect(await call(extension, 'listen')).toMatchObject(refusal('net'));
    expect(await call(extension, 'look_up')).toMatchObject(refusal('net'));
    expect(await call(extension, 'run')).toMatchObject(refusal('run'));
    expect(await call(extension, 'run_bound')).toMatchObject({ status: 'failed' });
    expect(await call(extension, 'replace_itself')).toMatchObject(refusal('run'));
    expect(await call(extension, 'worker')).toMatchObject(refusal('workers'));
    expect(await call(extension, 'addon')).toMatchObject(refusal('addons'));
  });

  it('with `net` reaches the network and no more', async () => {
    const extension = await (await begin(['net'])).start('extension');
    expect(await resultOf(extension, 'fetch', { url })).toBe('hello');
    expect(await resultOf(extension, 'listen')).toBe('listened');
    expect(await call(extension, 'run')).toMatchObject(refusal('run'));
    expect(await call(extension, 'read', { path: join(theirs, 'notes.txt') })).toMatchObject(refusal('read'));
  });

  it('with `run` starts programs', async () => {
    const extension = await (await begin(['run'])).start('extension');
    expect(await resultOf(extension, 'run')).toMatch(/^v\d+/);
    // Also those of Node have no permissions to lack.
    expect(await resultOf(extension, 'run_script', { path: join(place, 'secret.txt') })).toBe('secret undefined\n');
    expect(await call(extension, 'fetch', { url })).toMatchObject(refusal('net'));
  });

  it('with `workers` starts workers that have the same permissions', async () => {
    const extension = await (await begin(['workers'])).start('extension');
    expect(await resultOf(extension, 'worker')).toBe(false);
  });

  it('with `read` or `write` reaches every file only in that way', async () => {
    const extension = await (await begin(['read'])).start('extension');
    expect(await resultOf(extension, 'read', { path: join(place, 'secret.txt') })).toBe('secret');
    expect(await call(extension, 'write', { path: join(place, 'secret.txt') })).toMatchObject(refusal('write'));
  });

  it('sees only the environment chosen for it', async () => {
    const extension = await (await begin([])).start('logs-and-reports');
    expect(await resultOf(extension, 'environment')).toEqual({ OWN_TOKEN: 'mine alone', LANG: 'C' });
  });

  it('that needs the network during its import reports the missing permission', async () => {
    const failure = await (await begin([])).fail('needs-network-at-import');
    expect(failure).toMatchObject({ code: 'import_error', message: expect.stringContaining('EXTENSION_ALLOW=mine:net') });
  });
});

describe('an extension among hundreds', () => {
  it('is reloaded in a prewarmed process that may read few of their folders, and reads only its own', async () => {
    const harness = createRuntimeHarness(runtimeWith([]), artifactOf);
    onTestFinished(() => harness.runtime.close());
    harness.runtime.prepare([...folders, ...Array.from({ length: 600 }, (_, at) => join(place, 'extensions', `other_${at}`))]);
    const first = await harness.start('extension');
    const waiting = () =>
      waitingProcesses().find(({ pid, command }) => pid !== first.process().pid && command.includes(`--allow-fs-read=${mine} `));
    await harness.until(() => waiting() !== undefined);
    const prewarmed = waiting();
    const granted = prewarmed?.command.match(/--allow-fs-read=\S+\/extensions\//g) ?? [];
    expect(granted.length).toBeGreaterThan(1);
    expect(granted.length).toBeLessThan(100);
    expect(waitingProcesses().length).toBeLessThanOrEqual(9);
    const second = await harness.start('extension');
    expect(second.process().pid).toBe(prewarmed?.pid);
    expect(await resultOf(second, 'read', { path: join(mine, 'notes.txt') })).toBe(`notes in ${mine}`);
    expect(await call(second, 'read', { path: join(theirs, 'notes.txt') })).toMatchObject(refusal('read'));
  });
});
