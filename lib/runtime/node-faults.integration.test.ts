import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive } from '#lib/testing/child-processes.ts';
import { PROGRAMS_DIR } from '#lib/testing/shared-programs.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createNodeRuntime } from './node-runtime.ts';
import { call, createRuntimeHarness, resultOf, type RuntimeHarness, startCall } from './runtime-harness.ts';
import type { Artifact, RunningExtension } from './runtime.ts';

/** Faults in calls that only Node has: its values, and leftovers of its processes. */
const FIXTURES = fileURLToPath(new URL('./fixtures', import.meta.url));
const place = realpathSync(mkdtempSync(join(tmpdir(), 'node-faults-')));
let harness: RuntimeHarness;
let extension: RunningExtension | null = null;

function artifactOf(fixture: string): Artifact {
  const file = join(FIXTURES, extname(fixture) === '' ? `${fixture}.mjs` : fixture);
  return { extension: fixture, kind: 'tools', runtime: 'node', contentHash: fixture, folder: FIXTURES, entryFile: file, programFile: file };
}

async function start(fixture: string): Promise<RunningExtension> {
  extension = await harness.start(fixture);
  return extension;
}

beforeAll(() => {
  const runtime = createNodeRuntime({
    limits: { loadTimeoutMs: 10_000, maxResultBytes: 5_000_000, extensionMemoryMb: 200 },
    permissionsOf: (id) => (id === 'leaves-a-child' ? ['run'] : []),
    environmentOf: () => ({}),
    workspaceRoot: place,
    nodeModulesDirs: [],
    programDir: join(place, 'programs'),
    cacheDir: PROGRAMS_DIR,
  });
  harness = createRuntimeHarness(runtime, artifactOf);
});

afterEach(async () => {
  await extension?.close(0);
  extension = null;
});

afterAll(async () => {
  await harness.runtime.close();
  rmSync(place, { recursive: true });
});

describe('an uncaught error', () => {
  it.each(['stray_throw', 'stray_rejection'])(
    'after the return keeps the result, is logged, and ends the process once it is idle (%s)',
    async (tool) => {
      const running = await start('misbehaves');
      const before = await resultOf(running, 'pid');
      const other = call(running, 'slow', { ms: 300 });
      expect(await resultOf(running, tool)).toBe('returned');
      await harness.until(() =>
        running.logs().lines.some(({ level, message }) => level === 'error' && message.includes('after the return')),
      );
      expect(await other).toMatchObject({ status: 'succeeded', resultText: '"slept"' });
      expect(await resultOf(running, 'pid')).not.toBe(before);
      expect(running.process()).toMatchObject({ restarts: 0 });
    },
  );

  it('in a callback of a call ends that call and no other', async () => {
    const running = await start('misbehaves');
    const other = call(running, 'slow', { ms: 200 });
    expect(await call(running, 'throw_in_callback')).toMatchObject({
      status: 'failed',
      error: { kind: 'execution_error', message: 'thrown in a callback' },
    });
    expect(await other).toMatchObject({ status: 'succeeded' });
  });
});

describe('a process', () => {
  it('with a full heap is reported as out of memory, for each way to detect it', async () => {
    const running = await start('misbehaves');
    expect(await call(running, 'fill_heap')).toMatchObject({ error: { kind: 'extension_crashed', data: { reason: 'memory_limit' } } });
  });

  it('that aborts is a crash with its signal', async () => {
    expect(await call(await start('misbehaves'), 'abort')).toMatchObject({
      error: { kind: 'extension_crashed', message: expect.stringContaining('SIGABRT') },
    });
  });

  it('that sends a false length is stopped with that reason', async () => {
    expect(await call(await start('misbehaves'), 'false_frame')).toMatchObject({
      error: { kind: 'extension_crashed', message: expect.stringContaining('a message of 2147483647 bytes was announced') },
    });
  });

  it('that sends an invalid JSON result is stopped with that reason', async () => {
    expect(await call(await start('misbehaves'), 'false_result')).toMatchObject({
      error: { kind: 'extension_crashed', message: expect.stringContaining('a result that is not JSON'), data: { reason: 'protocol' } },
    });
  });

  it('ends with the processes it started', async () => {
    const running = await start('leaves-a-child');
    const pid = Number(await resultOf(running, 'leave_child'));
    expect(isAlive(pid)).toBe(true);
    await running.close(0);
    await harness.until(() => !isAlive(pid));
  });

  it('that prints endlessly uses no memory of the host, and missing output is reported', async () => {
    const running = await start('misbehaves');
    expect(await resultOf(running, 'print', { bytes: 10_000_000 })).toBe('printed');
    await harness.until(
      () =>
        running.logs().truncated &&
        harness.incidents.some(
          (incident) => incident.type === 'log' && incident.line.message.includes('bytes printed to stdout were left out'),
        ),
    );
    expect(running.logs()).toMatchObject({ truncated: true });
    expect(running.logs().lines.reduce((sum, { message }) => sum + message.length, 0)).toBeLessThanOrEqual(65_536);
  });

  it('that logs too fast still answers, and both logs report missing lines', async () => {
    const running = await start('misbehaves');
    const much = startCall(running, 'log_much', { lines: 100_000 });
    expect(await much.outcome).toMatchObject({ status: 'succeeded', resultText: '"logged"' });
    expect(much.logs.at(-1)).toMatchObject({ level: 'warn', message: expect.stringMatching(/^\d+ log lines were left out: /) });
    expect(running.logs().lines.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^\d+ log lines were left out: /));
  });

  it('delivers a large result and many small ones complete', async () => {
    const running = await start('returns-anything');
    expect(await resultOf(running, 'large', { bytes: 4_900_000 })).toHaveLength(4_900_000);
    const many = await Promise.all(Array.from({ length: 200 }, (_, at) => resultOf(running, 'large', { bytes: at * 50 })));
    expect(many.map((text) => String(text).length)).toEqual(Array.from({ length: 200 }, (_, at) => at * 50));
  });
});

describe('a result', () => {
  it('follows one rule per kind of value', async () => {
    const returned = await start('returns-anything');
    expect(await resultOf(returned, 'nothing')).toBeNull();
    const kinds = startCall(returned, 'kinds');
    const outcome = await kinds.outcome;
    expect(outcome.status === 'succeeded' ? JSON.parse(outcome.resultText) : outcome).toEqual({
      missing: null,
      not: null,
      big: '12345678901234567890',
      when: '1970-01-01T00:00:00.000Z',
      map: { a: 1 },
      pairs: [[1, 'a']],
      set: [1, 2],
      bytes: { base64: 'aGk=' },
      error: { name: 'RangeError', message: 'too far' },
      half: 'a\uFFFDb',
    });
    expect(kinds.logs).toMatchObject([{ level: 'warn', message: expect.stringContaining('/not was NaN') }]);
  });

  it.each([
    ['function_inside', '/rows/0/run'],
    ['symbol_inside', '/mark'],
    ['getter_throws', '/price'],
    ['to_json_throws', 'no json'],
    ['proxy', 'no keys'],
    ['revoked', '/proxy'],
    ['deep', 'levels deep'],
    ['long_key', '/kkkk'],
    ['getter_in_list', '/rows/1'],
    ['getter_in_bytes', '/bytes'],
  ])('that is not JSON is reported with its location (%s)', async (tool, words) => {
    expect(await call(await start('returns-anything'), tool)).toMatchObject({
      error: { kind: 'result_not_serializable', message: expect.stringContaining(words) },
    });
  });

  it('that never ends is too large', async () => {
    expect(await call(await start('returns-anything'), 'endless')).toMatchObject({ error: { kind: 'result_too_large' } });
  });
});

describe('a thrown value', () => {
  it('that is only logged shows no frames of the host', async () => {
    const running = startCall(await start('logs-and-reports'), 'talk');
    await running.outcome;
    const logged = running.logs.find(({ level }) => level === 'error')?.message;
    expect(logged).toContain('logs-and-reports.mjs');
    expect(logged).not.toMatch(/node:internal|child-[0-9a-f]+/);
  });

  it.each([
    ['null', 'null was thrown'],
    ['undefined', 'undefined was thrown'],
    ['text', 'just a text'],
    ['frozen', '{ a: 1 }'],
    ['false_kind', 'odd kind'],
    ['trapped', 'was thrown'],
  ])('becomes an execution error with a message (%s)', async (tool, words) => {
    const outcome = await call(await start('throws-anything'), tool);
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'execution_error', message: expect.stringContaining(words) } });
    expect(JSON.stringify(outcome)).not.toMatch(/node:internal|child-[0-9a-f]+/);
  });

  it.each([
    ['caused', 'no weather\nCaused by: TypeError: fetch failed\nCaused by: connect ECONNREFUSED 127.0.0.1:9'],
    ['several', 'no mirror answers\n- mirror 1 is away\n- mirror 2 is away\n- mirror 3 is away\nand 2 more'],
    ['its_own_cause', 'round and round'],
  ])('reports its inner errors, one line each (%s)', async (tool, message) => {
    expect(await call(await start('throws-anything'), tool)).toMatchObject({ error: { kind: 'execution_error', message } });
  });

  it('is logged with the frames of the extension', async () => {
    const running = await start('throws-anything');
    await call(running, 'plain_error');
    expect(running.logs().lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: expect.stringMatching(/the pump is off\n.*throws-anything\.mjs:\d+/s),
        call_id: expect.any(String),
      }),
    );
  });
});
