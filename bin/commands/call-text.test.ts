import { expect, it } from 'vitest';
import type { Call, CallError } from '#lib/contract/call.ts';
import { callText } from './call-text.ts';
import { callRecord } from '#lib/testing/api-records.ts';

function failed(error: CallError | null): Call {
  return callRecord({
    id: '0',
    tool: 'get_room',
    extension: 'rooms',
    source: 'cli',
    status: 'failed',
    error,
    started_at: '2026-01-31T12:00:00.000Z',
    finished_at: null,
    duration_ms: null,
    truncated: false,
  });
}

it.each([
  [{ kind: 'not_found', message: 'No such room.' }, 'not_found: No such room.'],
  [{ kind: 'not_found', message: 'No such room.', data: { floor: 2 } }, 'not_found: No such room.\ndata: {"floor":2}'],
  [{ kind: 'execution_error', message: 'One\r\ntwo\u001b[31m' }, 'execution_error: One\ntwo\\u001b[31m'],
  [{ kind: 'execution_error', message: 'm', data: '\u009b2J' }, 'execution_error: m\ndata: "\\u009b2J"'],
] as const)('prints the message of a failure without terminal control characters: %j', (error, words) => {
  expect(callText.error(failed(error))).toBe(words);
});

it('truncates long error data and names the option for the complete data', () => {
  const words = callText.error(failed({ kind: 'execution_error', message: 'm', data: 'x'.repeat(5_000) }));
  expect(words.length).toBeLessThan(2_100);
  expect(words).toMatch(/x… \(use --json for all\)$/);
});
