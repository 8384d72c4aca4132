import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest';
import { childrenOf } from './child-processes.ts';

/**
 * Runs before each test file. Fails tests with an unhandled rejection, with an unexpected `console.error` (a test that expects
 * one spies on it), or with a child process that outlives its file. Child processes are checked after the file's own `afterAll`
 * hooks, because hooks run in reverse order.
 */
const GONE_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 25;

let unhandled: unknown[] = [];
let complaints: string[] = [];

const noteUnhandled = (reason: unknown): void => {
  unhandled.push(reason);
};
const consoleError = (...parts: unknown[]): void => {
  complaints.push(parts.map(String).join(' '));
};
const before = console.error;
/** Children before the first start of a process; null for a file that starts none. */
let children: ReadonlySet<number> | null = null;
const noteChildren = (): void => {
  children ??= new Set(childrenOf(process.pid).map((child) => child.pid));
};

process.on('unhandledRejection', noteUnhandled);
// Node publishes before the process starts.
subscribe('child_process', noteChildren);

beforeEach(() => {
  unhandled = [];
  complaints = [];
  console.error = consoleError;
});

afterEach(async () => {
  console.error = before;
  // Node reports an unhandled rejection after the microtasks of the turn in which it happened.
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled, 'promises that were rejected and nobody looked').toEqual([]);
  expect(complaints, 'unexpected console.error').toEqual([]);
});

afterAll(async () => {
  process.off('unhandledRejection', noteUnhandled);
  unsubscribe('child_process', noteChildren);
  // Vitest does so only before the next test, after the hooks of the next file in the same process.
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  const end = performance.now() + GONE_WITHIN_MS;
  let left = leftChildren();
  while (left.length > 0 && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    left = leftChildren();
  }
  for (const child of left) process.kill(child.pid, 'SIGKILL');
  expect(
    left.map((child) => child.command),
    'child processes that this file left alive',
  ).toEqual([]);
});

/** esbuild has one service process, which lives as long as its parent. */
function leftChildren() {
  const earlier = children;
  if (earlier === null) return [];
  return childrenOf(process.pid).filter((child) => !earlier.has(child.pid) && !child.command.includes('--service='));
}

/** Timeouts only end tests that hang: on a busy machine everything takes many times as long. */
const LEAST_MS = 60_000;

type Limit = number | { readonly timeout?: number; readonly interval?: number };

const patient = (given: Limit = {}): { timeout: number; interval?: number } => {
  const options = typeof given === 'number' ? { timeout: given } : given;
  return { ...options, timeout: Math.max(options.timeout ?? 0, LEAST_MS) };
};

const { waitFor, waitUntil } = vi;
vi.waitFor = (check, options) => waitFor(check, patient(options));
vi.waitUntil = (check, options) => waitUntil(check, patient(options));
