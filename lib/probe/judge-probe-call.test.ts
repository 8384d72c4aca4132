import { expect, it } from 'vitest';
import { judgeProbeCall } from './probe-tool.ts';
import type { EndedCall } from './probe-options.ts';

type Kind = NonNullable<EndedCall['error']>['kind'];
const SLOW_MS = 100;
const STACK = 'It broke.\n    at run (file:///x/extension.js:3:7)';

function ended(kind: Kind | null, more: { message?: string; ms?: number; status?: EndedCall['status'] } = {}): EndedCall {
  const { message = 'No.', ms = 5, status = kind === null ? 'succeeded' : 'failed' } = more;
  return { id: 'c', status, error: kind === null ? null : { kind, message }, duration_ms: ms };
}
const kinds = (call: EndedCall, isValid: boolean): string =>
  judgeProbeCall(call, isValid, SLOW_MS)
    .map(({ kind }) => kind)
    .join();

it.each<[string, EndedCall, string, string]>([
  ['an answer', ended(null), '', 'invalid_accepted'],
  ['a refusal with a message', ended('execution_error'), '', ''],
  ['a refusal of the arguments', ended('invalid_parameters'), '', ''],
  ['a crash', ended('extension_crashed'), 'crash', 'crash'],
  ['a hang', ended('timeout', { status: 'timed_out', ms: 5_000 }), 'hang', 'hang'],
  ['a call that was cancelled', ended('cancelled', { status: 'cancelled', ms: 5_000 }), '', ''],
  ['a result that breaks its schema', ended('schema_error'), 'result_breaks_schema', ''],
  ['a result that is too large', ended('result_too_large'), 'result_unusable', ''],
  ['a stack', ended('execution_error', { message: STACK }), 'stack_in_message', ''],
  ['a slow answer', ended(null, { ms: 101 }), 'slow', 'invalid_accepted,slow'],
  ['a slow refusal', ended('execution_error', { ms: 4_000 }), 'slow', 'slow'],
  ['a slow stack', ended('execution_error', { ms: 4_000, message: STACK }), 'stack_in_message,slow', 'slow'],
])('%s', (_name, call, ofFitting, ofOthers) => {
  expect([kinds(call, true), kinds(call, false)]).toEqual([ofFitting, ofOthers]);
});
