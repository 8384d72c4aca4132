import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FailureCode } from '#lib/contract/failure-codes.ts';
import { createLoadRetries } from './load-retries.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Ids that are loaded again within two minutes after they failed like this. */
function retried(kind: 'tool' | 'mcp', code: FailureCode, message = ''): string[] {
  const ids: string[] = [];
  const slot = { id: 'x', kind, disabled: false, isExcluded: false, loading: null, breakdown: null };
  const slots = new Map([['x', { ...slot, newest: { failure: { code, message, output: null } } }]]);
  const retries = createLoadRetries({ state: { slots }, retry: (id) => ids.push(id), random: () => 0 });
  retries.look();
  vi.advanceTimersByTime(120_000);
  retries.close();
  return ids;
}

it.each([
  ['whose process did not respond in time', 'tool', 'start_timeout', ''],
  ['for which the system had no process', 'tool', 'spawn_failed', 'spawn node EAGAIN'],
  [
    'whose process was killed before the import',
    'tool',
    'spawn_failed',
    'The process was killed by SIGKILL before it could import anything',
  ],
  ['whose MCP server cannot be reached', 'mcp', 'mcp_error', ''],
] as const)('loads an extension again %s', (_what, kind, code, message) => {
  expect(retried(kind, code, message)).toEqual(['x']);
});

it.each([
  ['tool', 'runtime_missing', ''],
  ['tool', 'import_timeout', ''],
  ['tool', 'spawn_failed', 'spawn node ENOTDIR'],
  ['tool', 'spawn_failed', 'The process was killed by SIGSEGV before it could import anything'],
  ['tool', 'process_exited', 'While the file was imported its process was killed by SIGKILL'],
  ['tool', 'mcp_error', ''],
] as const)('leaves a %s that failed with %s to a person', (kind, code, message) => {
  expect(retried(kind, code, message)).toEqual([]);
});
