import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, createRuntimeHarness, resultOf, startCall } from './runtime-harness.ts';
import type { Artifact, Runtime } from './runtime.ts';
import type { RuntimeHarness } from './runtime-harness.ts';

/**
 * What every runtime keeps, whatever language its extensions are written in. A runtime brings one small extension for
 * each misbehaviour, under the same name; messages may differ, codes and outcomes may not.
 */
export interface RuntimeUnderTest {
  readonly name: string;
  create(limits: { loadTimeoutMs: number; maxResultBytes: number; extensionMemoryMb: number }): Runtime;
  artifactOf(fixture: string): Artifact;
}

const LOAD_TIMEOUT_MS = 2_500;
const RESULT_BYTES = 200_000;
const MEMORY_MB = 256;

export function describeRuntimeContract({ name, create, artifactOf }: RuntimeUnderTest): void {
  describe(`the ${name} runtime`, () => {
    let harness: RuntimeHarness;
    beforeAll(() => {
      harness = createRuntimeHarness(
        create({ loadTimeoutMs: LOAD_TIMEOUT_MS, maxResultBytes: RESULT_BYTES, extensionMemoryMb: MEMORY_MB }),
        artifactOf,
      );
    });
    afterAll(() => harness.runtime.close());

    describe('loading', () => {
      it('gives back an extension that answers', async () => {
        const extension = await harness.start('echo');
        expect(await resultOf(extension, 'echo', { text: 'ab', times: 2 })).toEqual({ text: 'abab' });
        expect(extension.process()).toMatchObject({ state: 'running', restarts: 0 });
        await extension.close(0);
        expect(extension.process()).toMatchObject({ state: 'stopped', pid: null });
      });

      it('says where a file threw while it was imported, and what it had printed', async () => {
        const failure = await harness.fail('throws-at-import');
        expect(failure).toMatchObject({ code: 'import_error', line: 4, output: expect.stringContaining('about to fail') });
        expect(failure.message).toContain('settings are missing');
        expect(failure.file).toBe(artifactOf('throws-at-import').entryFile);
        expect(failure.stack?.split('\n')[1]).toContain('throws-at-import');
      });

      it.each(['loops-at-import', 'never-settles-at-import'])('stops a file that %s', async (fixture) => {
        expect(await harness.fail(fixture)).toMatchObject({ code: 'import_timeout' });
      });

      it('tells an exit while loading with its code and output', async () => {
        const failure = await harness.fail('exits-at-import');
        expect(failure).toMatchObject({ code: 'process_exited', output: expect.stringContaining('leaving') });
        expect(failure.message).toContain('3');
      });

      it('tells a death by signal while loading', async () => {
        const failure = await harness.fail('kills-itself-at-import');
        expect(failure.code).toBe('process_exited');
        expect(failure.message).toContain('SIGKILL');
      });

      it('stops a file that fills memory while it is imported', async () => {
        expect(await harness.fail('fills-memory-at-import')).toMatchObject({ code: 'memory_limit' });
      });

      it('tells a missing package', async () => {
        const failure = await harness.fail('misses-package');
        expect(failure.code).toBe('import_unresolved');
        expect(failure.message).toContain('a-package-that-is-not-there');
      });

      it('names the place in a schema that is invalid', async () => {
        expect(await harness.fail('wrong-schema')).toMatchObject({
          code: 'parameters_invalid',
          subject: ['TOOLS', 1, 'parameters', 'properties', 'size', 'type'],
        });
      });

      it('gives back the failure that the description ends in', async () => {
        const outcome = await harness.load('echo', {
          describe: () => ({ ok: false, failure: { code: 'field_invalid', message: 'no', subject: ['TOOL'] } }),
        });
        expect(outcome).toMatchObject({ ok: false, failure: { code: 'field_invalid', message: 'no', subject: ['TOOL'] } });
      });

      it('gives up a load that is not wanted any more', async () => {
        const abort = new AbortController();
        const loading = harness.load('never-settles-at-import', { signal: abort.signal });
        abort.abort();
        expect(await loading).toMatchObject({ ok: false });
      });
    });

    describe('calls', () => {
      it('fill in defaults, and tell every issue of the arguments at once', async () => {
        const extension = await harness.start('echo');
        expect(await resultOf(extension, 'echo', { text: 'a' })).toEqual({ text: 'a' });
        const outcome = await call(extension, 'echo', { txt: 'a', times: 0, mood: 'sad' });
        expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'invalid_parameters' } });
        const issues = outcome.status === 'succeeded' ? [] : (outcome.error.issues ?? []);
        expect(issues.map(({ path }) => path).sort()).toEqual(['/mood', '/text', '/times', '/txt']);
        expect(await extension.validate('echo', '{"text":"a"}')).toEqual([]);
        expect(await extension.validate('echo', '{"text":""}')).toMatchObject([{ path: '/text' }]);
        await extension.close(0);
      });

      it('carry logs and progress while they run, and keep what was printed', async () => {
        const extension = await harness.start('talks');
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

      it('end at their limit and leave the process alone when it still answers', async () => {
        const extension = await harness.start('misbehaves');
        const before = await resultOf(extension, 'pid');
        expect(await call(extension, 'never', {}, 50)).toMatchObject({
          status: 'timed_out',
          error: { kind: 'timeout', message: expect.stringContaining('50 ms') },
        });
        expect(await call(extension, 'late', {}, 50)).toMatchObject({ status: 'timed_out' });
        await harness.until(() => extension.logs().lines.some(({ message }) => message.startsWith('aborted')));
        expect(await resultOf(extension, 'pid')).toBe(before);
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

      it('stuck in a loop cost the process, its other calls, and nothing of the next', async () => {
        const extension = await harness.start('misbehaves');
        const other = call(extension, 'never');
        expect(await call(extension, 'loop', {}, 100)).toMatchObject({ status: 'timed_out' });
        expect(await other).toMatchObject({ status: 'failed', error: { kind: 'extension_crashed' } });
        expect(await call(extension, 'pid')).toMatchObject({ status: 'succeeded' });
        expect(extension.process()).toMatchObject({ state: 'running', restarts: 0 });
        expect(harness.failures()).toContainEqual(expect.objectContaining({ code: 'unresponsive' }));
        await extension.close(0);
      });

      it.each([
        ['exit', 'exit code 7'],
        ['kill', 'SIGKILL'],
      ])('end when the process does (%s)', async (tool, words) => {
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

      it('whose result is too large, circular or against its schema say so', async () => {
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

      it('to a tool that is not there name those that are', async () => {
        const extension = await harness.start('echo');
        expect(await call(extension, 'ecko')).toMatchObject({
          status: 'failed',
          error: { kind: 'not_found', message: expect.stringContaining('echo') },
        });
        await extension.close(0);
      });
    });

    describe('the life of an extension', () => {
      it('goes through a crash loop to a restart by a person', async () => {
        const extension = await harness.start('misbehaves');
        for (let crash = 0; crash < 3; crash += 1)
          expect(await call(extension, 'exit')).toMatchObject({ error: { kind: 'extension_crashed' } });
        expect(extension.process()).toMatchObject({ state: 'crash_loop', restarts: 3 });
        expect(harness.failures()).toContainEqual(expect.objectContaining({ code: 'crash_loop' }));
        expect(await call(extension, 'pid')).toMatchObject({
          error: { kind: 'extension_unavailable', message: expect.stringContaining('Restart') },
        });
        expect(await extension.restart()).toBeNull();
        expect(await call(extension, 'pid')).toMatchObject({ status: 'succeeded' });
        expect(extension.process()).toMatchObject({ state: 'running', restarts: 0 });
        await extension.close(0);
      });

      it('is begun by the first call after a revival, from its description alone', async () => {
        const loaded = await harness.start('echo');
        await loaded.close(0);
        const revived = harness.runtime.revive(artifactOf('echo'), loaded.description, { onIncident: () => undefined });
        expect(revived.process()).toMatchObject({ state: 'none', pid: null });
        expect(await revived.status()).toBeNull();
        expect(await resultOf(revived, 'echo', { text: 'a' })).toEqual({ text: 'a' });
        await revived.close(0);
      });

      it('lets running calls finish when it is closed, and takes no new ones', async () => {
        const extension = await harness.start('misbehaves');
        const running = call(extension, 'slow', { ms: 200 });
        const closing = extension.close(10_000);
        expect(await call(extension, 'pid')).toMatchObject({ status: 'failed', error: { kind: 'extension_unavailable' } });
        expect(await running).toMatchObject({ status: 'succeeded', resultText: '"slept"' });
        await closing;
        await extension.close(10_000);
      });

      it('cuts what does not finish within the drain', async () => {
        const extension = await harness.start('misbehaves');
        const running = call(extension, 'never');
        await extension.close(50);
        expect(await running).toMatchObject({ status: 'cancelled', error: { kind: 'cancelled' } });
      });

      it('tells its status, and that a status does not come', async () => {
        const talking = await harness.start('talks');
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
