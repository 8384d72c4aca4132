import { isDeepStrictEqual } from 'node:util';
import { bigintsIn, NOT_EXACT, parse, withExactIntegers } from '#lib/contract/big-integers.ts';
import type { FoundBigint } from '#lib/contract/big-integers.ts';
import { NOT_A_PARAMETER, NOT_A_PROPERTY, toIssues } from './issues.ts';
import { truncateMessage } from './thrown.ts';
import { toNotedJsonText } from './to-json.ts';
import type { CallError, CallIssue } from '#lib/contract/call.ts';
import type { Validate } from './validators.ts';

export interface ReadArguments {
  /** With defaults; integers that no double can represent are rounded, since validation uses doubles. */
  readonly args: unknown;
  readonly issues: readonly CallIssue[];
  /** The rounded numbers with their original values. */
  readonly exact: readonly FoundBigint[];
}

/** Returns a tool's arguments with defaults, or all validation errors. */
export function readArguments(validate: Validate, argsText: string): ReadArguments {
  let args: unknown;
  try {
    args = parse(argsText);
  } catch {
    return refused(null, 'json', 'must be valid JSON: one object with the parameters');
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return refused(args, 'type', 'must be one object with the parameters, such as {"name": "value"}');
  }
  const given = new Set(Object.keys(args));
  const whole = withExactIntegers(argsText, args);
  const exact = whole === args ? [] : bigintsIn(whole);
  const issues = issuesOf(validate, args, argsText).map((issue) => ofDefault(issue, given, args));
  return { args, issues: exact.length === 0 ? issues : issues.filter((issue) => !isRounding(issue, whole)), exact };
}

function refused(args: unknown, keyword: string, message: string): ReadArguments {
  return { args, issues: [{ path: '', keyword, message }], exact: [] };
}

/** Different items may become equal by rounding. */
function isRounding({ keyword, path }: CallIssue, whole: unknown): boolean {
  if (keyword !== 'uniqueItems') return false;
  const items = valueAt(
    whole,
    path
      .split('/')
      .slice(1)
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')),
  );
  return Array.isArray(items) && items.every((item, at) => !items.slice(0, at).some((other) => isDeepStrictEqual(item, other)));
}

/** Restores rounded numbers in the arguments to their original values. */
export function restoreSlot(args: unknown, exact: readonly FoundBigint[]): void {
  for (const { path, value } of exact) {
    const holder = valueAt(args, path.slice(0, -1));
    if (typeof holder === 'object' && holder !== null) Reflect.set(holder, path.at(-1) ?? '', value);
  }
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined), root);
}

/** For a language whose numbers are doubles: the values that would change. */
export function roundedIssues(exact: readonly FoundBigint[]): readonly CallIssue[] {
  return exact.slice(0, MOST_ROUNDED).map(({ path }) => ({
    path: path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    keyword: 'exact',
    message: NOT_EXACT,
  }));
}

const MOST_ROUNDED = 100;

/** An invalid default is not the caller's fault: they did not send it and cannot see it in the arguments. */
function ofDefault(issue: CallIssue, given: ReadonlySet<string>, args: object): CallIssue {
  const name = issue.path.split('/')[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
  if (name === undefined || given.has(name) || !Object.hasOwn(args, name)) return issue;
  return { ...issue, message: `is not given, and its default ${issue.message}` };
}

/** From this many values on, only the first issue is reported. */
const LARGE_FROM = 10_000;

/** @param text the value as JSON */
export function issuesOf(validate: Validate, value: unknown, text: string): readonly CallIssue[] {
  return toIssues(validate(value, isLarge(text)));
}

/** Counts commas: there is one between any two values; commas in strings do no harm. */
function isLarge(text: string): boolean {
  if (text.length < LARGE_FROM) return false;
  let values = 1;
  for (let at = text.indexOf(','); at !== -1 && values < LARGE_FROM; at = text.indexOf(',', at + 1)) values += 1;
  return values >= LARGE_FROM;
}

export function invalidArguments(issues: readonly CallIssue[]): CallError {
  return {
    kind: 'invalid_parameters',
    message: truncateMessage(`The arguments are invalid: ${summary(issues, 'the arguments')}`),
    issues: [...issues],
  };
}

/** @param said included in the error: the tool has run, and this is the only record of its result */
export function invalidResult(issuesOfSchema: readonly CallIssue[], said: unknown): CallError {
  const issues = issuesOfSchema.map((issue) => ({ ...issue, message: issue.message.replace(NOT_A_PARAMETER, NOT_A_PROPERTY) }));
  const kept = toNotedJsonText(said, DATA_BYTES);
  return {
    kind: 'schema_error',
    message: truncateMessage(`The tool's result does not match its own output_schema: ${summary(issues, 'the result')}`),
    issues: [...issues],
    ...(kept.ok ? { data: JSON.parse(kept.text) as unknown } : {}),
  };
}

const DATA_BYTES = 65_536;

const ISSUES_IN_MESSAGE = 3;
function summary(issues: readonly CallIssue[], whole: string): string {
  const first = issues
    .slice(0, ISSUES_IN_MESSAGE)
    .map(({ path, message }) => `${path === '' ? whole : path}${message === NOT_EXACT ? `: ${message.slice(0, -1)}` : ` ${message}`}`);
  const more = issues.length - first.length;
  const text = more > 0 ? `${first.join('; ')}; and ${more} more` : first.join('; ');
  return text.endsWith('?') ? text : `${text}.`;
}
