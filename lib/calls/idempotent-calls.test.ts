import { describe, expect, it } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { IdempotencyRow } from '#lib/store/store.ts';
import { createIdempotentCalls } from './idempotent-calls.ts';

function make() {
  const rows = new Map<string, IdempotencyRow>();
  const started: string[] = [];
  const swept: (readonly [number, number])[] = [];
  const known = new Set<string>();
  let now = 1_000_000_000_000;
  const idempotent = createIdempotentCalls({
    calls: {
      async start({ id = '' }) {
        started.push(id);
        known.add(id);
        return ok({ id, finished: Promise.resolve('{}') });
      },
      get: (id) => (known.has(id) ? ok({ ...RECORD, id }) : refuse('call_not_found', 'None.')),
    },
    keys: {
      get(key, notBefore) {
        const row = rows.get(key);
        return row === undefined || row.createdAt < notBefore ? null : row;
      },
      put: async (row) => void rows.set(row.key, row),
      async sweep(before, most) {
        swept.push([before, most]);
        return 0;
      },
    },
    now: () => now,
  });
  return { idempotent, started, known, swept, pass: (ms: number) => (now += ms), now: () => now };
}

const RECORD = {
  tool: 't',
  extension: 'e',
  revision: 1,
  snapshot_version: 1,
  source: 'api' as const,
  actor: null,
  arguments: {},
  redacted: [],
  status: 'succeeded' as const,
  result: 1,
  error: null,
  logs: [],
  logs_truncated: false,
  progress: null,
  started_at: '2026-11-22T00:00:00.000Z',
  finished_at: '2026-11-22T00:00:00.000Z',
  duration_ms: 1,
  replay_of: null,
};
const REQUEST = { tool: 't', arguments: {}, source: 'api' as const, actor: null };

describe('calls that run once', () => {
  it('run again a day later', async () => {
    const { idempotent, started, pass } = make();
    await idempotent.start('k', REQUEST);
    pass(LIMITS.idempotencyKeyMs);
    expect(await idempotent.start('k', REQUEST)).toMatchObject({ ok: true, value: { isRepeated: true } });
    pass(1);
    expect(await idempotent.start('k', REQUEST)).toMatchObject({ ok: true, value: { isRepeated: false } });
    expect(started).toHaveLength(2);
  });

  it('are taken anew where the host died between key and call, also for another request', async () => {
    const { idempotent, known, started } = make();
    await idempotent.start('k', REQUEST);
    known.clear();
    expect(await idempotent.start('k', { ...REQUEST, arguments: { a: 1 } })).toMatchObject({ ok: true, value: { isRepeated: false } });
    expect(started).toHaveLength(2);
  });

  it('drop old keys every now and then', async () => {
    const { idempotent, swept, now } = make();
    for (let at = 0; at < 1_000; at += 1) await idempotent.start(`k${at}`, REQUEST);
    expect(swept).toEqual([[now() - LIMITS.idempotencyKeyMs, LIMITS.idempotencyKeys]]);
  });
});
