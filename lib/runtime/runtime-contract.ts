import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, createRuntimeHarness, resultOf, startCall } from './runtime-harness.ts';
import type { Artifact, DescribeExtension, RunningExtension, Runtime } from './runtime.ts';
import type { RuntimeHarness } from './runtime-harness.ts';

/**
 * Guarantees of every runtime, in every language, for imported files and servers. A runtime brings one small extension per
 * misbehaviour, under the same name; messages may differ, codes and outcomes may not.
 */
export interface RuntimeUnderTest {
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
