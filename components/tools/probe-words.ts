import type { Finding } from '#lib/contract/probe.ts';
import type { Expectation } from '#lib/contract/saved-call.ts';

const WORDS: Readonly<Record<Finding['kind'], string>> = {
  crash: 'Its process ends',
  hang: 'It does not end in time',
  slow: 'It is slow',
  result_breaks_schema: 'Its result does not fit its output schema',
  result_unusable: 'Its result cannot be used',
  stack_in_message: 'Its error shows a stack trace',
  invalid_accepted: 'It takes arguments that do not fit',
};

export function findingInWords(kind: Finding['kind']): string {
  return WORDS[kind];
}

/** What holds once the fault is mended: arguments that do not fit are refused, any others are answered. */
export function expectationFor(kind: Finding['kind']): Expectation {
  return kind === 'invalid_accepted' ? { status: 'failed', error_kind: 'invalid_parameters' } : { status: 'succeeded' };
}
