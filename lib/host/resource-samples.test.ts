import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import type { ProcessUse } from '#lib/host/resource-samples.ts';
import { createResourceSamples } from './resource-samples.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-22T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

function start() {
  const uses = new Map<number, ProcessUse>([[7, { memoryBytes: 1_000, cpuMs: 0 }]]);
  const asked: number[] = [];
  let listed: { id: string; revision: number | null; pid: number | null }[] = [{ id: 'a', revision: 1, pid: 7 }];
  const samples = createResourceSamples({
    list: () => listed,
    get: (id) => listed.find((one) => one.id === id),
    use: (pid) => {
      asked.push(pid);
      return uses.get(pid) ?? null;
    },
    everyMs: 1_000,
    unreadEveryMs: 60_000,
    platform: 'linux',
  });
  samples.read('a');
  asked.length = 0;
  return {
    samples,
    uses,
    asked,
    list: (next: typeof listed) => void (listed = next),
    look: (count = 1) => vi.advanceTimersByTime(count * 1_000),
  };
}

it('stores memory, and CPU use as a share of one core since the previous sample', () => {
  const { samples, uses, look } = start();
  uses.set(7, { memoryBytes: 2_000, cpuMs: 250 });
  look();
  expect(samples.read('a')).toEqual({
    unavailable: null,
    every_ms: 1_000,
    unread_every_ms: 60_000,
    samples: [
      { at: '2026-11-22T12:00:00.000Z', revision: 1, memory_bytes: 1_000, cpu_percent: null },
      { at: '2026-11-22T12:00:01.000Z', revision: 1, memory_bytes: 2_000, cpu_percent: 25 },
    ],
  });
  samples.close();
});

it('starts again with a new process, and stores no sample without one', () => {
  const { samples, uses, list, look } = start();
  look();
  list([{ id: 'a', revision: null, pid: null }]);
  look();
  uses.set(8, { memoryBytes: 500, cpuMs: 9_000 });
  list([{ id: 'a', revision: 2, pid: 8 }]);
  look();
  expect(samples.read('a').samples.map(({ revision, cpu_percent: cpu }) => [revision, cpu])).toEqual([
    [1, null],
    [1, 0],
    [2, null],
  ]);
  samples.close();
});

it('stores the newest samples, and none of a removed extension', () => {
  const { samples, list, look } = start();
  for (let second = 0; second < LIMITS.resourceSamplesKept + 3; second += 1) {
    look();
    samples.read('a');
  }
  const kept = samples.read('a').samples;
  expect(kept).toHaveLength(LIMITS.resourceSamplesKept);
  expect(kept[0]?.at).toBe('2026-11-22T12:00:04.000Z');
  list([]);
  look(60);
  expect(samples.read('a').samples).toEqual([]);
  samples.close();
});

it('samples a process once a minute while nobody reads its samples', () => {
  const { samples, asked, list, look } = start();
  look(7);
  asked.length = 0;
  look(53);
  expect(asked).toEqual([7]);
  list([
    { id: 'a', revision: 1, pid: 7 },
    { id: 'b', revision: 1, pid: null },
  ]);
  look(60);
  expect(asked).toEqual([7, 7]);
  samples.close();
});

it('reports when nothing can be measured', () => {
  const samples = createResourceSamples({ list: () => [], get: () => undefined, platform: 'darwin' });
  expect(samples.read('a').unavailable).toContain('only Linux');
  samples.close();
});
