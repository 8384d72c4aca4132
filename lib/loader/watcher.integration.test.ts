import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FSWatcher } from 'chokidar';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWatcher, type Watcher } from './watcher.ts';

let folder: string;
let watcher: Watcher | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watcher-'));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await watcher?.close();
  await rm(folder, { recursive: true });
});

it('removes the self-test files of a killed server, but not those of a running one', async () => {
  const longAgo = new Date(Date.now() - 3_600_000);
  await writeFile(join(folder, '.switchboard-probe-1'), '');
  await utimes(join(folder, '.switchboard-probe-1'), longAgo, longAgo);
  await writeFile(join(folder, '.switchboard-probe-2'), '');
  watcher = createWatcher({ folder, mode: 'native', onChange: () => undefined, onState: () => undefined });
  await watcher.settled;
  expect(watcher.state()).toMatchObject({ mode: 'native', reason: null, self_test: { result: 'seen', reason: null } });
  expect(await readdir(folder)).toEqual(['.switchboard-probe-2']);
});

it('reports for polling that a probe file is found when the folder is read', async () => {
  watcher = createWatcher({ folder, mode: 'polling', onChange: () => undefined, onState: () => undefined });
  expect(watcher.state()).toMatchObject({ mode: 'polling', self_test: { result: 'running', at: null } });
  await watcher.settled;
  const { mode, self_test: test } = watcher.state();
  expect([mode, test.result, test.duration_ms === null]).toEqual(['polling', 'seen', false]);
  expect(await readdir(folder)).toEqual([]);
});

it('reports why it could not be tested', async () => {
  watcher = createWatcher({ folder, mode: 'off', onChange: () => undefined, onState: () => undefined });
  await watcher.settled;
  expect(watcher.state().self_test).toMatchObject({ result: 'not_run', reason: 'watching is switched off by WATCH=off' });
});

it('is not blind when no file can be written to the folder', async () => {
  const states: string[] = [];
  const gone = join(folder, 'gone');
  watcher = createWatcher({ folder: gone, mode: 'polling', onChange: () => undefined, onState: ({ mode }) => states.push(mode) });
  await watcher.settled;
  expect(watcher.state().self_test).toMatchObject({ result: 'not_run', reason: 'no file can be written into the folder' });
  expect(states).not.toContain('blind');
});

it('is blind when a written file is missing from the folder listing, and continues to scan', async () => {
  let looks = 0;
  const onChange = () => void (looks += 1);
  const list = async () => [];
  watcher = createWatcher({ folder, mode: 'polling', onChange, onState: () => undefined, list, probeWaitMs: 50 });
  await watcher.settled;
  expect(watcher.state()).toMatchObject({
    mode: 'blind',
    self_test: { result: 'not_seen', reason: 'the probe file was not detected within 0.05 s' },
  });
  await vi.waitFor(() => expect(looks).toBeGreaterThan(0), { timeout: 5_000 });
});

it('reports a pause before the change, and a settled change only when no event arrived since that pause', async () => {
  const emitted: (readonly string[])[] = [];
  let paused: readonly string[] = [];
  watcher = createWatcher({
    folder,
    mode: 'native',
    onPause: (files) => {
      paused = files;
    },
    onChange: (files, isSettled) => {
      emitted.push(...files.map((file) => [file]));
      if (isSettled) expect(paused).toEqual(files);
    },
    onState: () => undefined,
  });
  await watcher.settled;
  for (const name of ['one.ts', 'two.ts', 'three.ts']) {
    await writeFile(join(folder, name), 'export {};');
    await vi.waitFor(() => expect(emitted.flat()).toContain(join(folder, name)), { timeout: 5_000 });
  }
  expect(paused).not.toEqual([]);
});

it('tests again on request, once for concurrent requests', async () => {
  watcher = createWatcher({ folder, mode: 'native', onChange: () => undefined, onState: () => undefined });
  await watcher.settled;
  const first = watcher.state().self_test;
  const asked = [watcher.test(), watcher.test()];
  expect(watcher.state().self_test).toEqual({ result: 'running', reason: null, at: null, duration_ms: null });
  const answers = await Promise.all(asked);
  const fresh = watcher.state();
  expect(answers).toEqual([fresh, fresh]);
  expect(fresh).toMatchObject({ mode: 'native', reason: null, self_test: { result: 'seen' } });
  expect(fresh.self_test).not.toEqual(first);
  expect(await readdir(folder)).toEqual([]);
});

it('is no longer blind once a test finds that files appear', async () => {
  let appears = false;
  const list = async (listed: string) => (appears ? readdir(listed) : []);
  const modes: string[] = [];
  const onState = ({ mode }: { mode: string }) => void modes.push(mode);
  watcher = createWatcher({ folder, mode: 'polling', onChange: () => undefined, onState, list, probeWaitMs: 50 });
  await watcher.settled;
  appears = true;
  expect(await watcher.test()).toMatchObject({ mode: 'polling', reason: null, self_test: { result: 'seen' } });
  expect(modes).toEqual(['blind', 'polling']);
});

it('uses events again when a later test receives the event of its file', async () => {
  const emit = FSWatcher.prototype.emit;
  const deaf = vi.spyOn(FSWatcher.prototype, 'emit').mockImplementation(function (this: FSWatcher, ...event) {
    return event[0] === 'all' ? false : emit.apply(this, event);
  });
  watcher = createWatcher({ folder, mode: 'native', onChange: () => undefined, onState: () => undefined, probeWaitMs: 500 });
  await watcher.settled;
  const { mode, reason } = watcher.state();
  expect([mode, reason]).toEqual(['polling', expect.stringMatching(/raise no events/)]);
  deaf.mockRestore();
  const again = watcher;
  const heard = { mode: 'native', reason: null, self_test: { result: 'seen' } };
  await vi.waitFor(async () => expect(await again.test()).toMatchObject(heard), { timeout: 5_000 });
});

it('uses events again without a request once a file raises one', async () => {
  const emit = FSWatcher.prototype.emit;
  const deaf = vi.spyOn(FSWatcher.prototype, 'emit').mockImplementation(function (this: FSWatcher, ...event) {
    return event[0] === 'all' ? false : emit.apply(this, event);
  });
  const modes: string[] = [];
  const onState = ({ mode }: { mode: string }) => void modes.push(mode);
  watcher = createWatcher({ folder, mode: 'native', onChange: () => undefined, onState, probeWaitMs: 500, retryMs: 50 });
  await watcher.settled;
  expect(modes).toEqual(['polling']);
  deaf.mockRestore();
  await vi.waitFor(() => expect(modes).toEqual(['polling', 'native']), { timeout: 30_000 });
  expect(watcher.state()).toMatchObject({ mode: 'native', reason: null });
});

it('restarts a stopped watcher, without a request', async () => {
  const emitted = vi.spyOn(FSWatcher.prototype, 'emit');
  const modes: string[] = [];
  const onState = ({ mode }: { mode: string }) => void modes.push(mode);
  watcher = createWatcher({ folder, mode: 'native', onChange: () => undefined, onState, retryMs: 50 });
  await watcher.settled;
  const native = emitted.mock.contexts[0];
  if (!(native instanceof FSWatcher)) throw new Error('no event was reported yet');
  native.emit('error', new Error('ENOSPC: no more watches'));
  await vi.waitFor(() => expect(modes).toEqual(['polling', 'native']), { timeout: 30_000 });
  expect(native.closed).toBe(true);
});

it.each([
  ['ENOSPC', 'watching stopped: more folders than fs.inotify.max_user_watches allows (ENOSPC); raise it with sysctl'],
  ['EMFILE', 'watching stopped: more watchers than fs.inotify.max_user_instances allows (EMFILE); raise it with sysctl'],
])('names the setting of the system whose limit stopped it (%s)', async (code, reason) => {
  const emitted = vi.spyOn(FSWatcher.prototype, 'emit');
  watcher = createWatcher({ folder, mode: 'native', onChange: () => undefined, onState: () => undefined });
  await watcher.settled;
  const native = emitted.mock.contexts[0];
  if (!(native instanceof FSWatcher)) throw new Error('no event was reported yet');
  native.emit('error', Object.assign(new Error(`${code}: no more watches`), { code }));
  expect(watcher.state()).toMatchObject({ mode: 'polling', reason });
});

it('also tests polling when watching stops, and watches again after a later test', async () => {
  const emitted = vi.spyOn(FSWatcher.prototype, 'emit');
  const modes: string[] = [];
  const seen: string[] = [];
  const onState = ({ mode }: { mode: string }) => void modes.push(mode);
  const inside = join(folder, 'extensions');
  const helper = join(folder, 'helper.ts');
  await mkdir(inside);
  watcher = createWatcher({ folder: inside, mode: 'native', onChange: (files) => void seen.push(...files), onState });
  await watcher.settled;
  watcher.watchAlso([helper]);
  const native = emitted.mock.contexts[0];
  if (!(native instanceof FSWatcher)) throw new Error('no event was reported yet');
  native.emit('error', new Error('ENOSPC: no more watches'));
  native.emit('error', new Error('ENOSPC: no more watches'));
  const again = watcher;
  const polled = { mode: 'polling', reason: 'watching stopped: ENOSPC: no more watches', self_test: { result: 'seen' } };
  await vi.waitFor(() => expect(again.state()).toMatchObject(polled), { timeout: 5_000 });
  expect(await again.test()).toMatchObject({ mode: 'native', reason: null, self_test: { result: 'seen' } });
  expect(native.closed).toBe(true);
  expect(modes).toEqual(['polling', 'native']);
  for (const file of [join(inside, 'new.ts'), helper]) {
    await writeFile(file, 'export {};');
    await vi.waitFor(() => expect(seen).toContain(file), { timeout: 5_000 });
  }
});

it('does not rely on a watcher that stops during its test, even when it reports the file', async () => {
  const emit = FSWatcher.prototype.emit;
  vi.spyOn(FSWatcher.prototype, 'emit').mockImplementation(function (this: FSWatcher, ...event) {
    if (event[0] === 'all') emit.call(this, 'error', new Error('ENOSPC: no more watches'));
    return emit.apply(this, event);
  });
  watcher = createWatcher({ folder, mode: 'native', onChange: () => undefined, onState: () => undefined });
  await watcher.settled;
  expect(watcher.state()).toMatchObject({ mode: 'polling', reason: 'watching stopped: ENOSPC: no more watches' });
  expect(watcher.state().self_test.result).toBe('seen');
});
