import { referenced } from '#lib/contract/schema-reference.ts';
import { holds, missedBy } from './condition.ts';
import { isJsonObject } from './json-text.ts';
import { mergeSchemas } from './merge-schemas.ts';
import { listOf, nodeOf } from './schema-node.ts';
import type { SchemaNode } from './schema-node.ts';

/*
 * A part of a schema as it applies to the value that stands there: references followed, `allOf` put together, and of
 * `if/then/else`, `dependentSchemas` and `dependentRequired` what holds now. Nothing below the part is looked at, so a schema
 * that contains itself costs nothing until somebody goes there. The schema is foreign: references in a circle and parts that
 * double at each step end in "tangled", and conditions are only judged where judging is cheap (condition.ts).
 */
export interface Resolved {
  readonly node: SchemaNode;
  /** Why a form cannot show it; null when it can. */
  readonly problem: string | null;
  /** The schema says `false`. */
  readonly never: boolean;
  /** What counts only because names are not sent. */
  readonly awaiting: readonly Awaiting[];
}

/** A branch of a condition that counts as long as names are not sent. */
export interface Awaiting {
  readonly names: readonly string[];
  readonly branch: SchemaNode;
}

interface Walk {
  readonly root: SchemaNode;
  readonly value: unknown;
  left: number;
  dependsOnValue: boolean;
  problem: string | null;
  /** Null: branches that only count because names are not sent are left out. */
  readonly awaiting: Awaiting[] | null;
}

const MOST_STEPS = 2_000;
const known = new WeakMap<object, Resolved>();

export function resolveSchema(schema: unknown, root: SchemaNode, value: unknown): Resolved {
  if (schema === false) return { node: {}, problem: null, never: true, awaiting: [] };
  const key = isJsonObject(schema) ? schema : null;
  const present = key === null ? undefined : known.get(key);
  if (present !== undefined) return present;
  const awaiting: Awaiting[] = [];
  const walk: Walk = { root, value, left: MOST_STEPS, dependsOnValue: false, problem: null, awaiting };
  const node = flatten(schema, walk, []);
  const resolved: Resolved = { node, problem: walk.problem, never: false, awaiting };
  if (key !== null && !walk.dependsOnValue) known.set(key, resolved);
  return resolved;
}

/** What is asked for whatever is chosen for the names that are not sent. */
export function settledSchema(schema: unknown, root: SchemaNode, value: unknown): SchemaNode {
  return flatten(schema, { root, value, left: MOST_STEPS, dependsOnValue: false, problem: null, awaiting: null }, []);
}

function flatten(schema: unknown, walk: Walk, trail: readonly string[]): SchemaNode {
  walk.left -= 1;
  if (walk.left < 0) {
    walk.problem ??= 'This part of the schema is too large for a form.';
    return {};
  }
  let node = nodeOf(schema);
  // In one schema a dynamic reference leads where a plain one would.
  const word = typeof node['$ref'] === 'string' ? '$ref' : '$dynamicRef';
  const reference = node[word];
  if (typeof reference === 'string') {
    const { [word]: _reference, ...rest } = node;
    const target = trail.includes(reference) ? null : referenced(walk.root, reference);
    if (target === null) {
      walk.problem ??= trail.includes(reference)
        ? `The schema refers from ${reference} back to itself.`
        : `The schema refers to ${reference}, which is not in it.`;
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

/** What `if` and the `dependent…` words add while the value is what it is. */
function conditional(node: SchemaNode, walk: Walk, trail: readonly string[]): SchemaNode {
  let sum = node;
  if ('if' in sum) {
    const { if: condition, then: yes, else: no, ...rest } = sum;
    walk.dependsOnValue = true;
    const verdict = holds(condition, walk.value, walk.root);
    sum = rest;
    if (verdict === null) for (const branch of [yes, no]) sum = mergeSchemas(sum, optional(flatten(branch ?? {}, walk, trail)));
    else {
      const branch = (verdict ? yes : no) ?? {};
      const names = missedBy(condition, walk.value, walk.root);
      if (names.length === 0 || walk.awaiting !== null) {
        const counts = flatten(branch, walk, trail);
        if (names.length > 0) walk.awaiting?.push({ names, branch: counts });
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
