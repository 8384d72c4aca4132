import type { Finding, ProbeReport } from './probe.ts';
import type { Expectation, SaveCall } from './saved-call.ts';
import type { Tool } from './tool.ts';

/* Rules of probing that pages need as well: without the schemas, which are loaded when something is sent. */

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

/**
 * A finding as a check that fails until it is mended, and passes then: arguments that do not fit are refused, any others are answered
 * or refused in words, in time. What is slow has the time that it was to take.
 */
export function checkOfFinding(report: Pick<ProbeReport, 'tool' | 'timeout_ms' | 'slow_ms'>, finding: Finding): SaveCall {
  const { kind, arguments: given, call_id: id } = finding;
  return {
    tool: report.tool,
    name: `${findingInWords(kind)} (${id.slice(-6)})`,
    arguments: given,
    timeout_ms: kind === 'slow' ? report.slow_ms : report.timeout_ms,
    expectation: kind === 'invalid_accepted' ? REFUSED : MENDED,
    required: false,
  };
}

const REFUSED: Expectation = { status: 'failed', error_kind: 'invalid_parameters' };
const MENDED: Expectation = { status: 'succeeded', or_refused: true };

/**
 * Whether a tool is probed only by whoever says that it may be: it may change or delete what is there. A tool of an MCP server that
 * does not say that it does not is taken to do so, as the protocol has it.
 */
export function needsYesToProbe({ annotations, runtime }: Pick<Tool, 'annotations' | 'runtime'>): boolean {
  if (annotations.readOnlyHint === true) return false;
  return annotations.destructiveHint ?? runtime === 'mcp';
}

/** Why it is asked for. */
export function whyYes({ name, annotations }: Pick<Tool, 'name' | 'annotations'>): string {
  return annotations.destructiveHint === true
    ? `${name} says of itself that it may change or delete what is there.`
    : `${name} is of an MCP server and does not say that it leaves what is there alone, so it may change or delete it.`;
}
