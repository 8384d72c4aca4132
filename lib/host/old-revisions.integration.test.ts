import { afterEach, describe, expect, it, vi } from 'vitest';
import { isAlive } from '#lib/testing/child-processes.ts';
import { type LivingHost, must, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost | null = null;
const ADA = { name: 'Ada' };
const PATIENCE = { timeout: 15_000 };

afterEach(async () => {
  await living?.remove();
  living = null;
});

/** Returns its revision; on request it waits or exits first. */
const tool = (answer: string): string => `export const TOOL = { label: 'T', name: 'who_answers', description: 'Says who answers.',
  parameters: { ms: { type: 'integer', default: 0 }, ends: { type: 'boolean', default: false } },
  async execute({ ms, ends }) {
    if (ends) process.exit(3);
    await new Promise((go) => setTimeout(go, ms));
    return { answer: ${JSON.stringify(answer)}, pid: process.pid };
  } };`;

async function withTwoRevisions(): Promise<LivingHost> {
  living = await startHost({ 'a/extension.ts': tool('one') });
  const host = living;
  await host.save({ 'a/extension.ts': tool('two') });
  await vi.waitFor(() => expect(host.extension('a')?.serving_revision).toBe(2), PATIENCE);
  return host;
}

function pidOf(result: unknown): number {
  const pid: unknown = typeof result === 'object' && result !== null ? Reflect.get(result, 'pid') : null;
  return typeof pid === 'number' ? pid : -1;
}

describe('calls of an older revision', () => {
  it('share one process when they are concurrent', async () => {
    const host = await withTwoRevisions();
    const calls = await Promise.all(Array.from({ length: 8 }, () => host.call('who_answers', {}, { revision: 1 })));
    expect(calls.map(({ status, revision }) => [status, revision])).toEqual(calls.map(() => ['succeeded', 1]));
    expect(new Set(calls.map(({ result }) => pidOf(result))).size).toBe(1);
  });

  it('can replay a call of another revision', async () => {
    const host = await withTwoRevisions();
    const original = await host.call('who_answers');
    const asked = { arguments: null, revision: 1, actor: ADA, source: 'web' } as const;
    const again = must(await host.host.calls.replay(original.id, asked));
    expect(JSON.parse(await again.finished)).toMatchObject({ replay_of: original.id, revision: 1, result: { answer: 'one' } });
    const once = must(await host.host.calls.replayOnce('key', original.id, asked));
    await once.finished;
    const twice = await host.host.calls.replayOnce('key', original.id, { ...asked, revision: 2 });
    expect(twice).toMatchObject({ ok: false, problem: { code: 'idempotency_key_reused' } });
  });

  it('are refused for a disabled extension, whose processes of older revisions end', async () => {
    const host = await withTwoRevisions();
    const before = await host.call('who_answers', {}, { revision: 1 });
    const pid = pidOf(before.result);
    expect(isAlive(pid)).toBe(true);
    must(await host.host.extensions.disable('a', ADA));
    expect(await host.call('who_answers', {}, { revision: 1 })).toMatchObject({
      status: 'failed',
      error: { kind: 'extension_unavailable', message: expect.stringContaining('a is disabled') },
    });
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), PATIENCE);
    must(await host.host.extensions.enable('a', ADA));
    expect(await host.call('who_answers', {}, { revision: 1 })).toMatchObject({ status: 'succeeded', result: { answer: 'one' } });
  });

  it('run on the requested revision when another one starts to serve while they are queued', async () => {
    const host = await withTwoRevisions();
    const busy = Array.from({ length: 16 }, () => host.call('who_answers', { ms: 1_500 }));
    await vi.waitFor(
      async () => expect(must(await host.host.calls.list({ limit: 50, status: ['running'] })).calls).toHaveLength(16),
      PATIENCE,
    );
    const waiting = host.call('who_answers', {}, { revision: 2 });
    await host.save({ 'a/extension.ts': tool('three') });
    await vi.waitFor(() => expect(host.extension('a')?.serving_revision).toBe(3), PATIENCE);
    expect(await waiting).toMatchObject({ status: 'succeeded', revision: 2, result: { answer: 'two' } });
    expect((await Promise.all(busy)).filter(({ status }) => status !== 'succeeded')).toEqual([]);
  });

  it('record a failure of that revision when it stops, and the serving one continues', async () => {
    const host = await withTwoRevisions();
    for (let end = 0; end < 3; end += 1)
      expect(await host.call('who_answers', { ends: true }, { revision: 1 })).toMatchObject({ error: { kind: 'extension_crashed' } });
    await vi.waitFor(() => expect(host.log.join('')).toMatch(/extension a failed \(crash_loop\)/), PATIENCE);
    expect(await host.call('who_answers')).toMatchObject({ status: 'succeeded', revision: 2 });
    expect(host.extension('a')).toMatchObject({ state: 'ready', failure: null });
  });
});
