import { tmpdir } from 'node:os';
import { performance } from 'node:perf_hooks';
import { afterEach, expect, it, vi } from 'vitest';
import { createFreeSpace, isDiskFull } from './free-space.ts';

afterEach(() => vi.restoreAllMocks());

/** @param free bytes for everybody, plus those for the administrator */
const disk =
  (free: number, reserved = 0) =>
  () => ({ bsize: 1, bavail: free, bfree: free + reserved });

it('is nearly full below 1 MiB, and checks at most four times a second', () => {
  let now = 0;
  let free = 1_048_576;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const space = createFreeSpace('/data', () => disk(free)());
  expect(space.isShort()).toBe(false);
  free -= 1;
  now = 249;
  expect(space.isShort()).toBe(false);
  now = 250;
  expect(space.isShort()).toBe(true);
  free += 1;
  now = 500;
  expect(space.isShort()).toBe(false);
});

it('counts space reserved for the administrator only for them', () => {
  vi.spyOn(process, 'geteuid').mockReturnValue(0);
  expect(isDiskFull('/data', disk(0, 2_000_000))).toBe(false);
  vi.spyOn(process, 'geteuid').mockReturnValue(1_000);
  expect(isDiskFull('/data', disk(0, 2_000_000))).toBe(true);
});

it('assumes free space when the file system cannot be asked', () => {
  const refuse = (): never => {
    throw new Error('ENOSYS');
  };
  expect(isDiskFull('/data', refuse)).toBe(false);
});

it('reads the free space from the system', () => {
  expect(isDiskFull(tmpdir())).toBe(false);
});
