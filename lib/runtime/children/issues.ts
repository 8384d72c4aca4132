import type { ErrorObject } from 'ajv';
import type { CallIssue } from '#lib/contract/call.ts';
import { withoutTag } from '#lib/contract/union-errors.ts';
import { cut, kindsOf, wordsFor } from './issue-messages.ts';

/**
 * Turns ajv's errors into plain sentences that state the valid value. A missing or unknown property is reported at the property, so
 * that a form can show it beside the field. For a union only useful errors remain: its types if the value has none of them, else
 * the errors of the closest branch.
 *
 * What can go wrong: every item of a long list is wrong, names have megabytes, a schema contains long lists. So the number of
 * errors, each path, value and list, and the total are limited.
 */
const MOST_ISSUES = 100;
/** Limit for processed errors: reducing unions takes quadratic time. */
const MOST_ERRORS = 2_000;
/** For all issues together; the host parses 1 MiB, and a character takes at most six bytes. */
const MOST_CHARACTERS = 65_536;
const PATH_CHARACTERS = 500;
const MESSAGE_CHARACTERS = 1_000;

export function toIssues(errors: readonly ErrorObject[]): readonly CallIssue[] {
  const issues: CallIssue[] = [];
  const seen = new Set<string>();
  let characters = 0;
  for (const error of withoutOtherItems(withoutUnionNoise(withoutNames(withoutConditions(firstOf(errors)))))) {
    const issue = toIssue(error);
    const key = `${issue.path} ${issue.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    characters += key.length;
    if (characters > MOST_CHARACTERS) break;
    issues.push(issue);
    if (issues.length === MOST_ISSUES) break;
  }
  return issues;
}

/** ajv reports unions and `contains` after their branches: branches whose own error is cut off are noise. */
function firstOf(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const first = errors.slice(0, MOST_ERRORS);
  const last = first.at(-1);
  const cutOff = errors
    .slice(MOST_ERRORS, 2 * MOST_ERRORS)
    .find((error) => last !== undefined && (isUnion(error) || error.keyword === 'contains') && isInside(error, last));
  const whole = cutOff === undefined ? first : first.filter((error) => !isInside(cutOff, error));
  return whole.length > 0 ? whole : first;
}

/** The errors of a condition's branches are reported directly; the condition itself does not help. */
function withoutConditions(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const rest = errors.filter(({ keyword }) => keyword !== 'if');
  return rest.length > 0 ? rest : errors;
}

/** The rule that a name violates is reported; the rejection of the name itself adds nothing. */
function withoutNames(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const reported = new Set(
    errors.flatMap(({ instancePath, propertyName }) => (propertyName === undefined ? [] : [`${instancePath} ${propertyName}`])),
  );
  return errors.filter(
    ({ keyword, instancePath, params }) =>
      keyword !== 'propertyNames' || !reported.has(`${instancePath} ${String(params['propertyName'])}`),
  );
}

function isUnion({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

/** Whether an error is from a branch of this union, at this path. */
function isInside(union: ErrorObject, error: ErrorObject): boolean {
  const { instancePath } = union;
  const isWithin = error.instancePath === instancePath || error.instancePath.startsWith(`${instancePath}/`);
  return isWithin && error.schemaPath.startsWith(`${union.schemaPath}/`);
}

function withoutUnionNoise(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let left = [...errors];
  for (const union of errors) {
    if (!isUnion(union) || !left.includes(union)) continue;
    const inside = left.filter((error) => isInside(union, error));
    if (inside.length === 0) continue;
    const branches = Map.groupBy(inside, (error) => error.schemaPath.slice(union.schemaPath.length + 1).split('/')[0] ?? '');
    const candidates = [...branches.values()].filter(
      (branch) => !branch.some((error) => error.instancePath === union.instancePath && isKindError(error)),
    );
    const tag = withoutTag(union, candidates);
    const closest = tag === null ? candidates.sort(byCloseness(union))[0] : [tag];
    const keep = new Set<ErrorObject>(closest ?? [mergeKinds(union, inside)]);
    left = [...left.filter((error) => error !== union && !inside.includes(error)), ...keep];
  }
  return left;
}

/**
 * A branch whose discriminator has another value is another form; among the rest, the one with the fewest missing properties is
 * closest.
 */
function byCloseness(union: ErrorObject): (one: readonly ErrorObject[], other: readonly ErrorObject[]) => number {
  const depth = union.instancePath.split('/').length + 1;
  const marks = (branch: readonly ErrorObject[]): number =>
    branch.filter((error) => isMark(error) && error.instancePath.split('/').length === depth).length;
  const lacks = (branch: readonly ErrorObject[]): number => branch.filter(({ keyword }) => keyword === 'required').length;
  return (one, other) => marks(one) - marks(other) || one.length - other.length || lacks(one) - lacks(other);
}

/** In OpenAPI an enum with one value is a constant. */
function isMark({ keyword, schema }: ErrorObject): boolean {
  return keyword === 'const' || (keyword === 'enum' && Array.isArray(schema) && schema.length === 1);
}

/** `contains` concerns one item: report its rule for the closest item only. */
function withoutOtherItems(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let left = [...errors];
  for (const contains of errors) {
    if (contains.keyword !== 'contains') continue;
    const inside = left.filter((error) => isInside(contains, error));
    const items = Map.groupBy(inside, (error) => error.instancePath.slice(contains.instancePath.length + 1).split('/')[0] ?? '');
    const [closest] = [...items].sort(([, one], [, other]) => one.length - other.length);
    const rules = closest?.[1].map((error) => {
      const { path, message } = toIssue(error);
      return `${path.slice(contains.instancePath.length + closest[0].length + 1)} ${message}`.trim();
    });
    const withRules: ErrorObject = { ...contains, params: { ...contains.params, rules: rules ?? [] } };
    left = left.filter((error) => !inside.includes(error)).map((error) => (error === contains ? withRules : error));
  }
  return left;
}

function isKindError(error: ErrorObject): boolean {
  return error.keyword === 'type' || error.keyword === 'const' || error.keyword === 'enum';
}

/** "must be a string" and "must be null" become "must be a string or null". */
function mergeKinds(union: ErrorObject, inside: readonly ErrorObject[]): ErrorObject {
  const kinds = inside.filter((error) => error.instancePath === union.instancePath && isKindError(error)).flatMap(kindsOf);
  return { ...union, keyword: 'anyOf', params: { kinds: [...new Set(kinds)] } };
}

function toIssue(error: ErrorObject): CallIssue {
  const params: Readonly<Record<string, unknown>> = error.params;
  const { instancePath, propertyName } = error;
  const keyword = propertyName === undefined ? error.keyword : 'propertyNames';
  const property = propertyName ?? propertyNamed(params);
  const words = wordsFor(error, params);
  const path = property === null ? instancePath : `${instancePath}/${escapePointer(property)}`;
  return {
    path: cut(path, PATH_CHARACTERS),
    keyword,
    message: cut(propertyName === undefined ? words : ofName(words), MESSAGE_CHARACTERS),
  };
}

function ofName(words: string): string {
  return `is not an allowed name${words.startsWith('must ') ? `; it ${words}` : ''}`;
}

function propertyNamed(params: Readonly<Record<string, unknown>>): string | null {
  for (const name of ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName']) {
    const value = params[name];
    if (typeof value === 'string') return value;
  }
  return null;
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
