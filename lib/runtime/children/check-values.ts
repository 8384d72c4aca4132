import { toIssues } from './issues.ts';
import { cutMessage } from './thrown.ts';
import { toNotedJsonText } from './to-json.ts';
import type { CallError, CallIssue } from '#lib/contract/call.ts';
import type { Validate } from './validators.ts';

/** Arguments as their tool takes them, or all that is wrong with them at once. Defaults are filled in. */
export function readArguments(validate: Validate, argsText: string): { readonly args: unknown; readonly issues: readonly CallIssue[] } {
  let args: unknown;
  try {
    args = JSON.parse(argsText);
  } catch {
    return { args: null, issues: [{ path: '', keyword: 'json', message: 'must be valid JSON: one object with the parameters' }] };
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return { args, issues: [{ path: '', keyword: 'type', message: 'must be one object with the parameters, such as {"name": "value"}' }] };
  }
  const given = new Set(Object.keys(args));
  return { args, issues: issuesOf(validate, args, argsText).map((issue) => ofDefault(issue, given, args)) };
}

/** A default that does not fit is no fault of the caller, who did not give it and cannot see it in the arguments. */
function ofDefault(issue: CallIssue, given: ReadonlySet<string>, args: object): CallIssue {
  const name = issue.path.split('/')[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
  if (name === undefined || given.has(name) || !Object.hasOwn(args, name)) return issue;
  return { ...issue, message: `is not given, and its default ${issue.message}` };
}

/** With this many values or more only the first issue is told. */
const LARGE_FROM = 10_000;

/** @param text the value as JSON */
export function issuesOf(validate: Validate, value: unknown, text: string): readonly CallIssue[] {
  return toIssues(validate(value, isLarge(text)));
}

/** There is a comma between any two values; those in texts do no harm. */
function isLarge(text: string): boolean {
  if (text.length < LARGE_FROM) return false;
  let values = 1;
  for (let at = text.indexOf(','); at !== -1 && values < LARGE_FROM; at = text.indexOf(',', at + 1)) values += 1;
  return values >= LARGE_FROM;
}

export function invalidArguments(issues: readonly CallIssue[]): CallError {
  return {
    kind: 'invalid_parameters',
    message: cutMessage(`The arguments do not fit: ${summary(issues, 'the arguments')}.`),
    issues: [...issues],
  };
}

/** @param said kept with the error: the tool has done what it does, and only this tells what came of it */
export function invalidResult(issues: readonly CallIssue[], said: unknown): CallError {
  const kept = toNotedJsonText(said, DATA_BYTES);
  return {
    kind: 'schema_error',
    message: cutMessage(`The tool's result does not fit its own output_schema: ${summary(issues, 'the result')}.`),
    issues: [...issues],
    ...(kept.ok ? { data: JSON.parse(kept.text) as unknown } : {}),
  };
}

const DATA_BYTES = 65_536;

const ISSUES_IN_MESSAGE = 3;
function summary(issues: readonly CallIssue[], whole: string): string {
  const first = issues.slice(0, ISSUES_IN_MESSAGE).map((issue) => `${issue.path === '' ? whole : issue.path} ${issue.message}`);
  const more = issues.length - first.length;
  return more > 0 ? `${first.join('; ')}; and ${more} more` : first.join('; ');
}
