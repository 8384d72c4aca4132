import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { createBufferRelief } from './buffer-relief.ts';

it('runs a minor collection after so many bytes, at most once per turn', async () => {
  const collect = vi.fn<(type: 'minor' | 'major') => void>();
  const relief = createBufferRelief(1_000, collect);
  relief.passed(999);
  await setImmediate();
  expect(collect).not.toHaveBeenCalled();
  relief.passed(1);
  relief.passed(500);
  await setImmediate();
  expect(collect).toHaveBeenCalledTimes(1);
  relief.passed(500);
  await setImmediate();
  expect(collect).toHaveBeenCalledTimes(2);
});

it('runs one major collection when much has passed and the traffic stops', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const collect = vi.fn<(type: 'minor' | 'major') => void>();
    const relief = createBufferRelief(16 * 1_048_576, collect);
    const other = createBufferRelief(16 * 1_048_576, collect);
    for (let count = 0; count < 5; count += 1) {
      relief.passed(16 * 1_048_576);
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
  const relief = createBufferRelief(8 * chunk);
  let most = 0;
  for (let count = 0; count < 256; count += 1) {
    relief.passed(Buffer.alloc(chunk).length);
    await setImmediate();
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  }
  expect(most).toBeLessThan(64 * chunk);
});

it('does nothing without a collector', () => {
  expect(() => createBufferRelief(1, null).passed(10)).not.toThrow();
});
