import type { Call, CallError, CallIssue } from '#lib/contract/call.ts';
import { hasStackTrace } from '#lib/contract/failure.ts';
import type { Expectation } from '#lib/contract/saved-call.ts';

/** Validates a result against a foreign schema, which is never compiled in this process. */
export type CheckResult = (schema: Readonly<Record<string, unknown>>, resultText: string) => Promise<CallError | null>;

const NAMED = 3;
const VALUE_CHARACTERS = 80;

/** Why the call misses its expectation; null if it meets it. */
export async function checkExpectation(
  call: Pick<Call, 'status' | 'result' | 'error'>,
  expectation: Expectation,
  checkResult: CheckResult,
): Promise<string | null> {
  const status = expectation.status ?? 'succeeded';
  if (status === 'succeeded' && expectation.or_refused === true && isRefusal(call.error)) return null;
  if (call.status !== status) {
    return `The call ${STATUS_WORDS[call.status]}, but ${status} was expected${call.error === null ? '.' : `: ${call.error.message}`}`;
  }
  if (expectation.error_kind !== undefined && call.error?.kind !== expectation.error_kind) {
    return `The error is ${call.error?.kind ?? 'none'}, but ${expectation.error_kind} was expected${call.error === null ? '.' : `: ${call.error.message}`}`;
  }
  if (expectation.result_includes !== undefined) {
    const differences = differencesOf(expectation.result_includes, call.result, 'result');
    if (differences.length > 0) return sentence(differences);
  }
  if (expectation.result_schema !== undefined) {
    const error = await checkResult(expectation.result_schema, JSON.stringify(call.result));
    if (error !== null) return error.issues === undefined ? error.message : sentence(error.issues.map(issueInWords));
  }
  return null;
}

function isRefusal(error: CallError | null): boolean {
  return error !== null && (error.kind === 'execution_error' || error.kind === 'invalid_parameters') && !hasStackTrace(error.message);
}

const STATUS_WORDS: Record<Call['status'], string> = {
  running: 'is still running',
  succeeded: 'succeeded',
  failed: 'failed',
  timed_out: 'timed out',
  cancelled: 'was cancelled',
};

/** Parts of `expected` missing in `actual`: objects may have more members, everything else must be equal. */
export function differencesOf(expected: unknown, actual: unknown, at: string): readonly string[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [`${at} is ${shown(actual)}, not a list`];
    if (actual.length !== expected.length) return [`${at} has ${entries(actual.length)}, not ${expected.length}`];
    return expected.flatMap((item: unknown, index) => differencesOf(item, actual[index], `${at}/${index}`));
  }
  if (isObject(expected)) {
    if (!isObject(actual)) return [`${at} is ${shown(actual)}, not an object`];
    return Object.entries(expected).flatMap(([key, value]) => {
      const here = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return Object.hasOwn(actual, key) ? differencesOf(value, actual[key], here) : [`${here} is missing`];
    });
  }
  return expected === actual ? [] : [`${at} is ${shown(actual)}, not ${shown(expected)}`];
}

function issueInWords(issue: CallIssue): string {
  return `result${issue.path} ${issue.message}`;
}

function sentence(parts: readonly string[]): string {
  const more = parts.length - NAMED;
  return `${parts.slice(0, NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${entries(value.length)}`;
  if (isObject(value)) return 'an object';
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)}…` : text;
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
