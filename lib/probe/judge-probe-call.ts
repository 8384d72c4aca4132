import type { Finding } from '#lib/contract/probe.ts';
import { hasStackTrace } from '#lib/contract/stack-trace.ts';
import type { EndedCall } from './probe-options.ts';

export type Judgement = Pick<Finding, 'kind' | 'message'>;

/** Everything that no tool should do which this call shows, the worst first. A call that somebody cancelled says nothing. */
export function judgeProbeCall(call: EndedCall, isValid: boolean, slowMs: number): readonly Judgement[] {
  if (call.status === 'cancelled') return [];
  const { error } = call;
  if (error?.kind === 'extension_crashed') return [{ kind: 'crash', message: error.message }];
  if (error?.kind === 'timeout') return [{ kind: 'hang', message: error.message }];
  const took = call.duration_ms ?? 0;
  const slow: readonly Judgement[] =
    took > slowMs ? [{ kind: 'slow', message: `It took ${Math.round(took)} ms; ${slowMs} ms are allowed.` }] : [];
  const first = error === null ? judgeSuccess(isValid) : isValid ? judgeError(error) : null;
  return first === null ? slow : [first, ...slow];
}

function judgeSuccess(isValid: boolean): Judgement | null {
  if (isValid) return null;
  return { kind: 'invalid_accepted', message: 'The arguments do not fit the schema, and the call succeeded.' };
}

function judgeError({ kind, message }: NonNullable<EndedCall['error']>): Judgement | null {
  if (kind === 'schema_error') return { kind: 'result_breaks_schema', message };
  if (kind === 'result_not_serializable' || kind === 'result_too_large') return { kind: 'result_unusable', message };
  return hasStackTrace(message) ? { kind: 'stack_in_message', message } : null;
}
