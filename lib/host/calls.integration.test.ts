import { readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Call, callSchema } from '#lib/contract/call.ts';
import type { HostEvent } from '#lib/contract/events.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { childrenOf } from '#lib/testing/child-processes.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { must, oneTool, refusal, startHost } from '#lib/testing/living-host.ts';

let living: LivingHost | null = null;
const start = async (...args: Parameters<typeof startHost>): Promise<LivingHost> => (living = await startHost(...args));
const NOBODY = { name: null };
const PATIENCE = { timeout: 15_000 };
const ASK = { source: 'api', actor: NOBODY } as const;

afterEach(async () => {
  await living?.remove();
  living = null;
});

/** The result of a started call. */
async function ended(asked: ReturnType<LivingHost['host']['calls']['replay']>): Promise<Call> {
  return callSchema.parse(JSON.parse(await must(await asked).finished));
}

/** Open in this process, according to the system. */
function descriptors(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}

/** A tool that answers after `ms` with its revision's answer. */
const slow = (
  answer: string,
): string => `export const TOOL = { label: 'T', name: 'answer_later', description: 'Answers later.', parameters: { ms: { type: 'integer', default: 0 } },
  async execute({ ms }, ctx) { ctx.log.info('waiting'); ctx.progress(1, 2, 'half'); await new Promise((go) => setTimeout(go, ms)); return ${JSON.stringify(answer)}; } };`;

describe('a call', () => {
  it('is stored before it is sent and after it ended, with its logs and progress', async () => {
    const { host } = await start({ 'a/extension.ts': slow('done') });
    const started = must(await host.calls.start({ tool: 'answer_later', arguments: { ms: 300 }, ...ASK, actor: { name: 'Ada' } }));
    expect(must(await host.calls.get(started.id))).toMatchObject({ status: 'running', actor: 'Ada', finished_at: null });
    await vi.waitFor(
      async () => expect(must(await host.calls.get(started.id)).progress).toEqual({ done: 1, total: 2, message: 'half' }),
      PATIENCE,
    );
    const answered = callSchema.parse(JSON.parse(await started.finished));
    expect(answered).toMatchObject({ status: 'succeeded', result: 'done', logs: [{ level: 'info', message: 'waiting', data: null }] });
    expect(must(await host.calls.get(started.id))).toEqual(answered);
  });

  it('emits events from its start to its end, however short it is', async () => {
    const { call, host } = await start({ 'a/extension.ts': slow('done') });
    const emitted: string[] = [];
    host.events.subscribe(({ type }) => void emitted.push(type), ['call.started', 'call.log', 'call.progress', 'call.finished']);
    await call('answer_later', {});
    await vi.waitFor(() => expect(emitted).toEqual(['call.started', 'call.log', 'call.progress', 'call.finished']), PATIENCE);
  });

  it('reports all issues of invalid arguments at once, and is recorded', async () => {
    const { call, host } = await start({
      'a/extension.ts': `export const TOOL = { label: 'T', name: 'book_room', description: 'Books.', parameters: { nights: { type: 'integer', required: true, minimum: 1 }, kind: { type: 'string', enum: ['single', 'double'] } }, execute: (a) => a };`,
    });
    const failed = await call('book_room', { kind: 'suite', nigths: 2 });
    expect(failed).toMatchObject({ status: 'failed', error: { kind: 'invalid_parameters' } });
    expect(failed.error?.issues?.map((issue) => issue.path).sort()).toEqual(['/kind', '/nights', '/nigths']);
    expect(must(await host.calls.get(failed.id)).error).toEqual(failed.error);
  });

  it('can be replayed, with its own arguments or others', async () => {
    const { call, host } = await start({ 'a/extension.ts': oneTool('first_tool', 'x') });
    const original = await call('first_tool', { text: 'one' });
    expect(await ended(host.calls.replay(original.id, { arguments: null, ...ASK, source: 'web' }))).toMatchObject({
      replay_of: original.id,
      source: 'web',
      result: { text: 'one' },
    });
    expect(await ended(host.calls.replay(original.id, { arguments: { text: 'two' }, ...ASK }))).toMatchObject({ result: { text: 'two' } });
    expect(refusal(await host.calls.replay('0198c7a0-0000-7000-8000-000000000000', { arguments: null, ...ASK })).code).toBe(
      'call_not_found',
    );
  });

  it('can be cancelled while it runs and while it is queued', async () => {
    const { host } = await start({ 'a/extension.ts': slow('done') });
    const calls = await Promise.all(
      Array.from({ length: LIMITS.callsPerExtension + 1 }, async () =>
        must(await host.calls.start({ tool: 'answer_later', arguments: { ms: 60_000 }, ...ASK })),
      ),
    );
    const waiting = must(await host.calls.cancel(calls.at(-1)?.id ?? ''));
    expect(waiting).toMatchObject({ status: 'cancelled', error: { kind: 'cancelled' } });
    const ended = await Promise.all(calls.slice(0, -1).map((item) => host.calls.cancel(item.id)));
    expect(new Set(ended.map((item) => must(item).status))).toEqual(new Set(['cancelled']));
  });

  it('is refused when a thousand are queued, before anything is recorded', async () => {
    const { host } = await start({ 'a/extension.ts': slow('done') });
    const all = await Promise.all(
      Array.from({ length: LIMITS.callsPerExtension + LIMITS.callsWaiting + 5 }, () =>
        host.calls.start({ tool: 'answer_later', arguments: { ms: 20 }, ...ASK }),
      ),
    );
    const refused = all.filter((item) => !item.ok);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    expect(refused.map((item) => refusal(item).code)).toEqual(refused.map(() => 'too_many_calls'));
    expect(await host.metrics()).toContain(`switchboard_calls_refused_total{reason="too_many_calls"} ${refused.length}\n`);
    const ends = await Promise.all(all.flatMap((item) => (item.ok ? [item.value.finished] : [])));
    expect(ends.every((text) => callSchema.parse(JSON.parse(text)).status === 'succeeded')).toBe(true);
  });
});

describe('reloads under calls', () => {
  it('lets a call finish on its revision while new calls use the new one', async () => {
    const { host, save, extension, call } = await start({ 'a/extension.ts': slow('old') });
    const running = must(await host.calls.start({ tool: 'answer_later', arguments: { ms: 1_500 }, ...ASK }));
    await vi.waitFor(async () => expect(must(await host.calls.get(running.id)).progress).not.toBeNull(), PATIENCE);
    await save({ 'a/extension.ts': slow('new one') });
    await vi.waitFor(() => expect(extension('a')?.serving_revision).toBe(2), PATIENCE);
    expect(await call('answer_later')).toMatchObject({ result: 'new one', revision: 2 });
    expect(JSON.parse(await running.finished)).toMatchObject({ status: 'succeeded', result: 'old', revision: 1 });
  });

  it('loses no call in 30 reloads, answers each with the revision on its record, and leaves nothing open', async () => {
    const { host, save, extension } = await start({ 'a/extension.ts': slow('answer 1') });
    let before = { descriptors: 0, children: 0 };
    let isReloading = true;
    const ended: Promise<string>[] = [];
    const calling = (async () => {
      while (isReloading) {
        ended.push(must(await host.calls.start({ tool: 'answer_later', arguments: { ms: 15 }, ...ASK })).finished);
        await wait(10);
      }
    })();
    // The loads are the same on PostgreSQL.
    const last = host.config.database === null ? 31 : 11;
    for (let revision = 2; revision <= last; revision++) {
      await save({ 'a/extension.ts': slow(`answer ${revision}`) });
      await vi.waitFor(() => expect(extension('a')?.serving_revision).toBe(revision), PATIENCE);
      if (revision === 3) before = { descriptors: descriptors(), children: childrenOf(process.pid).length };
    }
    isReloading = false;
    await calling;
    const calls = (await Promise.all(ended)).map((text): Call => callSchema.parse(JSON.parse(text)));
    expect(calls.length).toBeGreaterThan(last);
    expect(calls.filter((item) => item.status !== 'succeeded')).toEqual([]);
    expect(calls.filter((item) => item.result !== `answer ${item.revision}`)).toEqual([]);
    await vi.waitFor(() => {
      expect(descriptors()).toBeLessThanOrEqual(before.descriptors + 5);
      // A process for the next load may have started meanwhile, and an old one may be exiting.
      expect(childrenOf(process.pid).length).toBeLessThanOrEqual(before.children + 2);
    }, PATIENCE);
  });
});

describe('stopping the host', () => {
  it('drains running calls and records interrupted ones as cancelled', async () => {
    const first = await start({ 'a/extension.ts': slow('done') });
    const quick = must(await first.host.calls.start({ tool: 'answer_later', arguments: { ms: 200 }, ...ASK }));
    const endless = must(await first.host.calls.start({ tool: 'answer_later', arguments: { ms: 60_000 }, ...ASK }));
    await first.host.close(3_000);
    expect(JSON.parse(await quick.finished)).toMatchObject({ status: 'succeeded' });
    expect(JSON.parse(await endless.finished)).toMatchObject({
      status: 'cancelled',
      error: { kind: 'cancelled', message: expect.stringMatching(/^The server stopped before the call ended\./) },
    });
    expect(refusal(await first.host.calls.start({ tool: 'answer_later', arguments: {}, ...ASK })).code).toBe('shutting_down');
    living = await first.restart();
    expect(must(await living.host.calls.get(quick.id))).toMatchObject({ status: 'succeeded', result: 'done' });
  });
});

describe('events', () => {
  it('have consecutive ids, also after a restart', async () => {
    const first = await start({ 'a/extension.ts': oneTool('first_tool', 'one') });
    const heard: HostEvent[] = [];
    // On PostgreSQL, events of the start may still come, and events of the server itself.
    const seen = () =>
      heard.slice(heard.findIndex(({ type }) => type === 'call.started')).filter(({ type }) => type !== 'instance.changed');
    first.host.events.subscribe((event) => void heard.push(event));
    const { id } = await first.call('first_tool');
    await first.save({ 'a/extension.ts': 'export const TOOL = (' });
    await vi.waitFor(
      () =>
        expect(seen().map((event) => event.type)).toEqual([
          'call.started',
          'call.finished',
          'failure.changed',
          'snapshot.changed',
          'extension.failed',
        ]),
      PATIENCE,
    );
    expect(seen()[0]?.data).toMatchObject({ call_id: id, tool: 'first_tool', extension: 'a', snapshot_version: 1 });
    expect(seen().at(-1)?.data).toMatchObject({ extension: 'a', revision: 2, status: 'degraded', snapshot_version: 2 });
    expect(heard.map((event) => event.id)).toEqual(heard.map((_, index) => (heard[0]?.id ?? 0) + index));
    const last = first.host.events.lastId();
    living = await first.restart();
    await living.call('first_tool');
    expect(living.host.events.lastId()).toBeGreaterThan(last);
    // Several servers share stored events.
    expect(living.host.events.since(last - 1) === null).toBe(living.host.config.database === null);
  });
});
