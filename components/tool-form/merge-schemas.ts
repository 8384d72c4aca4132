import { isJsonObject } from './json-text.ts';
import { listOf, nodeOf } from './schema-node.ts';
import type { SchemaNode } from './schema-node.ts';
import { sameJson } from './same-json.ts';

const MOST_PAIRS = 24;
const GREATER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const LESSER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const BY_NAME = ['properties', 'patternProperties', 'dependentSchemas', 'dependentRequired', 'dependencies'];
const WHOLE = ['items', 'additionalProperties', 'propertyNames', 'contains', 'not', 'unevaluatedProperties', 'unevaluatedItems'];

/** One schema that asks for what both ask for, as far as a form can show it. Words of the first stand before those of the second. */
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

/** Each form of the first with each of the second; too many to show stay what the first says. */
function pairs(one: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  if (one.length === 0 || other.length === 0) return one.length === 0 ? other : one;
  if (one.length * other.length > MOST_PAIRS) return one;
  return one.flatMap((first) => other.map((second) => ({ allOf: [first, second] })));
}
