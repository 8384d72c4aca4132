import { isMultiple } from '#lib/contract/multiple-of.ts';
import { fitsPattern, referenced } from '#lib/contract/subschemas.ts';
import { isJsonObject, sameJson } from './json-text.ts';
import { type SchemaNode, listOf, nodeOf } from './schema-node.ts';

const MAX_PAIRS = 24;
const GREATER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const LESSER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const BY_NAME = ['properties', 'patternProperties', 'dependentSchemas', 'dependentRequired', 'dependencies'];
const WHOLE = ['items', 'additionalProperties', 'propertyNames', 'contains', 'not', 'unevaluatedProperties', 'unevaluatedItems'];

/** As far as a form can show it; annotations of the first schema win. */
export function mergeSchemas(one: SchemaNode, other: SchemaNode): SchemaNode {
  if (Object.keys(other).length === 0) return one;
  if (Object.keys(one).length === 0) return other;
  const sum = new Map<string, unknown>(Object.entries(one));
  for (const [key, value] of Object.entries(other)) {
    const present = sum.get(key);
    if (present === undefined) sum.set(key, value);
    else if (key === 'required') sum.set(key, [...new Set([...listOf(present), ...listOf(value)])]);
    else if (key === 'type') sum.set(key, commonTypes(present, value));
    else if (key === 'enum')
      sum.set(
        key,
        listOf(present).filter((each) => listOf(value).some((same) => sameJson(each, same))),
      );
    else if (GREATER.includes(key)) sum.set(key, numbers(present, value, Math.max));
    else if (LESSER.includes(key)) sum.set(key, numbers(present, value, Math.min));
    else if (BY_NAME.includes(key)) sum.set(key, byName(nodeOf(present), nodeOf(value)));
    else if (WHOLE.includes(key)) sum.set(key, both(present, value));
    else if (key === 'oneOf' || key === 'anyOf') sum.set(key, pairs(listOf(present), listOf(value)));
  }
  const merged = Object.fromEntries(sum);
  if (sum.has('oneOf') && sum.has('anyOf'))
    return { ...merged, oneOf: pairs(listOf(sum.get('oneOf')), listOf(sum.get('anyOf'))), anyOf: undefined };
  return merged;
}

function commonTypes(one: unknown, other: unknown): unknown {
  const types = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
  const has = (list: readonly unknown[], type: unknown) => list.includes(type) || (type === 'integer' && list.includes('number'));
  const common = [
    ...new Set([...types(one).filter((type) => has(types(other), type)), ...types(other).filter((type) => has(types(one), type))]),
  ];
  return common.length === 1 ? common[0] : common;
}

function numbers(one: unknown, other: unknown, choose: (...values: number[]) => number): unknown {
  return typeof one === 'number' && typeof other === 'number' ? choose(one, other) : one;
}

function byName(one: SchemaNode, other: SchemaNode): SchemaNode {
  const sum = new Map<string, unknown>(Object.entries(one));
  for (const [name, value] of Object.entries(other)) {
    const present = sum.get(name);
    if (present === undefined) sum.set(name, value);
    else if (Array.isArray(present) && Array.isArray(value)) sum.set(name, [...new Set([...listOf(present), ...listOf(value)])]);
    else sum.set(name, both(present, value));
  }
  return Object.fromEntries(sum);
}

function both(one: unknown, other: unknown): unknown {
  if (one === false || other === false) return false;
  if (!isJsonObject(one)) return other;
  if (!isJsonObject(other) || sameJson(one, other)) return one;
  return { allOf: [one, other] };
}

/** All combinations, unless they are too many to show. */
function pairs(one: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  if (one.length === 0 || other.length === 0) return one.length === 0 ? other : one;
  if (one.length * other.length > MAX_PAIRS) return one;
  return one.flatMap((first) => other.map((second) => ({ allOf: [first, second] })));
}

const MAX_CONDITION_STEPS = 500;

/** Keywords that do not affect a condition. */
const WORDS_ONLY = new Set(['title', 'description', '$comment', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']);

/**
 * Whether a value matches an `if`: null if the form cannot decide. Only selects the fields to show; validation runs in the
 * worker.
 */
function matchesCondition(schema: unknown, value: unknown, root: SchemaNode): boolean | null {
  const budget = { left: MAX_CONDITION_STEPS };
  return evaluate(schema, value === undefined ? {} : value, root, budget);
}

/** Names whose absence decides the verdict: `{"properties": {"kind": {"const": "x"}}}` holds while `kind` is missing. */
function missingNamesOf(schema: unknown, value: unknown, root: SchemaNode): readonly string[] {
  const missed = new Set<string>();
  const verdict = evaluate(schema, value === undefined ? {} : value, root, { left: MAX_CONDITION_STEPS, missed });
  return verdict === null ? [...missed] : [];
}

type Verdict = boolean | null;

interface Budget {
  left: number;
  readonly missed?: Set<string>;
}

function evaluate(schema: unknown, value: unknown, root: SchemaNode, budget: Budget): Verdict {
  budget.left -= 1;
  if (budget.left < 0) return null;
  if (typeof schema === 'boolean') return schema;
  const node = nodeOf(schema);
  return all(Object.entries(node).map(([word, operand]) => evaluateKeyword(word, operand, node, value, root, budget)));
}

function evaluateKeyword(word: string, operand: unknown, node: SchemaNode, value: unknown, root: SchemaNode, budget: Budget): Verdict {
  // Only names of this object count as missing.
  const again = (schema: unknown, part: unknown) => (part === value ? evaluate(schema, part, root, budget) : within(schema, part));
  const within = (schema: unknown, part: unknown) => {
    const inner = { left: budget.left };
    const verdict = evaluate(schema, part, root, inner);
    budget.left = inner.left;
    return verdict;
  };
  const noteMissing = (name: string, verdict: boolean) => {
    if (budget.missed === undefined) return verdict;
    budget.missed.add(name);
    return null;
  };
  switch (word) {
    case '$ref':
    case '$dynamicRef': {
      const target = typeof operand === 'string' ? referenced(root, operand) : null;
      return target === null ? null : again(target, value);
    }
    case 'const':
      return sameJson(operand, value);
    case 'enum':
      return listOf(operand).some((each) => sameJson(each, value));
    case 'type':
      return (Array.isArray(operand) ? operand : [operand]).some((type) => isOfType(value, type));
    case 'required':
      return isJsonObject(value)
        ? all(listOf(operand).map((name) => typeof name === 'string' && (Object.hasOwn(value, name) || noteMissing(name, false))))
        : true;
    case 'properties':
      return isJsonObject(value)
        ? all(
            Object.entries(nodeOf(operand)).map(([name, part]) =>
              Object.hasOwn(value, name) ? within(part, value[name]) : asksNothing(part) || noteMissing(name, true),
            ),
          )
        : true;
    case 'items':
      return Array.isArray(value) ? (Array.isArray(operand) ? null : all(value.map((item) => again(operand, item)))) : true;
    case 'contains':
      return Array.isArray(value) ? any(value.map((item) => again(operand, item))) : true;
    case 'not':
      return opposite(again(operand, value));
    case 'allOf':
      return all(listOf(operand).map((part) => again(part, value)));
    case 'anyOf':
      return any(listOf(operand).map((part) => again(part, value)));
    case 'oneOf': {
      const verdicts = listOf(operand).map((part) => again(part, value));
      return verdicts.includes(null) ? null : verdicts.filter((verdict) => verdict === true).length === 1;
    }
    case 'pattern':
      return typeof value === 'string' ? fitsPattern(operand, value) : true;
    default:
      return evaluateSize(word, operand, value);
  }
}

function asksNothing(schema: unknown): boolean {
  return schema === true || (isJsonObject(schema) && Object.keys(schema).every((word) => WORDS_ONLY.has(word)));
}

function evaluateSize(word: string, operand: unknown, value: unknown): Verdict {
  if (WORDS_ONLY.has(word)) return true;
  if (typeof operand !== 'number') return null;
  const size = Array.isArray(value)
    ? value.length
    : typeof value === 'string'
      ? lengthOf(value)
      : isJsonObject(value)
        ? Object.keys(value).length
        : null;
  const kind = Array.isArray(value) ? 'Items' : typeof value === 'string' ? 'Length' : 'Properties';
  if (word === `min${kind}`) return size === null || size >= operand;
  if (word === `max${kind}`) return size === null || size <= operand;
  if (/^(?:min|max)(?:Items|Length|Properties)$/.test(word)) return true;
  if (!['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].includes(word)) return null;
  if (typeof value !== 'number') return true;
  if (word === 'minimum') return value >= operand;
  if (word === 'maximum') return value <= operand;
  if (word === 'exclusiveMinimum') return value > operand;
  return word === 'exclusiveMaximum' ? value < operand : isMultiple(value, operand);
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function all(verdicts: readonly Verdict[]): Verdict {
  return verdicts.includes(false) ? false : verdicts.includes(null) ? null : true;
}

function any(verdicts: readonly Verdict[]): Verdict {
  return verdicts.includes(true) ? true : verdicts.includes(null) ? null : false;
}

function opposite(verdict: Verdict): Verdict {
  return verdict === null ? null : !verdict;
}

/** JSON Schema counts code points. */
function lengthOf(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/*
 * A subschema as it applies to the current value: references resolved, `allOf` merged, `if/then/else`, `dependentSchemas` and
 * `dependentRequired` evaluated. Nothing below it is resolved, so recursive schemas cost nothing. The schema is foreign:
 * circular references and exponential growth make it too complex for a form, and only cheap conditions are evaluated.
 */
interface Resolved {
  readonly node: SchemaNode;
  readonly problem: string | null;
  readonly never: boolean;
  /** Parts that apply only because names are missing. */
  readonly absenceBranches: readonly AbsenceBranch[];
}

export interface AbsenceBranch {
  readonly names: readonly string[];
  readonly branch: SchemaNode;
}

interface Walk {
  readonly root: SchemaNode;
  readonly value: unknown;
  left: number;
  dependsOnValue: boolean;
  problem: string | null;
  /** Null: leave out branches that apply only because names are missing. */
  readonly absenceBranches: AbsenceBranch[] | null;
}

const MAX_STEPS = 2_000;
const known = new WeakMap<object, Resolved>();

export function resolveSchema(schema: unknown, root: SchemaNode, value: unknown): Resolved {
  if (schema === false) return { node: {}, problem: null, never: true, absenceBranches: [] };
  const key = isJsonObject(schema) ? schema : null;
  const present = key === null ? undefined : known.get(key);
  if (present !== undefined) return present;
  const absenceBranches: AbsenceBranch[] = [];
  const walk: Walk = { root, value, left: MAX_STEPS, dependsOnValue: false, problem: null, absenceBranches };
  const node = flatten(schema, walk, []);
  const resolved: Resolved = { node, problem: walk.problem, never: false, absenceBranches };
  if (key !== null && !walk.dependsOnValue) known.set(key, resolved);
  return resolved;
}

/** Parts that apply whatever values the missing names get. */
export function settledSchema(schema: unknown, root: SchemaNode, value: unknown): SchemaNode {
  return flatten(schema, { root, value, left: MAX_STEPS, dependsOnValue: false, problem: null, absenceBranches: null }, []);
}

function flatten(schema: unknown, walk: Walk, trail: readonly string[]): SchemaNode {
  walk.left -= 1;
  if (walk.left < 0) {
    walk.problem ??= 'This part of the schema is too large for a form.';
    return {};
  }
  let node = nodeOf(schema);
  // Within one schema a `$dynamicRef` works like a `$ref`.
  const word = typeof node['$ref'] === 'string' ? '$ref' : '$dynamicRef';
  const reference = node[word];
  if (typeof reference === 'string') {
    const { [word]: _reference, ...rest } = node;
    const target = trail.includes(reference) ? null : referenced(walk.root, reference);
    if (target === null) {
      walk.problem ??= trail.includes(reference)
        ? `The reference ${reference} in the schema is circular.`
        : `The reference ${reference} in the schema does not resolve.`;
      return rest;
    }
    node = mergeSchemas(rest, flatten(target, walk, [...trail, reference]));
  }
  const parts = listOf(node['allOf']);
  if (parts.length > 0) {
    const { allOf: _parts, ...rest } = node;
    node = parts.reduce<SchemaNode>((sum, part) => mergeSchemas(sum, flatten(part, walk, trail)), rest);
  }
  return conditional(node, walk, trail);
}

function conditional(node: SchemaNode, walk: Walk, trail: readonly string[]): SchemaNode {
  let sum = node;
  if ('if' in sum) {
    const { if: condition, then: yes, else: no, ...rest } = sum;
    walk.dependsOnValue = true;
    const verdict = matchesCondition(condition, walk.value, walk.root);
    sum = rest;
    if (verdict === null) for (const branch of [yes, no]) sum = mergeSchemas(sum, optional(flatten(branch ?? {}, walk, trail)));
    else {
      const branch = (verdict ? yes : no) ?? {};
      const names = missingNamesOf(condition, walk.value, walk.root);
      if (names.length === 0 || walk.absenceBranches !== null) {
        const counts = flatten(branch, walk, trail);
        if (names.length > 0) walk.absenceBranches?.push({ names, branch: counts });
        sum = mergeSchemas(sum, counts);
      }
    }
  }
  const dependencies = { ...nodeOf(sum['dependencies']), ...nodeOf(sum['dependentRequired']), ...nodeOf(sum['dependentSchemas']) };
  if (Object.keys(dependencies).length === 0) return sum;
  const { dependencies: _old, dependentRequired: _required, dependentSchemas: _schemas, ...rest } = sum;
  walk.dependsOnValue = true;
  sum = rest;
  const value = isJsonObject(walk.value) ? walk.value : {};
  for (const words of [node['dependencies'], node['dependentRequired'], node['dependentSchemas']]) {
    for (const [name, needs] of Object.entries(nodeOf(words))) {
      if (!Object.hasOwn(value, name)) continue;
      sum = mergeSchemas(sum, Array.isArray(needs) ? { required: needs } : flatten(needs, walk, trail));
    }
  }
  return sum;
}

function optional(node: SchemaNode): SchemaNode {
  const { required: _required, ...rest } = node;
  return rest;
}
