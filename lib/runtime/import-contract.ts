import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, createRuntimeHarness, resultOf, startCall } from './runtime-harness.ts';
import type { RuntimeHarness } from './runtime-harness.ts';
import type { RuntimeUnderTest } from './runtime-contract.ts';

/** Guarantees of every runtime that imports the extension into its own process. */
const LOAD_TIMEOUT_MS = 4_000;
const RESULT_BYTES = 200_000;
const MEMORY_MB = 256;

export function describeImportContract({ name, create, artifactOf }: Pick<RuntimeUnderTest, 'name' | 'create' | 'artifactOf'>): void {
  describe(`imported extensions in the ${name} runtime`, () => {
    let harness: RuntimeHarness;
    beforeAll(() => {
      harness = createRuntimeHarness(
        create({ loadTimeoutMs: LOAD_TIMEOUT_MS, maxResultBytes: RESULT_BYTES, extensionMemoryMb: MEMORY_MB }),
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
