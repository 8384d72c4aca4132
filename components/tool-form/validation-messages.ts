import type { ErrorObject } from 'ajv';
import { KIND_WORDS, underTheirUnions, withoutTag } from '#lib/contract/union-errors.ts';
import { type Issue, nameOf as ofName, pointerOf, REQUIRED } from './issues.ts';
import { isJsonObject } from './json-text.ts';
import { listOf } from './schema-node.ts';

/*
 * Turns ajv errors into instructions at the field. Of a union only errors of the best matching branch are kept; missing and
 * unknown names are reported at the name.
 */
export function issuesOf(errors: readonly ErrorObject[], schema: unknown): readonly Issue[] {
  const issues: Issue[] = [];
  for (const error of withoutKindsOfChoices(withoutOtherItems(withoutOtherBranches(underTheirUnions(errors, schema))))) {
    const issue = { path: `${error.instancePath}${nameOf(error)}`, message: messageFor(error) };
    if (error.keyword === 'propertyNames' && errors.some((other) => other.propertyName === error.params['propertyName'])) continue;
    if (!issues.some((present) => present.path === issue.path && present.message === issue.message)) issues.push(issue);
  }
  return issues;
}

/** With a list of allowed values the type error adds nothing. */
function withoutKindsOfChoices(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'enum' || keyword === 'const').map(({ instancePath }) => instancePath);
  return errors.filter(({ keyword, instancePath }) => keyword !== 'type' || !choices.includes(instancePath));
}

function withoutOtherBranches(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let left = [...errors];
  for (const union of errors) {
    if (union.keyword !== 'anyOf' && union.keyword !== 'oneOf') continue;
    // One sentence for all branches.
    if (requiredNames(union) !== null) {
      left = left.filter((error) => !error.schemaPath.startsWith(`${union.schemaPath}/`) || error.instancePath !== union.instancePath);
      continue;
    }
    const inside = left.filter(
      (error) => error.schemaPath.startsWith(`${union.schemaPath}/`) && error.instancePath.startsWith(union.instancePath),
    );
    if (inside.length === 0) continue;
    const branches = Map.groupBy(inside, (error) => error.schemaPath.slice(union.schemaPath.length + 1).split('/')[0]);
    const [closest] = [...branches.values()].sort((one, other) => distance(one, union) - distance(other, union));
    const ofItsKind = [...branches.values()].filter((branch) => !branch.some((error) => isOtherKind(error, union)));
    const whole = kindOfAll([...branches.values()], union) ?? withoutTag(union, ofItsKind);
    left = left.filter((error) => error !== union && !inside.includes(error)).concat(whole ?? closest ?? []);
  }
  return left.filter((error) => error.keyword !== 'if');
}

/** All types, or the closest one, if no branch takes the type; else null. */
function kindOfAll(branches: readonly (readonly ErrorObject[])[], union: ErrorObject): ErrorObject | null {
  const kinds = branches.map((branch) => branch.find((error) => isOtherKind(error, union)));
  const types = kinds.flatMap((error): readonly unknown[] => [error?.params['type']].flat());
  if (kinds.length === 0 || types.includes(undefined)) return null;
  const type = typeof union.data === 'number' && types.includes('integer') ? 'integer' : [...new Set(types)];
  return { ...union, keyword: 'type', params: { type } };
}

/** `contains` applies to one item: the closest one explains the rule. */
function withoutOtherItems(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let left = [...errors];
  for (const contains of errors) {
    if (contains.keyword !== 'contains') continue;
    const start = `${contains.instancePath}/`;
    const inside = left.filter((error) => error.schemaPath.startsWith(`${contains.schemaPath}/`) && error.instancePath.startsWith(start));
    const items = Map.groupBy(inside, (error) => error.instancePath.slice(start.length).split('/')[0] ?? '');
    const [closest] = [...items].sort(([, one], [, other]) => one.length - other.length);
    const rules = closest?.[1].map((error) => {
      const name = `${error.instancePath}${nameOf(error)}`.slice(start.length + closest[0].length + 1);
      return `${name === '' ? '' : `${name}: `}${messageFor(error)}`;
    });
    const withRules: ErrorObject = { ...contains, params: { ...contains.params, rules: rules ?? [] } };
    left = left.filter((error) => !inside.includes(error)).map((error) => (error === contains ? withRules : error));
  }
  return left;
}

/** A wrong type or constant outweighs any number of smaller errors. */
function distance(branch: readonly ErrorObject[], union: ErrorObject): number {
  return branch.reduce((sum, error) => {
    if (isOtherKind(error, union)) return sum + 1_000;
    return sum + (isMark(error) ? 100 : 1);
  }, 0);
}

function isOtherKind({ keyword, instancePath }: ErrorObject, union: ErrorObject): boolean {
  return keyword === 'type' && instancePath === union.instancePath;
}

/** OpenAPI authors write an enum of one value as a constant. */
function isMark({ keyword, schema }: ErrorObject): boolean {
  return keyword === 'const' || (keyword === 'enum' && listOf(schema).length === 1);
}

/** Names per branch if all branches only require names; else null. */
function requiredNames(error: ErrorObject): readonly (readonly string[])[] | null {
  if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') return null;
  const branches = listOf(error.schema).map((branch) =>
    isJsonObject(branch) && Object.keys(branch).every((key) => ['required', 'title', 'description'].includes(key))
      ? listOf(branch['required']).filter((name) => typeof name === 'string')
      : [],
  );
  return branches.length === 0 || branches.some((names) => names.length === 0) ? null : branches;
}

/** "a or b", "a and b, or c". */
function namesInWords(branches: readonly (readonly string[])[]): string {
  const words = branches.map((names) => names.map((name) => (name === '' ? '""' : name)).join(' and '));
  const comma = branches.some((names) => names.length > 1) ? ',' : '';
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')}${comma} or ${words.at(-1) ?? ''}`;
}

function nameOf(error: ErrorObject): string {
  const params: Readonly<Record<string, unknown>> = error.params;
  if (error.propertyName !== undefined && error.keyword !== 'propertyNames') return ofName(pointerOf([error.propertyName]));
  const required = requiredNames(error);
  const [first] = required === null || Array.isArray(params['passingSchemas']) ? [] : (required[0] ?? []);
  if (first !== undefined) return pointerOf([first]);
  for (const key of ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName']) {
    const name = params[key];
    if (typeof name === 'string') return key === 'propertyName' ? ofName(pointerOf([name])) : pointerOf([name]);
  }
  return '';
}

function messageFor(error: ErrorObject): string {
  const params: Readonly<Record<string, unknown>> = error.params;
  const limit = String(params['limit']);
  const required = requiredNames(error);
  if (required !== null)
    return Array.isArray(params['passingSchemas'])
      ? `Only one of these is accepted: ${namesInWords(required)}. Remove the others.`
      : `Fill in ${namesInWords(required)}.`;
  switch (error.keyword) {
    case 'required':
      return REQUIRED;
    case 'dependentRequired':
    case 'dependencies':
      return `This is required when "${String(params['property'])}" is given.`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'The tool does not know this name. Remove it.';
    case 'type':
      return `Enter ${typesInWords(params['type'])}.`;
    case 'enum':
      return `Choose one of: ${valuesInWords(params['allowedValues'])}.`;
    case 'const':
      return `Only ${JSON.stringify(params['allowedValue'])} is accepted here.`;
    case 'minimum':
      return `Enter ${limit} or more.`;
    case 'maximum':
      return `Enter ${limit} or less.`;
    case 'exclusiveMinimum':
      return `Enter more than ${limit}.`;
    case 'exclusiveMaximum':
      return `Enter less than ${limit}.`;
    case 'multipleOf':
      return `Enter a multiple of ${String(error.schema)}.`;
    case 'minLength':
      return limit === '1' ? 'Enter some text.' : `Enter at least ${limit} characters.`;
    case 'maxLength':
      return `Enter at most ${limit} characters.`;
    case 'minItems':
      return `Add items: at least ${limit} ${limit === '1' ? 'is' : 'are'} needed.`;
    case 'maxItems':
      return `Remove items: at most ${limit} ${limit === '1' ? 'is' : 'are'} accepted.`;
    case 'minProperties':
      return `At least ${limit} ${limit === '1' ? 'name is' : 'names are'} needed here.`;
    case 'maxProperties':
      return `At most ${limit} ${limit === '1' ? 'name is' : 'names are'} accepted here.`;
    case 'uniqueItems':
      return `${pairInWords(Number(params['i']), Number(params['j']))} are equal. Items must be unique.`;
    case 'pattern':
      return `Does not match the pattern ${String(params['pattern'])}.`;
    case 'format':
      return `Enter ${FORMATS[String(params['format'])] ?? `a value of the format "${String(params['format'])}"`}.`;
    case 'contains':
      return containsInWords(params);
    case 'propertyNames':
      return 'This name is not accepted here.';
    case 'oneOf':
      return Array.isArray(params['passingSchemas'])
        ? 'This matches more than one of the accepted forms; it must match exactly one.'
        : 'This matches none of the accepted forms.';
    case 'anyOf':
      return 'This matches none of the accepted forms.';
    case 'not':
      return refusedInWords(error.schema);
    case 'false schema':
      return 'This is not accepted here.';
    default:
      return error.message === undefined ? 'This does not match the schema.' : `This ${error.message}.`;
  }
}

function pairInWords(one: number, other: number): string {
  return `Items ${Math.min(one, other) + 1} and ${Math.max(one, other) + 1}`;
}

function refusedInWords(schema: unknown): string {
  const [rule, ...more] = isJsonObject(schema) ? Object.entries(schema) : [];
  if (rule !== undefined && more.length === 0) {
    const [keyword, value] = rule;
    if (keyword === 'const') return `Anything but ${valuesInWords([value])} is accepted here.`;
    if (keyword === 'enum') return `Anything but ${valuesInWords(value)} is accepted here.`;
    if (keyword === 'pattern') return `Must not match the pattern ${String(value)}.`;
    if (keyword === 'type') return `Anything but ${typesInWords(value)} is accepted here.`;
    const names = keyword === 'required' ? listOf(value).filter((name) => typeof name === 'string') : [];
    if (names.length === 1) return `Leave out ${namesInWords([names])}.`;
    if (names.length > 1) return `Not all of these can be given at once: ${names.join(', ')}.`;
  }
  return 'This is not accepted here.';
}

function containsInWords({ minContains, maxContains, rules }: Readonly<Record<string, unknown>>): string {
  const ruleText = listOf(rules).map(String).join(' ');
  if (ruleText === '' && typeof maxContains === 'number')
    return `At most ${maxContains} ${maxContains === 1 ? 'item of this kind is' : 'items of this kind are'} accepted here.`;
  if (ruleText === '') return 'An item of the required kind is missing.';
  const min = typeof minContains === 'number' ? minContains : 1;
  return `At least ${min} ${min === 1 ? 'item' : 'items'} must follow this rule: ${ruleText}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-01-31',
  time: 'a time with its zone such as 09:30:00Z',
  'date-time': 'a date with time and zone such as 2026-01-31T09:30:00Z',
  duration: 'a duration such as P1DT2H',
  email: 'an e-mail address',
  uri: 'a full address such as https://example.org/',
  url: 'a full address such as https://example.org/',
  uuid: 'a UUID such as 123e4567-e89b-12d3-a456-426614174000',
  ipv4: 'an IPv4 address such as 192.0.2.1',
  ipv6: 'an IPv6 address such as 2001:db8::1',
  hostname: 'a host name such as example.org',
};

function typesInWords(type: unknown): string {
  const words = (Array.isArray(type) ? type.map(String) : String(type).split(',')).map((each) => KIND_WORDS[each] ?? each);
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

function valuesInWords(values: unknown): string {
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  const words = list.slice(0, 12).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return `${words.join(', ')}${list.length > 12 ? ', …' : ''}`;
}
