import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSaveBurst, type SaveBurst } from './save-burst.ts';

let burst: SaveBurst;
let pauses: (readonly string[])[];
let wereSaves: boolean[];
let ends: { readonly files: readonly string[]; readonly isSettled: boolean }[];

beforeEach(() => {
  vi.useFakeTimers();
  pauses = [];
  wereSaves = [];
  ends = [];
  burst = createSaveBurst({
    onPause(files, areSaves) {
      pauses.push(files);
      wereSaves.push(areSaves);
    },
    onEnd: (files, isSettled) => ends.push({ files, isSettled }),
  });
});
afterEach(() => {
  vi.useRealTimers();
  burst.close();
});

it('pauses immediately for an existing file, and ends when no more events arrive', async () => {
  burst.note('/a', true);
  await vi.advanceTimersByTimeAsync(0);
  expect(pauses).toEqual([['/a']]);
  await vi.advanceTimersByTimeAsync(8);
  expect(ends).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toEqual([{ files: ['/a'], isSettled: true }]);
});

it('includes events that arrived while the process was busy', async () => {
  burst.note('/a', true);
  await vi.advanceTimersByTimeAsync(8);
  burst.note('/b', true);
  await vi.advanceTimersByTimeAsync(8);
  expect(ends).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends.map(({ files }) => files)).toEqual([['/a', '/b']]);
});

it('waits for pending events, up to the longest wait, and does nothing without a save', async () => {
  burst.stir();
  await vi.advanceTimersByTimeAsync(100);
  expect(ends).toEqual([]);
  burst.note('/a', true);
  for (let at = 0; at < 10; at += 1) {
    await vi.advanceTimersByTimeAsync(5);
    burst.stir();
  }
  expect(ends).toEqual([]);
  for (let at = 0; at < 10; at += 1) {
    await vi.advanceTimersByTimeAsync(5);
    burst.stir();
  }
  expect(ends.map(({ files }) => files)).toEqual([['/a']]);
});

it('waits a moment for the file of a new folder', async () => {
  burst.note('/new', false);
  await vi.advanceTimersByTimeAsync(0);
  expect(pauses).toEqual([]);
  burst.note('/new/extension.ts', false);
  await vi.advanceTimersByTimeAsync(1);
  expect(pauses).toEqual([['/new', '/new/extension.ts']]);
});

it('is not settled when the last event came after the last pause', async () => {
  for (const file of ['/a', '/b', '/c', '/d']) {
    burst.note(file, true);
    await vi.advanceTimersByTimeAsync(2);
  }
  expect(pauses).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(7);
  expect(ends).toEqual([{ files: ['/a', '/b', '/c', '/d'], isSettled: false }]);
});

it('reports a burst that never ends, and starts another with later events', async () => {
  for (let at = 0; at < 20; at += 1) {
    burst.note(`/${at % 4}`, true);
    await vi.advanceTimersByTimeAsync(5);
  }
  await vi.advanceTimersByTimeAsync(50);
  expect(ends.map(({ files }) => files.length)).toEqual([4, 4]);
});

it('calls nothing after close', async () => {
  burst.note('/a', true);
  burst.close();
  await vi.advanceTimersByTimeAsync(100);
  expect([pauses, ends]).toEqual([[], []]);
});

it('reports for each burst whether all its events are saves', async () => {
  burst.note('/a', true);
  await vi.advanceTimersByTimeAsync(0);
  burst.note('/b', false);
  await vi.advanceTimersByTimeAsync(9);
  burst.note('/b', true);
  await vi.advanceTimersByTimeAsync(9);
  expect(wereSaves).toEqual([true, false, true]);
});

it('waits longer after saves in two folders, which are not one save of an editor', async () => {
  burst.note('/a/one.ts', true);
  burst.note('/a/one.ts~', true);
  await vi.advanceTimersByTimeAsync(7);
  burst.note('/b/two.ts', true);
  await vi.advanceTimersByTimeAsync(59);
  expect(ends).toEqual([]);
  await vi.advanceTimersByTimeAsync(2);
  expect(ends.map(({ files }) => files)).toEqual([['/a/one.ts', '/a/one.ts~', '/b/two.ts']]);
  burst.note('/c/three.ts', true);
  await vi.advanceTimersByTimeAsync(9);
  expect(ends).toHaveLength(2);
});

it('reports a checkout of many files as one burst, despite pauses', async () => {
  for (let at = 0; at < 300; at += 1) {
    burst.note(`/${at}`, true);
    await vi.advanceTimersByTimeAsync(at > 4 && at % 50 < 3 ? 40 : 1);
  }
  expect(ends).toEqual([]);
  await vi.advanceTimersByTimeAsync(60);
  expect(ends.map(({ files }) => files.length)).toEqual([300]);
});
