import type { Finding, ProbeReport } from './probe.ts';
import type { Expectation, SaveCall } from './saved-call.ts';

/* Probing rules shared with pages, without the schemas, which load on demand. */

const WORDS: Readonly<Record<Finding['kind'], string>> = {
  crash: 'Process exits',
  hang: 'Call times out',
  slow: 'It is slow',
  result_breaks_schema: 'Result does not match the output schema',
  result_unusable: 'Result is not JSON or too large',
  stack_in_message: 'Error contains a stack trace',
  invalid_accepted: 'Invalid arguments accepted',
};

export function findingInWords(kind: Finding['kind']): string {
  return WORDS[kind];
}

/** The body of `POST /saved-calls`. */
export type FoundCheck = Pick<SaveCall, 'tool' | 'name' | 'arguments' | 'timeout_ms' | 'expectation'>;

/**
 * A finding as a check that passes after the fix: invalid arguments are rejected, valid ones answered or rejected with a
 * message, in time. A slow finding uses its time limit.
 */
export function checkOfFinding(report: Pick<ProbeReport, 'tool' | 'timeout_ms' | 'slow_ms'>, finding: Finding): FoundCheck {
  const { kind, arguments: given, call_id: id } = finding;
  return {
    tool: report.tool,
    name: `${findingInWords(kind)} (${id.slice(-6)})`,
    arguments: given,
    timeout_ms: kind === 'slow' ? report.slow_ms : report.timeout_ms,
    expectation: kind === 'invalid_accepted' ? REFUSED : MENDED,
  };
}

const REFUSED: Expectation = { status: 'failed', error_kind: 'invalid_parameters' };
const MENDED: Expectation = { status: 'succeeded', or_refused: true };
