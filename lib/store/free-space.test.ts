import { tmpdir } from 'node:os';
import { performance } from 'node:perf_hooks';
import { afterEach, expect, it, vi } from 'vitest';
import { createFreeSpace, isDiskFull } from './free-space.ts';

afterEach(() => vi.restoreAllMocks());

/** @param free bytes for everybody, plus those for the administrator */
const disk =
  (free: number, reserved = 0) =>
  () => ({ bsize: 1, bavail: free, bfree: free + reserved });

it('has no room below a mebibyte, and is asked four times a second at most', () => {
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

it('counts what is kept for the administrator for him alone', () => {
  vi.spyOn(process, 'geteuid').mockReturnValue(0);
  expect(isDiskFull('/data', disk(0, 2_000_000))).toBe(false);
  vi.spyOn(process, 'geteuid').mockReturnValue(1_000);
  expect(isDiskFull('/data', disk(0, 2_000_000))).toBe(true);
});

it('takes a file system that cannot be asked for one with room', () => {
  const refuse = (): never => {
    throw new Error('ENOSYS');
  };
  expect(isDiskFull('/data', refuse)).toBe(false);
});

it('asks the system', () => {
  expect(isDiskFull(tmpdir())).toBe(false);
});
