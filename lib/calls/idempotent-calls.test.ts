import { describe, expect, it } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { IdempotencyRow } from '#lib/store/store.ts';
import { createIdempotentCalls } from './idempotent-calls.ts';
import { callRecord } from '#lib/testing/api-records.ts';

interface Made {
  readonly mostKeys?: number;
  readonly newestAtStart?: string | null;
}

function make({ mostKeys = 1_000, newestAtStart = null }: Made = {}, rows = new Map<string, IdempotencyRow>()) {
  const started: string[] = [];
  const swept: number[] = [];
  const known = new Set<string>();
  let now = 1_000_000_000_000;
  let isRefused = false;
  let isLocked = false;
  let hasOthers = false;
  const unbegun = new Set<string>();
  const idempotent = createIdempotentCalls({
    newestAtStart,
    calls: {
      async start({ id = '' }) {
        if (isRefused) return refuse('tool_not_found', 'None.');
        started.push(id);
        known.add(id);
        return ok({ id, finished: Promise.resolve('{}') });
      },
      get: async (id) => (known.has(id) ? ok({ ...RECORD, id }) : refuse('call_not_found', 'None.')),
    },
    keys: {
      get: async (key) => rows.get(key) ?? null,
      async put(row, replaces) {
        if ((rows.get(row.key)?.callId ?? null) !== replaces) return false;
        rows.set(row.key, row);
        return true;
      },
      async remove(key, callId) {
        if (isLocked) throw Object.assign(new Error('locked'), { code: 'storage_unavailable' });
        if (rows.get(key)?.callId === callId) rows.delete(key);
      },
      count: async () => rows.size,
      oldest: async () => Math.min(...[...rows.values()].map((row) => row.createdAt)),
      async sweep(before) {
        swept.push(before);
        const old = [...rows.values()].filter((row) => row.createdAt < before);
        for (const { key } of old) rows.delete(key);
        return old.length;
      },
    },
    instances: { id: () => 'one', hasOthers: () => hasOthers, neverBegan: async (call) => unbegun.has(call) },
    now: () => now,
    mostKeys,
  });
  return {
    idempotent,
    started,
    known,
    rows,
    swept,
    pass: (ms: number) => (now += ms),
    now: () => now,
    refuseCalls: (is: boolean) => (isRefused = is),
    lockKeys: (is: boolean) => (isLocked = is),
    /** Another server starts the call: this one has nothing of it in memory. */
    beginElsewhere(key: string) {
      hasOthers = true;
      rows.set(key, { key, requestHash: 'of another request', callId: 'elsewhere', createdAt: now, instance: 'two' });
      return { dies: () => unbegun.add('elsewhere') };
    },
  };
}

const RECORD = callRecord({ tool: 't', extension: 'e', source: 'api', result: 1, duration_ms: 1 });
const REQUEST = { tool: 't', arguments: {}, source: 'api' as const, actor: null };

describe('calls with an idempotency key', () => {
  it('run again a day later', async () => {
    const { idempotent, started, pass } = make();
    await idempotent.start('k', REQUEST);
    pass(LIMITS.idempotencyKeyMs);
    expect(await idempotent.start('k', REQUEST)).toMatchObject({ ok: true, value: { isRepeated: true } });
    pass(1);
    expect(await idempotent.start('k', REQUEST)).toMatchObject({ ok: true, value: { isRepeated: false } });
    expect(started).toHaveLength(2);
  });

  it('are not run again when the history no longer has their record', async () => {
    const { idempotent, known, started } = make();
    await idempotent.start('k', REQUEST);
    known.clear();
    const again = await idempotent.start('k', REQUEST);
    expect(again).toMatchObject({ ok: false, problem: { code: 'idempotent_call_gone', extra: { call_id: started[0] } } });
    expect(await idempotent.start('k', { ...REQUEST, tool: 'u' })).toMatchObject({ problem: { code: 'idempotency_key_reused' } });
    expect(started).toHaveLength(1);
  });

  it.each([
    ['run when the host died between key and call, also for another request', '0000', true],
    ['are not run again after a restart of the host when the history has newer calls', 'ffff', false],
  ])('%s', async (_, newestAtStart, isTakenAnew) => {
    const before = make();
    await before.idempotent.start('k', REQUEST);
    const { idempotent, started, pass } = make({ newestAtStart }, before.rows);
    pass(1);
    for (const [key, row] of before.rows) before.rows.set(key, { ...row, createdAt: row.createdAt - 1 });
    expect((await idempotent.start('k', { ...REQUEST, arguments: { a: 1 } })).ok).toBe(isTakenAnew);
    expect(started).toHaveLength(isTakenAnew ? 1 : 0);
  });

  it.each([false, true])('can be requested again after they were refused before they ran (keys locked: %s)', async (isLocked) => {
    const { idempotent, started, refuseCalls, lockKeys } = make();
    refuseCalls(true);
    lockKeys(isLocked);
    expect(await idempotent.start('k', REQUEST)).toMatchObject({ problem: { code: 'tool_not_found' } });
    refuseCalls(false);
    expect(await idempotent.start('k', REQUEST)).toMatchObject({ ok: true, value: { isRepeated: false } });
    expect(await idempotent.start('k', REQUEST)).toMatchObject({ ok: true, value: { isRepeated: true } });
    expect(started).toHaveLength(1);
  });

  it('run here once the server with the key has died before it started the call', async () => {
    const { idempotent, started, rows, beginElsewhere } = make();
    const elsewhere = beginElsewhere('k');
    expect(await idempotent.start('k', REQUEST)).toMatchObject({ ok: false, problem: { code: 'idempotency_key_reused' } });
    expect(started).toEqual([]);
    elsewhere.dies();
    expect(await idempotent.start('k', REQUEST)).toMatchObject({ ok: true, value: { isRepeated: false } });
    expect(rows.get('k')).toMatchObject({ callId: started[0], instance: 'one' });
    expect(await idempotent.start('k', REQUEST)).toMatchObject({ ok: true, value: { isRepeated: true } });
    expect(started).toHaveLength(1);
  });

  it('remove old keys regularly', async () => {
    const { idempotent, swept, now } = make({ mostKeys: 2_000 });
    for (let at = 0; at < 1_001; at += 1) await idempotent.start(`k${at}`, REQUEST);
    expect(swept).toEqual([now() - LIMITS.idempotencyKeyMs]);
  });

  it('are accepted again after another server removed old keys', async () => {
    const { idempotent, rows, pass } = make({ mostKeys: 1 });
    await idempotent.start('a', REQUEST);
    expect(await idempotent.start('b', REQUEST)).toMatchObject({ problem: { code: 'too_many_idempotency_keys' } });
    rows.clear();
    pass(LIMITS.idempotencyKeyMs);
    expect(await idempotent.start('b', REQUEST)).toMatchObject({ ok: true });
  });

  it('are refused with new keys above the limit, and recent keys are never removed', async () => {
    const { idempotent, started, pass } = make({ mostKeys: 2 });
    await idempotent.start('a', REQUEST);
    pass(10_000);
    await idempotent.start('b', REQUEST);
    const refusal = { code: 'too_many_idempotency_keys', retryAfter: LIMITS.idempotencyKeyMs / 1_000 - 10 };
    expect(await idempotent.start('c', REQUEST)).toMatchObject({ ok: false, problem: refusal });
    expect(await idempotent.start('a', REQUEST)).toMatchObject({ ok: true, value: { isRepeated: true } });
    pass(LIMITS.idempotencyKeyMs - 9_000);
    expect(await idempotent.start('c', REQUEST)).toMatchObject({ ok: true, value: { isRepeated: false } });
    expect(started).toHaveLength(3);
  });
});
