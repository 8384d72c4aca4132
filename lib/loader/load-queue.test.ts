import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLoadQueue, inUseFirst, type LoadQueue } from './load-queue.ts';
import type { ProcessState } from '#lib/runtime/runtime.ts';

const SLOW_MS = 1_000;

/** Names of the loads in start order. */
let begun: string[];
let queue: LoadQueue;
const ends = new Map<string, { resolve(): void; reject(error: Error): void }>();

beforeEach(() => {
  vi.useFakeTimers();
  begun = [];
  ends.clear();
  queue = createLoadQueue({ places: 2, most: 4, slowMs: SLOW_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

function add(name: string, rank = 1): Promise<string> {
  return queue(rank, async () => {
    begun.push(name);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    ends.set(name, { resolve, reject });
    await promise;
    return `${name} loaded`;
  });
}

async function end(name: string): Promise<void> {
  ends.get(name)?.resolve();
  await vi.advanceTimersByTimeAsync(0);
}

it('runs as many loads at a time as there are slots, in order of arrival', async () => {
  const loads = ['a', 'b', 'c', 'd'].map((name) => add(name));
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  expect(begun).toEqual(['a', 'b', 'c']);
  await end('a');
  await end('c');
  await end('d');
  expect(await Promise.all(loads)).toEqual(['a loaded', 'b loaded', 'c loaded', 'd loaded']);
});

it('releases the slot of a load that throws', async () => {
  const failing = add('a');
  void add('b');
  void add('c');
  ends.get('a')?.reject(new Error('broken'));
  await expect(failing).rejects.toThrow('broken');
  expect(begun).toEqual(['a', 'b', 'c']);
});

it('assigns the slot of a hanging load to the next one', async () => {
  for (const name of ['hangs', 'hangs too', 'c', 'd']) void add(name);
  await vi.advanceTimersByTimeAsync(SLOW_MS - 1);
  expect(begun).toEqual(['hangs', 'hangs too']);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toEqual(['hangs', 'hangs too', 'c', 'd']);
});

it('releases a slot once, however late a slow load ends', async () => {
  for (const name of ['slow', 'b', 'c', 'd', 'e']) void add(name);
  await end('b');
  await vi.advanceTimersByTimeAsync(SLOW_MS);
  expect(begun).toEqual(['slow', 'b', 'c', 'd', 'e']);
  void add('f');
  await end('slow');
  expect(begun).toEqual(['slow', 'b', 'c', 'd', 'e']);
  await end('d');
  expect(begun).toEqual(['slow', 'b', 'c', 'd', 'e', 'f']);
});

it('never runs more loads than the maximum, even when loads hang', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) void add(name);
  await vi.advanceTimersByTimeAsync(5 * SLOW_MS);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  await end('c');
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('runs loads of a higher priority before those that already wait', async () => {
  for (const name of ['a', 'b', 'old', 'old too']) void add(name, 1);
  void add('new', 2);
  void add('newest', 3);
  void add('first look', 0);
  for (const name of ['a', 'b', 'newest', 'new', 'old', 'old too']) await end(name);
  expect(begun).toEqual(['a', 'b', 'newest', 'new', 'old', 'old too', 'first look']);
});

it('orders extensions with calls first, then those with a process', () => {
  const inUse = (id: string, calls: number, state: ProcessState['state']) => ({
    id,
    callsInFlight: () => calls,
    process: (): ProcessState => ({ state, pid: null, restarts: 0, retryAt: null, kept: null }),
  });
  const all = [
    inUse('idle', 0, 'none'),
    null,
    inUse('runs', 0, 'running'),
    inUse('busy', 2, 'running'),
    inUse('stopped', 0, 'stopped'),
    inUse('runs too', 0, 'running'),
  ];
  expect(inUseFirst(all, (item) => item).map((item) => item?.id ?? 'new')).toEqual(['busy', 'runs', 'runs too', 'idle', 'new', 'stopped']);
});
