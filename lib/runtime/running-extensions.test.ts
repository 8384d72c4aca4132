import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createProcessSpace, createRunningExtensions } from './running-extensions.ts';
import type { StartedExtension } from './running-extensions.ts';
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

function load(outcomes: readonly StartedExtension[], space = createProcessSpace()) {
  let starts = 0;
  const lines: string[] = [];
  const extensions = createRunningExtensions({
    memoryMb: 1,
    space,
    clock: { now: () => 0, elapsed: () => 0 },
    random: () => 0,
    async start() {
      starts += 1;
      return outcomes[Math.min(starts, outcomes.length) - 1] ?? failed('none');
    },
  });
  const onIncident = (incident: Incident): void => {
    if (incident.type === 'log') lines.push(incident.line.message);
  };
  const describe = () => ({ ok: false, failure: { code: 'tool_invalid', message: '' } }) as const;
  const loaded = extensions.load(artifact, { signal: new AbortController().signal, describe, onIncident });
  return { loaded, lines, starts: () => starts };
}

function failed(message: string, code: 'spawn_failed' | 'import_error' = 'spawn_failed'): StartedExtension {
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

it('ends an unused process of another runtime', async () => {
  const space = createProcessSpace();
  const ended = vi.fn<() => Promise<void>>(async () => undefined);
  space.running.add({ isUnused: () => false, endUnused: () => expect.unreachable() });
  space.running.add({ isUnused: () => true, endUnused: ended });
  const { loaded } = load([failed('The process could not be started: spawn node EMFILE'), failed('It throws', 'import_error')], space);
  await vi.advanceTimersByTimeAsync(1_000);
  await loaded;
  expect(ended).toHaveBeenCalledOnce();
});

it('starts a process again that died at its start soon after another one could not start', async () => {
  const died = failed('The process was killed by SIGABRT before it could import anything');
  const alone = load([died]);
  await alone.loaded;
  expect(alone.starts()).toBe(1);
  const { loaded, starts } = load([failed('fork: EAGAIN'), died, failed('It throws', 'import_error')]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await loaded).toMatchObject({ failure: { code: 'import_error' } });
  expect(starts()).toBe(3);
});
