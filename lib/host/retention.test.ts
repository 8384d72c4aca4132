import { afterEach, expect, it, vi } from 'vitest';
import type { KeepLimits } from '#lib/store/store.ts';
import { createRetentionSweeper, type Kind, type RetentionSweeper } from './retention.ts';

const errors: unknown[] = [];
let sweeper: RetentionSweeper | null = null;

afterEach(() => {
  sweeper?.close();
  errors.length = 0;
});

interface Faked {
  readonly left?: number;
  readonly days?: number;
  readonly msPerRow?: number;
  readonly refused?: Kind;
}

function start({ left: many = 0, days = 0, msPerRow = 0.01, refused }: Faked) {
  const asked: KeepLimits[] = [];
  const askedOthers: Kind[] = [];
  let left = many;
  const none = async (limits: KeepLimits, kind: Kind) => {
    if (kind === refused) throw new Error('locked');
    if (kind !== 'calls') askedOthers.push(kind);
    return { count: 0, tookMs: 0, limits };
  };
  const calls = async (limits: KeepLimits) => {
    asked.push(limits);
    await none(limits, 'calls');
    const count = Math.min(left, limits.most);
    left -= count;
    return { count, tookMs: count * msPerRow };
  };
  const kept = { newest: 50, days };
  sweeper = createRetentionSweeper({
    retention: {
      calls,
      snapshots: (limits) => none(limits, 'snapshots'),
      revisions: (limits) => none(limits, 'revisions'),
      failures: (limits) => none(limits, 'failures'),
      messages: (limits) => none(limits, 'messages'),
    },
    kept: { calls: kept, snapshots: kept, revisions: kept, failures: kept, messages: kept },
    onError: (kind, error) => errors.push([kind, error]),
    everyMs: 5,
    now: () => 10 * 86_400_000,
    pauseMs: 0,
  });
  return { sweeper, asked, askedOthers };
}

it('removes in parts until nothing is left to remove', async () => {
  const started = start({ left: 2_500 });
  expect(await started.sweeper.sweep()).toBe(2_500);
  expect(started.sweeper.removed()).toMatchObject({ calls: 2_500, snapshots: 0 });
  expect(await started.sweeper.sweep()).toBe(0);
});

it('makes parts larger while they are fast, and smaller when they are slow', async () => {
  const quick = start({ left: 50_000, msPerRow: 0.001 });
  await quick.sweeper.sweep();
  expect(Math.max(...quick.asked.map(({ most }) => most))).toBe(2_000);
  quick.sweeper.close();
  const slow = start({ left: 500, msPerRow: 1 });
  await slow.sweeper.sweep();
  expect(slow.asked.slice(0, 5).map(({ most }) => most)).toEqual([64, 32, 16, 8, 8]);
});

it('removes rows older than the set days, and none by age without an age limit', async () => {
  const aged = start({ days: 3 });
  await aged.sweeper.sweep();
  expect(aged.asked[0]).toEqual({ keepNewest: 50, before: 7 * 86_400_000, most: 64 });
  aged.sweeper.close();
  const ageless = start({});
  await ageless.sweeper.sweep();
  expect(ageless.asked[0]?.before).toBe(0);
});

it('runs only once at a time, and ends with the host', async () => {
  const started = start({ left: 100_000 });
  const first = started.sweeper.sweep();
  expect(started.sweeper.sweep()).toBe(first);
  started.sweeper.close();
  await first;
  expect(started.asked).toHaveLength(1);
});

it('removes the other kinds at each interval while calls arrive as fast as they are removed', async () => {
  const { asked, askedOthers } = start({ left: Infinity });
  await vi.waitFor(() => expect(askedOthers.filter((kind) => kind === 'messages').length).toBeGreaterThan(2));
  expect(asked.length).toBeGreaterThan(2);
});

it('continues with the other kinds when one is refused, and retries', async () => {
  const { asked } = start({ left: 10, refused: 'calls' });
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(1));
  expect(errors[0]).toEqual(['calls', new Error('locked')]);
  sweeper?.close();
  const other = start({ left: 10, refused: 'messages' });
  expect(await other.sweeper.sweep()).toBe(10);
  expect(errors).toContainEqual(['messages', new Error('locked')]);
});
