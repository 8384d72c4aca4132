import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createProcessSpace, createRunningExtensions } from './running-extensions.ts';
import type { FramedProcess } from './framed-process.ts';
import type { ProcessSpace, StartedExtension } from './running-extensions.ts';
import type { Artifact, Incident } from './runtime.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const artifact: Artifact = {
  extension: 'a',
  kind: 'tools',
  runtime: 'node',
  contentHash: 'a',
  folder: '/a',
  entryFile: '/a/extension.ts',
  programFile: '/a/program.mjs',
};

const LOAD_TIMEOUT_MS = 10_000;

function load(outcomes: readonly StartedExtension[], space = createProcessSpace()) {
  let starts = 0;
  let elapsed = 0;
  const lines: string[] = [];
  const endPrewarmed = vi.fn<() => void>();
  const extensions = createRunningExtensions({
    memoryMb: 1,
    space,
    endPrewarmed,
    clock: { now: () => 0, elapsed: () => elapsed },
    random: () => 0,
    async start() {
      starts += 1;
      const outcome = outcomes[Math.min(starts, outcomes.length) - 1] ?? failed('none');
      if (!outcome.ok && outcome.failure.code === 'start_timeout') elapsed += LOAD_TIMEOUT_MS;
      return outcome;
    },
  });
  const onIncident = (incident: Incident): void => {
    if (incident.type === 'log') lines.push(incident.line.message);
  };
  const describe = () => ({ ok: false, failure: { code: 'tool_invalid', message: '' } }) as const;
  const loaded = extensions.load(artifact, { signal: new AbortController().signal, describe, onIncident });
  return { loaded, lines, starts: () => starts, extensions, endPrewarmed };
}

function failed(message: string, code: 'spawn_failed' | 'start_timeout' | 'import_error' = 'spawn_failed'): StartedExtension {
  return { ok: false, failure: { code, message } };
}

it('waits and reports it while the system cannot start more processes', async () => {
  const exhausted = failed('The process could not be started: spawn node EMFILE');
  const { loaded, lines, starts } = load([exhausted, exhausted, failed('It throws', 'import_error')]);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(starts()).toBe(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await loaded).toMatchObject({ ok: false, failure: { code: 'import_error' } });
  expect(lines).toEqual(Array(2).fill('The process could not be started: spawn node EMFILE. The start is tried again in a second'));
});

it('gives up after half a minute, and at once on other failures', async () => {
  const { loaded, starts } = load([failed('The process could not be started: spawn node EAGAIN')]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await loaded).toMatchObject({ ok: false, failure: { code: 'spawn_failed' } });
  expect(starts()).toBe(30);
  const other = load([failed('The process could not be started: spawn node ENOENT')]);
  await other.loaded;
  expect(other.starts()).toBe(1);
});

it('reports the shortage once, and ends an unused process of another runtime and those that wait for an extension', async () => {
  const reports: string[] = [];
  const space = createProcessSpace((reason) => reports.push(reason));
  const ended = vi.fn<() => Promise<void>>(async () => undefined);
  space.running.add({ isUnused: () => false, endUnused: () => expect.unreachable() });
  space.running.add({ isUnused: () => true, endUnused: ended });
  const exhausted = failed('The process could not be started: spawn node EMFILE');
  const { loaded, extensions, endPrewarmed } = load([exhausted, exhausted, failed('It throws', 'import_error')], space);
  expect(extensions.isShort()).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  await loaded;
  expect(extensions.isShort()).toBe(true);
  expect(ended).toHaveBeenCalledTimes(2);
  expect(endPrewarmed).toHaveBeenCalledTimes(2);
  expect(reports).toEqual(['The process could not be started: spawn node EMFILE']);
});

it.each([
  failed('The process was killed by SIGABRT before it could import anything'),
  failed('The process was started but did not respond', 'start_timeout'),
  failed("can't start new thread", 'import_error'),
])('starts a process again that fails at its start soon after another one could not start (%o)', async (died) => {
  const alone = load([died]);
  await alone.loaded;
  expect(alone.starts()).toBe(1);
  const { loaded, starts } = load([failed('fork: EAGAIN'), died, failed('It throws', 'import_error')]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await loaded).toMatchObject({ failure: { code: 'import_error' } });
  expect(starts()).toBe(3);
});

it('starts no process with the file descriptors that are reserved for requests', () => {
  const begin = vi.fn<() => FramedProcess>(() => {
    throw new Error('started');
  });
  const launch = (space: ProcessSpace, usesReserve?: true) => load([failed('none')], space).extensions.launch(begin, false, usesReserve);
  expect(() => launch(createProcessSpace(undefined, 1_000_000))).toThrow('started');
  expect(() => launch(createProcessSpace(undefined, 1))).toThrow(/^EMFILE: .* reserved for requests$/);
  expect(begin).toHaveBeenCalledOnce();
  expect(() => launch(createProcessSpace(undefined, 1), true)).toThrow('started');
});
