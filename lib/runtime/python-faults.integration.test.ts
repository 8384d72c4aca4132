import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenOf, isAlive } from '#lib/testing/child-processes.ts';
import { PROGRAMS_DIR } from '#lib/testing/shared-programs.ts';
import { call, createRuntimeHarness, pythonArtifact, resultOf, type RuntimeHarness, startCall } from '#lib/runtime/runtime-harness.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPythonRuntime } from './python-runtime.ts';
import type { RunningExtension } from './runtime.ts';

/** Faults in calls that only Python has: its exceptions, threads and values. */
const place = realpathSync(mkdtempSync(join(tmpdir(), 'python-faults-')));
let harness: RuntimeHarness;
let extension: RunningExtension | null = null;

async function start(fixture: string): Promise<RunningExtension> {
  extension = await harness.start(fixture);
  return extension;
}

beforeAll(() => {
  const runtime = createPythonRuntime({
    limits: { loadTimeoutMs: 10_000, maxResultBytes: 5_000_000, extensionMemoryMb: 200 },
    python: 'python3',
    environmentOf: () => ({}),
    commonEnvironment: { PATH: process.env['PATH'] ?? '' },
    workspaceRoot: place,
    cacheDir: PROGRAMS_DIR,
  });
  harness = createRuntimeHarness(runtime, (fixture) => pythonArtifact(fixture, join(place, 'programs')));
});

afterEach(async () => {
  await extension?.close(0);
  extension = null;
});

afterAll(async () => {
  await harness.runtime.close();
  rmSync(place, { recursive: true });
});

describe('an exception of a Python tool', () => {
  let running: RunningExtension;
  beforeAll(async () => {
    running = await harness.start('throws-anything');
  });
  afterAll(() => running.close(0));

  it.each([
    ['empty', 'ValueError (without a message)'],
    ['key', "KeyError: 'city'"],
    ['trapped', 'Trapped (its text cannot be shown)'],
    ['exit', 'The tool called sys.exit(4). Return a result, or raise an error with a message.'],
    ['interrupt', 'The tool raised KeyboardInterrupt. Return a result, or raise an error with a message.'],
    ['stop', 'StopIteration: end'],
    ['group', 'of the base'],
    ['caused', 'no weather\nCaused by: RuntimeError: fetch failed\nCaused by: OSError: connection refused'],
    ['several', 'no mirror answers\n- OSError: mirror 1 is away\n- OSError: mirror 2 is away\n- OSError: mirror 3 is away\nand 2 more'],
    ['its_own_cause', 'round and round'],
    ['false_kind', 'odd kind'],
    ['unkind', 'of no kind'],
    ['unreadable_data', 'with a number'],
  ])('ends only its call: %s', async (tool, message) => {
    const before = running.process().pid;
    expect(await call(running, tool)).toMatchObject({ status: 'failed', error: { kind: 'execution_error', message } });
    expect(running.process()).toMatchObject({ state: 'running', pid: before, restarts: 0 });
  });

  it('is logged with its location, own frames first', async () => {
    await call(running, 'plain_error');
    await harness.until(() => running.logs().lines.some(({ message }) => /throws-anything\.py", line 35, in execute/.test(message)));
    expect(
      running
        .logs()
        .lines.map(({ message }) => message)
        .join('\n'),
    ).not.toContain('switchboard_child');
  });

  it('that is a MemoryError fails the call, and the process continues', async () => {
    const misbehaving = await start('misbehaves');
    const before = await resultOf(misbehaving, 'pid');
    expect(await call(misbehaving, 'ask_for_too_much')).toMatchObject({
      error: { kind: 'execution_error', message: expect.stringContaining('EXTENSION_MEMORY_MB') },
    });
    expect(await resultOf(misbehaving, 'pid')).toBe(before);
  });
});

describe('the result of a Python tool', () => {
  let running: RunningExtension;
  beforeAll(async () => {
    running = await harness.start('returns-anything');
  });
  afterAll(() => running.close(0));

  it('becomes JSON by one rule per kind of value', async () => {
    expect(await resultOf(running, 'nothing')).toBeNull();
    const kinds = startCall(running, 'kinds');
    const outcome = await kinds.outcome;
    expect(parseExactJson(outcome.status === 'succeeded' ? outcome.resultText : 'null')).toEqual({
      none: null,
      not: null,
      big: 12345678901234567890n,
      money: '1.10',
      when: '1970-01-01T00:00:00Z',
      day: '2026-01-31',
      id: '00000000-0000-0000-0000-000000000001',
      pairs: [[[1, 2], 'a']],
      numbers: { 1: 'a' },
      set: [2],
      tuple: [1, 2],
      bytes: { base64: 'aGk=' },
      point: { x: 1, color: 'red' },
      error: { name: 'ValueError', message: 'too far' },
      half: 'a\uFFFDb',
    });
    expect(kinds.logs).toMatchObject([{ level: 'warn', message: 'result: the value at /not was nan and became null' }]);
  });

  it.each([
    ['function_inside', '/rows/0/run is a function'],
    ['object_inside', '/thing is an object of the class object'],
    ['generator', 'list(…)'],
    ['trap', 'no keys'],
    ['deep', 'the value at /0/0/0/0'],
    ['deep_names', 'the value at /here/in/in/in'],
    ['deep_where_little_fits', 'the value at /here/in/in/in'],
    ['long_key', '/kkkk'],
  ])('that is not JSON is reported with its location: %s', async (tool, words) => {
    expect(await call(running, tool)).toMatchObject({
      error: { kind: 'result_not_serializable', message: expect.stringContaining(words) },
    });
  });
});

describe('threads, tasks and processes of a tool', () => {
  it.each(['thread_raises', 'task_raises'])('that fail after the return end the process once it is idle: %s', async (tool) => {
    const running = await start('misbehaves');
    const before = await resultOf(running, 'pid');
    expect(await resultOf(running, tool)).toBe('returned');
    await harness.until(() => running.logs().lines.some(({ level, message }) => level === 'error' && message.includes('after the return')));
    expect(await resultOf(running, 'pid')).not.toBe(before);
    expect(running.process()).toMatchObject({ restarts: 0 });
  });

  it('that fail after the return are reported if the extension keeps them, and not if it awaits them later', async () => {
    const running = await start('misbehaves');
    const before = await resultOf(running, 'pid');
    const errors = () => running.logs().lines.filter(({ level }) => level === 'error');
    expect(await resultOf(running, 'awaits_failed_task')).toBe('raised, and awaited later');
    expect(await resultOf(running, 'kept_task_raises')).toBe('returned');
    await harness.until(() => errors().length > 0);
    expect(errors()).toMatchObject([
      {
        message: expect.stringMatching(/^Uncaught exception in a task: RuntimeError: raised after the return\n[^]*misbehaves\.py/),
      },
    ]);
    expect(await resultOf(running, 'pid')).toBe(before);
  });

  it('are notified through `ctx.signal` when the call is interrupted', async () => {
    const running = await start('misbehaves');
    expect(await call(running, 'late_in_thread', {}, 1_000)).toMatchObject({ status: 'timed_out' });
    await harness.until(() => running.logs().lines.some(({ message }) => message === 'aborted in its thread: This call timed out'));
    expect(running.process()).toMatchObject({ restarts: 0 });
  });

  it('that never return are ended with their process, which is replaced when it is idle', async () => {
    const running = await start('misbehaves');
    const before = Number(await resultOf(running, 'pid'));
    expect(await call(running, 'stuck_in_thread', {}, 1_000)).toMatchObject({ status: 'timed_out' });
    expect(await resultOf(running, 'pid')).toBe(before);
    await harness.until(() => !isAlive(before));
    expect(await resultOf(running, 'pid')).not.toBe(before);
  });

  it('that keep computing end the process at once with its other calls; the next process is unaffected', async () => {
    const running = await start('misbehaves');
    const before = Number(await resultOf(running, 'pid'));
    let isEnded = false as boolean;
    const other = call(running, 'stuck_in_thread', {}, 60_000).finally(() => (isEnded = true));
    expect(await call(running, 'computes_in_thread', {}, 1_000)).toMatchObject({ status: 'timed_out' });
    // On a busy machine a thread may get no processor time while it is watched.
    while (!isEnded) await call(running, 'computes_in_thread', {}, 1_000);
    expect(await other).toMatchObject({ status: 'failed', error: { kind: 'extension_crashed' } });
    expect(await resultOf(running, 'pid')).not.toBe(before);
    expect(running.process()).toMatchObject({ restarts: 0 });
  });

  it.runIf(process.platform === 'linux')('that the system does not start let calls wait for a thread', async () => {
    const running = await start('starts-no-threads');
    await resultOf(running, 'limit');
    const held = resultOf(running, 'hold');
    const answered = resultOf(running, 'answer');
    await resultOf(running, 'release');
    expect(await Promise.all([held, answered])).toEqual(['held', 'answered']);
  });

  it('that are forked cannot send answers', async () => {
    const running = await start('misbehaves');
    expect(await resultOf(running, 'forks')).toBe('forked');
    await harness.until(() => running.logs().lines.some(({ message }) => message.includes('from the fork')));
  });

  it('that send invalid messages to the host are stopped', async () => {
    const running = await start('misbehaves');
    expect(await call(running, 'false_frame')).toMatchObject({ error: { kind: 'extension_crashed', data: { reason: 'protocol' } } });
  });
});

describe('output', () => {
  it('of a call belongs to it, also from `logging` and without a line end', async () => {
    const running = await start('logs-and-reports');
    const talk = startCall(running, 'talk');
    await talk.outcome;
    expect(talk.logs).toMatchObject([
      { level: 'info', message: 'begun' },
      { level: 'info', message: 'from the console' },
      { level: 'warn', message: 'from logging' },
      { level: 'error', message: 'only logged' },
      { level: 'warn', message: 'unended' },
    ]);
  });

  it('of an infinite progress value fails the call', async () => {
    const running = await start('misbehaves');
    const before = running.process().pid;
    const infinite = startCall(running, 'tells_infinite_progress');
    expect(await infinite.outcome).toMatchObject({ error: { kind: 'execution_error', message: expect.stringContaining('finite') } });
    expect(infinite.progress).toEqual([{ done: 1, total: null, message: null }]);
    expect(running.process()).toMatchObject({ pid: before, restarts: 0 });
  });

  it('in one text of many lines needs no memory per line, and every line is kept or counted', async () => {
    const running = await start('misbehaves');
    const print = startCall(running, 'print_once', { lines: 30_000_000 });
    expect(await print.outcome).toMatchObject({ status: 'succeeded' });
    const messages = print.logs.map(({ message }) => message);
    expect(messages).toContain('the last line');
    const missing = Number(/^(\d+) log lines were left out: /.exec(messages.at(-1) ?? '')?.[1]);
    expect(missing).toBeGreaterThan(29_000_000);
    expect(missing + messages.filter((line) => line === 'x' || line === 'the last line').length).toBe(30_000_001);
  });

  it('in many short texts to both streams stays in order, and every line is kept or counted', async () => {
    const running = await start('misbehaves');
    const print = startCall(running, 'print_lines', { lines: 50_000 });
    expect(await print.outcome).toMatchObject({ status: 'succeeded' });
    const messages = print.logs.map(({ message }) => message);
    const numbers = messages.flatMap((message) => /^line (\d+)$/.exec(message)?.[1] ?? []).map(Number);
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    const end = messages.indexOf('unended');
    expect(messages[end - 1]).toBe('line 49999');
    const missing = messages.slice(end + 1).map((note) => Number(/^(\d+) log lines were left out: /.exec(note)?.[1]));
    expect(missing.reduce((sum, lines) => sum + lines, numbers.length)).toBeGreaterThanOrEqual(50_000);
  });

  it('in a flood never blocks, keeps the newest lines, and both logs report missing lines', async () => {
    const running = await start('misbehaves');
    const flood = startCall(running, 'log_much', { lines: 200_000 });
    expect(await call(running, 'pid')).toMatchObject({ status: 'succeeded' });
    expect(await flood.outcome).toMatchObject({ status: 'succeeded' });
    const messages = flood.logs.map(({ message }) => message);
    expect(messages).toContain('line 199999');
    expect(messages.at(-1)).toMatch(/^\d+ log lines were left out: /);
    // Printing does not wait for the host: most lines are never sent.
    expect(messages.length).toBeLessThan(100_000);
    expect(running.logs().lines.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^\d+ log lines were left out: /));
    expect(await resultOf(running, 'print_raw', { bytes: 20_000_000 })).toBe('printed');
    await harness.until(() => running.logs().lines.some(({ message }) => message.includes('left out')));
  });
});

it('an endless pattern fails its own call, not those of other extensions', async () => {
  const costly = await harness.start('costly-pattern');
  const other = await harness.start('echo');
  const stuck = call(costly, 'match_text', { text: `${'a'.repeat(60)}!` });
  const answers = await Promise.all([1, 2, 3].map(() => call(other, 'echo', { text: 'a' })));
  expect(answers.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  expect(await stuck).toMatchObject({
    status: 'failed',
    error: { kind: 'extension_unavailable', message: expect.stringContaining('too long') },
  });
  expect(await resultOf(costly, 'match_text', { text: 'aa' })).toBe('aa');
  await Promise.all([costly.close(0), other.close(0)]);
});

it('a validator process that another program kills fails no call', async () => {
  const running = await start('misbehaves');
  const before = await resultOf(running, 'pid');
  const guards = childrenOf(process.pid).filter(({ command }) => command.includes('guard'));
  for (const { pid } of guards) process.kill(pid, 'SIGSTOP');
  const waiting = resultOf(running, 'pid');
  for (const { pid } of guards) process.kill(pid, 'SIGKILL');
  expect(await waiting).toBe(before);
  expect(guards.length).toBeGreaterThan(0);
});
