import { toIssues } from './issues.ts';
import type { CallError, CallIssue } from '#lib/contract/call.ts';
import type { ValidateFunction } from 'ajv';

/** Arguments as their tool takes them, or all that is wrong with them at once. Defaults are filled in. */
export function readArguments(
  validate: ValidateFunction,
  argsText: string,
): { readonly args: unknown; readonly issues: readonly CallIssue[] } {
  let args: unknown;
  try {
    args = JSON.parse(argsText);
  } catch {
    return { args: null, issues: [{ path: '', keyword: 'json', message: 'must be valid JSON: one object with the parameters' }] };
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return { args, issues: [{ path: '', keyword: 'type', message: 'must be one object with the parameters, such as {"name": "value"}' }] };
  }
  return { args, issues: issuesOf(validate, args) };
}

export function issuesOf(validate: ValidateFunction, value: unknown): readonly CallIssue[] {
  return validate(value) ? [] : toIssues(validate.errors ?? []);
}

export function invalidArguments(issues: readonly CallIssue[]): CallError {
  return {
    kind: 'invalid_parameters',
    message: `The arguments do not fit: ${summary(issues, 'the arguments')}.`,
    issues: [...issues],
  };
}

export function invalidResult(issues: readonly CallIssue[]): CallError {
  return {
    kind: 'schema_error',
    message: `The tool's result does not fit its own output_schema: ${summary(issues, 'the result')}.`,
    issues: [...issues],
  };
}

const ISSUES_IN_MESSAGE = 3;
function summary(issues: readonly CallIssue[], whole: string): string {
  const first = issues.slice(0, ISSUES_IN_MESSAGE).map((issue) => `${issue.path === '' ? whole : issue.path} ${issue.message}`);
  const more = issues.length - first.length;
  return more > 0 ? `${first.join('; ')}; and ${more} more` : first.join('; ');
}
