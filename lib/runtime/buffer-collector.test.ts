import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { createBufferCollector } from './buffer-collector.ts';

it('runs a minor collection after a number of bytes, at most once per event loop turn', async () => {
  const collect = vi.fn<(type: 'minor' | 'major') => void>();
  const collector = createBufferCollector(1_000, collect);
  collector.passed(999);
  await setImmediate();
  expect(collect).not.toHaveBeenCalled();
  collector.passed(1);
  collector.passed(500);
  await setImmediate();
  expect(collect).toHaveBeenCalledTimes(1);
  collector.passed(500);
  await setImmediate();
  expect(collect).toHaveBeenCalledTimes(2);
});

it('runs one major collection when the traffic stops after many bytes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const collect = vi.fn<(type: 'minor' | 'major') => void>();
    const collector = createBufferCollector(16 * 1_048_576, collect);
    const other = createBufferCollector(16 * 1_048_576, collect);
    for (let count = 0; count < 5; count += 1) {
      collector.passed(16 * 1_048_576);
      other.passed(16 * 1_048_576);
      vi.advanceTimersByTime(900);
    }
    await setImmediate();
    expect(collect.mock.calls.filter(([type]) => type === 'major')).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(collect.mock.calls.filter(([type]) => type === 'major')).toHaveLength(1);
    vi.advanceTimersByTime(10_000);
    expect(collect.mock.calls.filter(([type]) => type === 'major')).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});

it('frees the memory of unreferenced buffers', async () => {
  const chunk = 1_048_576;
  const collector = createBufferCollector(8 * chunk);
  let most = 0;
  for (let count = 0; count < 256; count += 1) {
    collector.passed(Buffer.alloc(chunk).length);
    await setImmediate();
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  }
  expect(most).toBeLessThan(64 * chunk);
});

it('does nothing without a collector', () => {
  expect(() => createBufferCollector(1, null).passed(10)).not.toThrow();
});
