import type { ErrorObject } from 'ajv';
import type { CallIssue } from '#lib/contract/call.ts';
import { KIND_WORDS, withoutTag } from '#lib/contract/union-errors.ts';
import { isRecord } from '../frames.ts';

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

/** ajv reports unions and `contains` after their branches: branches without the error of their union are noise. */
function firstOf(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const first = errors.slice(0, MOST_ERRORS);
  const last = first.at(-1);
  const unionBeyond = errors
    .slice(MOST_ERRORS, 2 * MOST_ERRORS)
    .find((error) => last !== undefined && (isUnion(error) || error.keyword === 'contains') && isInside(error, last));
  const complete = unionBeyond === undefined ? first : first.filter((error) => !isInside(unionBeyond, error));
  return complete.length > 0 ? complete : first;
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
  return { ...union, params: { kinds: [...new Set(kinds)] } };
}

function toIssue(error: ErrorObject): CallIssue {
  const params: Readonly<Record<string, unknown>> = error.params;
  const { instancePath, propertyName } = error;
  const keyword = propertyName === undefined ? error.keyword : 'propertyNames';
  const property = propertyName ?? propertyNamed(params);
  const words = describeError(error, params);
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

const VALUE_CHARACTERS = 100;
const MOST_LISTED = 20;

/** The error and the valid form, without the location. */
function describeError(error: ErrorObject, params: Readonly<Record<string, unknown>>): string {
  const limit = String(params['limit'] ?? params['len']);
  switch (error.keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return error.keyword === 'required' ? 'is required, but it is missing' : `is required when "${String(params['property'])}" is given`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownProperty(error, String(params['additionalProperty'] ?? params['unevaluatedProperty']));
    case 'type':
      return `must be ${orList(typesOf(params['type']))}, but it is ${kindOf(error.data)}`;
    case 'anyOf':
    case 'oneOf': {
      const kinds = listOf(params['kinds']).map(String);
      if (kinds.length > 0) return `must be ${orList(kinds)}, but it is ${kindOf(error.data)}`;
      return Array.isArray(params['passingSchemas'])
        ? 'matches more than one of the allowed forms; it must match exactly one'
        : 'matches none of the allowed forms';
    }
    case 'enum':
      return `must be one of: ${someOf(listOf(params['allowedValues']).map(shown))}`;
    case 'const':
      return `must be ${shown(params['allowedValue'])}`;
    case 'minimum':
      return `must be ${limit} or more`;
    case 'maximum':
      return `must be ${limit} or less`;
    case 'exclusiveMinimum':
      return `must be more than ${limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}`;
    case 'multipleOf':
      return `must be a multiple of ${String(error.schema)}`;
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have ${limit} characters or more`;
    case 'maxLength':
      return `must have ${limit} characters or fewer`;
    case 'minItems':
      return `must have ${limit} ${limit === '1' ? 'item' : 'items'} or more`;
    case 'maxItems':
    // A list with a schema per index and no further items: in 2020-12 and in draft-07.
    case 'items':
    case 'additionalItems':
    case 'unevaluatedItems':
      return `must have ${limit} ${limit === '1' ? 'item' : 'items'} or fewer`;
    case 'minProperties':
      return `must have ${limit} ${limit === '1' ? 'property' : 'properties'} or more`;
    case 'maxProperties':
      return `must have ${limit} ${limit === '1' ? 'property' : 'properties'} or fewer`;
    case 'uniqueItems':
      return `must not contain duplicates (items ${String(params['j'])} and ${String(params['i'])} are equal, counted from 0)`;
    case 'pattern':
      return `must match the pattern ${String(params['pattern'])}`;
    case 'format':
      return `must be ${FORMATS[String(params['format'])] ?? `of the format "${String(params['format'])}"`}`;
    case 'contains':
      return describeContains(params);
    case 'propertyNames':
      return 'is not an allowed name';
    case 'not':
      return describeNot(error.schema);
    case 'false schema':
      return 'is not allowed here';
    default:
      return error.message ?? 'is not valid';
  }
}

/** The values that a `not` with one simple rule refuses. */
function describeNot(schema: unknown): string {
  const [rule, ...more] = isRecord(schema) ? Object.entries(schema) : [];
  if (rule !== undefined && more.length === 0) {
    const [keyword, value] = rule;
    if (keyword === 'const') return `must not be ${shown(value)}`;
    if (keyword === 'enum') return `must not be any of ${listOf(value).slice(0, 12).map(shown).join(', ')}`;
    if (keyword === 'pattern') return `must not match the pattern ${String(value)}`;
    const names = keyword === 'required' ? listOf(value).map(shown) : [];
    if (names.length === 1) return `must not have ${names.join('')}`;
    if (names.length > 1) return `must not have all of ${names.join(', ')}`;
  }
  return 'has a form that is not allowed';
}

function describeContains({ minContains, maxContains, rules }: Readonly<Record<string, unknown>>): string {
  const required = listOf(rules).map(String).join('; ');
  if (required === '' && typeof maxContains === 'number')
    return `must contain ${maxContains} ${maxContains === 1 ? 'item' : 'items'} or fewer of this form`;
  const count = typeof minContains === 'number' && minContains > 1 ? `${minContains} items or more` : 'an item';
  return `must contain ${count} of the required form${required === '' ? '' : `: ${required}`}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'a date such as "2026-01-31"',
  time: 'a time with its zone such as "09:30:00Z"',
  'date-time': 'a date with time and zone such as "2026-01-31T09:30:00Z"',
  email: 'an e-mail address',
  uri: 'a full address such as "https://example.org/"',
  url: 'a full address such as "https://example.org/"',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  hostname: 'a host name',
};

export const NOT_A_PARAMETER = 'is not a parameter of this tool';
export const NOT_A_PROPERTY = 'is not a known property';

function unknownProperty(error: ErrorObject, name: string): string {
  const properties: unknown = error.parentSchema?.['properties'];
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const what = error.instancePath === '' ? NOT_A_PARAMETER : NOT_A_PROPERTY;
  const near = nearestName(name, known);
  if (near !== null) return `${what}; did you mean "${near}"?`;
  if (known.length === 0) return `${what}; there are none`;
  return `${what}; known are: ${someOf(known.map((one) => `"${cut(one, VALUE_CHARACTERS)}"`))}`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = { ...KIND_WORDS, string: 'a string' };

function typesOf(type: unknown): readonly string[] {
  const names = Array.isArray(type) ? type.map(String) : String(type).split(',');
  return names.map((name) => TYPE_WORDS[name] ?? name);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : `the number ${value}`;
  return TYPE_WORDS[typeof value] ?? typeof value;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function orList(words: readonly string[]): string {
  if (words.length > MOST_LISTED) return `one of: ${someOf(words)}`;
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function someOf(words: readonly string[]): string {
  const more = words.length - MOST_LISTED;
  return more > 0 ? `${words.slice(0, MOST_LISTED).join(', ')} and ${more} more` : words.join(', ');
}

function shown(value: unknown): string {
  return cut(JSON.stringify(value), VALUE_CHARACTERS);
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…`.toWellFormed() : text;
}

/** The expected types, for a value of the wrong type. */
function kindsOf(error: ErrorObject): readonly string[] {
  const params: Readonly<Record<string, unknown>> = error.params;
  if (error.keyword === 'const') return [shown(params['allowedValue'])];
  if (error.keyword === 'enum') return listOf(params['allowedValues']).map(shown);
  return typesOf(params['type']);
}

/** The name among `known` that was probably meant, or null: at most a third of the letters differ. */
export function nearestName(wrong: string, known: readonly string[]): string | null {
  if (wrong.length > 64) return null;
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wrong.length / 3)) + 1;
  for (const name of known.slice(0, 200)) {
    if (Math.abs(name.length - wrong.length) >= bestDistance) continue;
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** Counts insertions, deletions, replacements and swaps of neighbours. */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      let distance = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (previous[column - 1] ?? 0) + (same ? 0 : 1));
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        distance = Math.min(distance, (before[column - 2] ?? 0) + 1);
      current.push(distance);
    }
    before = previous;
    previous = current;
  }
  return previous[other.length] ?? 0;
}
