import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, createRuntimeHarness, resultOf, type RuntimeHarness, startCall } from './runtime-harness.ts';
import type { Artifact, DescribeExtension, RunningExtension, Runtime } from './runtime.ts';

/**
 * Guarantees of every runtime, in every language, for imported files and servers. A runtime brings one small extension per
 * misbehaviour, under the same name; messages may differ, codes and outcomes may not.
 */
interface RuntimeUnderTest {
  readonly name: string;
  create(limits: { loadTimeoutMs: number; maxResultBytes: number; extensionMemoryMb: number }): Runtime;
  artifactOf(fixture: string): Artifact;
  /** Absent: the replacement for the loader's validation. */
  readonly describe?: DescribeExtension;
  /** The value that a tool returned, from the result of its call. */
  valueOf(result: unknown): unknown;
  /** How a call reports that its process ended with exit code 7, or was killed. */
  readonly ends: { readonly exit: string; readonly kill: string };
  /** The `status()` of the fixture `logs-and-reports`. */
  readonly status: unknown;
}

const LOAD_TIMEOUT_MS = 20_000;
const RESULT_BYTES = 200_000;
const MEMORY_MB = 256;

export function describeRuntimeContract({ name, create, artifactOf, describe: describer, valueOf, ends, status }: RuntimeUnderTest): void {
  describe(`the ${name} runtime`, () => {
    let harness: RuntimeHarness;
    beforeAll(() => {
      harness = createRuntimeHarness(
        create({ loadTimeoutMs: LOAD_TIMEOUT_MS, maxResultBytes: RESULT_BYTES, extensionMemoryMb: MEMORY_MB }),
        artifactOf,
        describer,
      );
    });
    afterAll(() => harness.runtime.close());

    const valueFrom = async (extension: RunningExtension, tool: string, args: unknown = {}): Promise<unknown> =>
      valueOf(await resultOf(extension, tool, args));

    describe('loading', () => {
      it('returns an extension that answers', async () => {
        const extension = await harness.start('echo');
        expect(await valueFrom(extension, 'echo', { text: 'ab', times: 2 })).toEqual({ text: 'abab' });
        expect(extension.process()).toMatchObject({ state: 'running', restarts: 0 });
        await extension.close(0);
        expect(extension.process()).toMatchObject({ state: 'stopped', pid: null });
      });

      it('gives its process a lower priority than the host has', async () => {
        const extension = await harness.start('echo');
        const pid = extension.process().pid ?? 0;
        expect(getPriority(pid)).toBeGreaterThan(getPriority());
        const session = `/proc/${pid}/autogroup`;
        if (existsSync(session) && readFileSync(session, 'utf8').includes(' nice '))
          await harness.until(() => readFileSync(session, 'utf8').endsWith(' nice 5\n'));
        await extension.close(0);
      });

      it('returns the failure of the description', async () => {
        const outcome = await harness.load('echo', {
          describe: () => ({ ok: false, failure: { code: 'field_invalid', message: 'no', subject: ['TOOL'] } }),
        });
        expect(outcome).toMatchObject({ ok: false, failure: { code: 'field_invalid', message: 'no', subject: ['TOOL'] } });
      });

      it('cancels a load that is no longer wanted', async () => {
        const abort = new AbortController();
        const loading = harness.load('never-settles-at-import', { signal: abort.signal });
        abort.abort();
        expect(await loading).toMatchObject({ ok: false });
      });
    });

    describe('calls', () => {
      it('fill in defaults, and report all issues of the arguments at once', async () => {
        const extension = await harness.start('echo');
        expect(await valueFrom(extension, 'echo', { text: 'a' })).toEqual({ text: 'a' });
        const outcome = await call(extension, 'echo', { txt: 'a', times: 0, mood: 'sad' });
        expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'invalid_parameters' } });
        const issues = outcome.status === 'succeeded' ? [] : (outcome.error.issues ?? []);
        expect(issues.map(({ path }) => path).sort()).toEqual(['/mood', '/text', '/times', '/txt']);
        expect(await extension.validate('echo', '{"text":"a"}')).toEqual([]);
        expect(await extension.validate('echo', '{"text":""}')).toMatchObject([{ path: '/text' }]);
        await extension.close(0);
      });

      it('emit logs and progress while they run, and their output is kept', async () => {
        const extension = await harness.start('logs-and-reports');
        const running = startCall(extension, 'talk');
        expect(await running.outcome).toMatchObject({ status: 'succeeded' });
        expect(running.progress).toEqual([{ done: 1, total: 2, message: 'half' }]);
        expect(running.logs).toContainEqual(expect.objectContaining({ level: 'info', message: 'begun' }));
        await harness.until(() => extension.logs().lines.some(({ message }) => message === 'from the console'));
        await extension.close(0);
      });

      it('that fail keep their message, up to the length limit', async () => {
        const extension = await harness.start('throws-anything');
        expect(await call(extension, 'plain_error')).toMatchObject({
          status: 'failed',
          error: { kind: 'execution_error', message: 'the pump is off' },
        });
        const huge = await call(extension, 'huge');
        expect(Buffer.byteLength(huge.status === 'succeeded' ? '' : huge.error.message)).toBeLessThanOrEqual(8_192);
        await extension.close(0);
      });

      it('that fail with data that is too deep keep the rest of it, and their process', async () => {
        const extension = await harness.start('throws-anything');
        const before = extension.process().pid;
        const failed = await call(extension, 'deep_data');
        expect(failed).toMatchObject({ status: 'failed', error: { kind: 'execution_error', message: 'too deep to see' } });
        const shown = JSON.stringify(failed);
        expect(shown).toContain('Oslo');
        expect(shown).toContain('(left out: nested more than 100 levels deep)');
        expect(extension.process()).toMatchObject({ state: 'running', pid: before, restarts: 0 });
        await extension.close(0);
      });

      it('whose result is too large report it, and the next call succeeds', async () => {
        const extension = await harness.start('returns-anything');
        expect(await call(extension, 'large', { bytes: RESULT_BYTES })).toMatchObject({ error: { kind: 'result_too_large' } });
        expect(await valueFrom(extension, 'large', { bytes: 10 })).toBe('x'.repeat(10));
        await extension.close(0);
      });

      it('that print endlessly are answered, and the newest lines are kept', async () => {
        const extension = await harness.start('misbehaves');
        expect(await valueFrom(extension, 'log_much', { lines: 20_000 })).toBe('logged');
        await harness.until(() => extension.logs().lines.some(({ message }) => /^line \d+$/.test(message)));
        const { lines } = extension.logs();
        expect(lines.reduce((sum, { message }) => sum + message.length, 0)).toBeLessThanOrEqual(65_536);
        expect(await call(extension, 'pid')).toMatchObject({ status: 'succeeded' });
        await extension.close(0);
      });

      it('time out, and keep the process if it still answers', async () => {
        const extension = await harness.start('misbehaves');
        const before = await valueFrom(extension, 'pid');
        expect(await call(extension, 'never', {}, 50)).toMatchObject({
          status: 'timed_out',
          error: { kind: 'timeout', message: expect.stringContaining('50 ms') },
        });
        // On a busy machine the call may time out before the tool receives it.
        for (let isTold = false; !isTold;) {
          expect(await call(extension, 'late', {}, 50)).toMatchObject({ status: 'timed_out' });
          await wait(200);
          isTold = extension.logs().lines.some(({ message }) => message.startsWith('aborted'));
        }
        expect(await valueFrom(extension, 'pid')).toBe(before);
        await extension.close(0);
      });

      it('can be cancelled', async () => {
        const extension = await harness.start('misbehaves');
        const running = startCall(extension, 'never');
        running.cancel();
        expect(await running.outcome).toMatchObject({ status: 'cancelled', error: { kind: 'cancelled' } });
        expect(extension.callsInFlight()).toBe(0);
        await extension.close(0);
      });

      it.each(Object.entries(ends))('end when the process does (%s)', async (tool, words) => {
        const extension = await harness.start('misbehaves');
        const other = call(extension, 'never');
        const outcomes = await Promise.all([call(extension, tool), other]);
        for (const outcome of outcomes)
          expect(outcome).toMatchObject({
            status: 'failed',
            error: { kind: 'extension_crashed', message: expect.stringContaining(words) },
          });
        expect(extension.process()).toMatchObject({ state: 'backoff', restarts: 1, retryAt: expect.any(Number) });
        expect(await call(extension, 'pid')).toMatchObject({ status: 'succeeded' });
        await extension.close(0);
      });

      it('that fill memory end with that reason and a failure', async () => {
        const extension = await harness.start('misbehaves');
        expect(await call(extension, 'fill_buffers')).toMatchObject({
          status: 'failed',
          error: { kind: 'extension_crashed', data: { reason: 'memory_limit' } },
        });
        expect(harness.failures()).toContainEqual(expect.objectContaining({ code: 'memory_limit' }));
        await extension.close(0);
      });

      it('to an unknown tool list the existing ones', async () => {
        const extension = await harness.start('echo');
        expect(await call(extension, 'ecko')).toMatchObject({
          status: 'failed',
          error: { kind: 'not_found', message: expect.stringContaining('echo') },
        });
        await extension.close(0);
      });
    });

    describe('the lifecycle of an extension', () => {
      it('enters a crash loop, and serves again after a restart by a person', async () => {
        const extension = await harness.start('misbehaves');
        for (let crash = 0; crash < 3; crash += 1)
          expect(await call(extension, 'exit')).toMatchObject({ error: { kind: 'extension_crashed' } });
        expect(extension.process()).toMatchObject({ state: 'crash_loop', restarts: 3 });
        expect(harness.failures()).toContainEqual(expect.objectContaining({ code: 'crash_loop' }));
        expect(await call(extension, 'pid')).toMatchObject({
          error: { kind: 'extension_unavailable', message: expect.stringContaining('Restart') },
        });
        expect(await extension.restart('Restarted by a person')).toBeNull();
        expect(await call(extension, 'pid')).toMatchObject({ status: 'succeeded' });
        expect(extension.process()).toMatchObject({ state: 'running', restarts: 0 });
        await extension.close(0);
      });

      it('starts at the first call after a revival, given only its description', async () => {
        const loaded = await harness.start('echo');
        await loaded.close(0);
        const revived = harness.runtime.revive(artifactOf('echo'), loaded.description, { onIncident: () => undefined });
        expect(revived.process()).toMatchObject({ state: 'none', pid: null });
        expect(await revived.status()).toBeNull();
        expect(await valueFrom(revived, 'echo', { text: 'a' })).toEqual({ text: 'a' });
        await revived.close(0);
      });

      it('lets running calls finish on close, and refuses new ones', async () => {
        const extension = await harness.start('misbehaves');
        const running = call(extension, 'slow', { ms: 200 });
        const closing = extension.close(10_000);
        expect(await call(extension, 'pid')).toMatchObject({ status: 'failed', error: { kind: 'extension_unavailable' } });
        const outcome = await running;
        expect(valueOf(outcome.status === 'succeeded' ? JSON.parse(outcome.resultText) : outcome)).toBe('slept');
        await closing;
        await extension.close(10_000);
      });

      it('returns its status while its process runs', async () => {
        const extension = await harness.start('logs-and-reports');
        expect(extension.description.hasStatus).toBe(true);
        expect(await extension.status()).toMatchObject({ value: status, error: null });
        await extension.close(0);
        expect(await extension.status()).toBeNull();
      });

      it('interrupts calls that do not finish within the drain time', async () => {
        const extension = await harness.start('misbehaves');
        const running = call(extension, 'never');
        await extension.close(50);
        expect(await running).toMatchObject({ status: 'cancelled', error: { kind: 'cancelled' } });
      });
    });
  });
}

const IMPORT_TIMEOUT_MS = 4_000;

/** Guarantees of every runtime that imports the extension into its own process. */
export function describeImportContract({ name, create, artifactOf }: Pick<RuntimeUnderTest, 'name' | 'create' | 'artifactOf'>): void {
  describe(`imported extensions in the ${name} runtime`, () => {
    let harness: RuntimeHarness;
    beforeAll(() => {
      harness = createRuntimeHarness(
        create({ loadTimeoutMs: IMPORT_TIMEOUT_MS, maxResultBytes: RESULT_BYTES, extensionMemoryMb: MEMORY_MB }),
        artifactOf,
      );
    });
    afterAll(() => harness.runtime.close());

    describe('loading', () => {
      it('reports where a file threw during its import, with its output', async () => {
        const failure = await harness.fail('throws-at-import');
        expect(failure).toMatchObject({ code: 'import_error', line: 4, output: expect.stringContaining('about to fail') });
        expect(failure.message).toContain('settings are missing');
        expect(failure.file).toBe(artifactOf('throws-at-import').entryFile);
        expect(failure.stack?.split('\n')[1]).toContain('throws-at-import');
      });

      it.concurrent.each(['loops-at-import', 'never-settles-at-import'])('stops a file that %s', async (fixture) => {
        expect(await harness.fail(fixture)).toMatchObject({ code: 'import_timeout' });
      });

      it('reports an exit while loading with its code and output', async () => {
        const failure = await harness.fail('exits-at-import');
        expect(failure).toMatchObject({ code: 'process_exited', output: expect.stringContaining('leaving') });
        expect(failure.message).toContain('3');
      });

      it('reports a signal that ended the process while loading', async () => {
        const failure = await harness.fail('kills-itself-at-import');
        expect(failure.code).toBe('process_exited');
        expect(failure.message).toContain('SIGKILL');
      });

      it('stops a file that fills memory while it is imported', async () => {
        expect(await harness.fail('fills-memory-at-import')).toMatchObject({ code: 'memory_limit' });
      });

      it('reports a missing package', async () => {
        const failure = await harness.fail('misses-package');
        expect(failure.code).toBe('import_unresolved');
        expect(failure.message).toContain('a-package-that-is-not-there');
      });

      it('refuses a description with too many bytes but few characters', async () => {
        expect(await harness.fail('describes-in-many-bytes')).toMatchObject({
          code: 'tool_invalid',
          message: 'The tool descriptions contain more than 8 MiB of JSON. Shorten the descriptions and schemas.',
        });
      });

      it('reports the location in an invalid schema', async () => {
        expect(await harness.fail('wrong-schema')).toMatchObject({
          code: 'parameters_invalid',
          subject: ['TOOLS', 1, 'parameters', 'properties', 'size', 'type'],
        });
      });
    });

    describe('calls', () => {
      it('with many wrong arguments fail alone', async () => {
        const extension = await harness.start('misbehaves');
        const before = extension.process().pid;
        const outcomes = [3_000, 20_000].map((length) => call(extension, 'take_rows', { rows: Array.from({ length }, () => 1) }));
        const expected = { path: '/rows/0', message: 'must be a string, null, true or false or an object, but it is a number' };
        for (const outcome of await Promise.all(outcomes))
          expect(outcome).toMatchObject({
            error: { kind: 'invalid_parameters', issues: expect.arrayContaining([expect.objectContaining(expected)]) },
          });
        expect(extension.process()).toMatchObject({ state: 'running', pid: before, restarts: 0 });
        await extension.close(0);
      });

      it('that log data that is too deep or too long keep the rest of it, and their process', async () => {
        const extension = await harness.start('misbehaves');
        const before = extension.process().pid;
        const running = startCall(extension, 'log_deep');
        expect(await running.outcome).toMatchObject({ status: 'succeeded' });
        expect(running.logs).toMatchObject([
          { message: 'deep', data: { city: 'Oslo' } },
          { message: 'long', data: expect.stringContaining('left out: ') },
        ]);
        expect(JSON.stringify(running.logs[0])).toContain('(left out: nested more than 100 levels deep)');
        expect(extension.process()).toMatchObject({ state: 'running', pid: before, restarts: 0 });
        await extension.close(0);
      });

      it('emit logs and progress while they run, and keep their output', async () => {
        const extension = await harness.start('logs-and-reports');
        const running = startCall(extension, 'talk');
        expect(await running.outcome).toMatchObject({ status: 'succeeded' });
        expect(running.progress).toEqual([{ done: 1, total: 2, message: 'half' }]);
        expect(running.logs[0]).toMatchObject({ level: 'info', message: 'begun', data: { step: 1 } });
        expect(running.logs.map(({ message }) => message)).toContain('from the console');
        await harness.until(() =>
          extension
            .logs()
            .lines.some(({ stream, message }) => stream === 'stdout' && message === 'raw \u001B[31mred\u001B[0m without an end'),
        );
        expect(extension.logs().lines).toContainEqual(expect.objectContaining({ stream: 'log', message: 'imported', call_id: null }));
        await extension.close(0);
      });

      it('stuck in a loop end the process with its other calls; the next process is unaffected', async () => {
        const extension = await harness.start('misbehaves');
        const other = call(extension, 'never');
        expect(await call(extension, 'loop', {}, 100)).toMatchObject({ status: 'timed_out' });
        expect(await other).toMatchObject({ status: 'failed', error: { kind: 'extension_crashed' } });
        expect(await call(extension, 'pid')).toMatchObject({ status: 'succeeded' });
        expect(extension.process()).toMatchObject({ state: 'running', restarts: 0 });
        expect(harness.failures()).toContainEqual(expect.objectContaining({ code: 'unresponsive' }));
        await extension.close(0);
      });

      it('stuck in a loop do not affect the next call, which waits for another process', async () => {
        const extension = await harness.start('misbehaves');
        const before = await resultOf(extension, 'pid');
        expect(await call(extension, 'loop', {}, 100)).toMatchObject({ status: 'timed_out' });
        const outcomes = await Promise.all([call(extension, 'pid'), call(extension, 'pid')]);
        const pids = outcomes.map((outcome) => (outcome.status === 'succeeded' ? JSON.parse(outcome.resultText) : outcome.error));
        expect(pids[0]).toEqual(expect.any(Number));
        expect(pids[0]).not.toBe(before);
        expect(pids[1]).toBe(pids[0]);
        await extension.close(0);
      });

      it('that throw keep their message, kind and data', async () => {
        const extension = await harness.start('throws-anything');
        expect(await call(extension, 'plain_error')).toMatchObject({
          status: 'failed',
          error: { kind: 'execution_error', message: 'the pump is off' },
        });
        expect(await call(extension, 'typed')).toMatchObject({
          error: { kind: 'not_found', message: 'there is no such city', data: { city: 'Oslo' } },
        });
        const huge = await call(extension, 'huge');
        expect(Buffer.byteLength(huge.status === 'succeeded' ? '' : huge.error.message)).toBeLessThanOrEqual(8_192);
        await extension.close(0);
      });

      it('whose result is too large, circular or invalid report it', async () => {
        const extension = await harness.start('returns-anything');
        expect(await call(extension, 'large', { bytes: RESULT_BYTES })).toMatchObject({ error: { kind: 'result_too_large' } });
        expect(await call(extension, 'large', { bytes: RESULT_BYTES - 10 })).toMatchObject({ status: 'succeeded' });
        expect(await call(extension, 'circular')).toMatchObject({
          error: { kind: 'result_not_serializable', message: expect.stringContaining('/list/0') },
        });
        expect(await call(extension, 'checked', { temperature: 'warm' })).toMatchObject({
          error: { kind: 'schema_error', issues: [{ path: '/temperature' }] },
        });
        expect(await call(extension, 'checked', { temperature: 3 })).toMatchObject({ status: 'succeeded' });
        await extension.close(0);
      });
    });

    describe('status', () => {
      it('returns its status, or reports that no status arrives', async () => {
        const talking = await harness.start('logs-and-reports');
        expect(await talking.status()).toMatchObject({
          value: { connected: true, since: expect.stringMatching(/^1970-01-01T00:00:00(?:\.000)?Z$/) },
          error: null,
        });
        const silent = await harness.start('status-hangs');
        expect(await silent.status()).toMatchObject({ value: null, error: expect.stringContaining('did not answer') });
        await Promise.all([talking.close(0), silent.close(0)]);
      });
    });
  });
}
