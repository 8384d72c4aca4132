import { flatten, isObject, listIn, memberOf, numberIn, requiredOf, typesOf } from './schema-parts.ts';
import type { Schema, SchemaNode } from './schema-parts.ts';

/** Minimum depth of a recursive schema, and where it can recurse. */
export interface SchemaDepth {
  /** Whether a value may contain another of the same schema. */
  recurses(schema: unknown): boolean;
  /** Minimum nesting of a value; infinite if it never ends or only very deep. */
  levels(schema: unknown): number;
  /** Maximum members of a value, or items of a list, that may recurse. */
  readonly widest: number;
}

const LEVELS_MOST = 12;
const WIDTH_OF_LISTS = 3;
const BY_NAME = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords with values instead of schemas. */
const NO_SCHEMAS = new Set(['const', 'enum', 'default', 'examples', 'required']);

export function measureDepth(root: Schema, nodeOf: (schema: unknown) => SchemaNode): SchemaDepth {
  const refs = new Map<string, ReadonlySet<string>>();
  const reached = new WeakMap<object, boolean>();
  const heights = new WeakMap<object, number>();

  function refsOf(name: string): ReadonlySet<string> {
    const known = refs.get(name);
    if (known !== undefined) return known;
    const found = directRefs(flattenedTarget(name, root));
    refs.set(name, found);
    return found;
  }

  function reachable(from: Iterable<string>): ReadonlySet<string> {
    const all = new Set(from);
    for (const name of all) for (const next of refsOf(name)) all.add(next);
    return all;
  }

  const isCyclic = (name: string): boolean => reachable(refsOf(name)).has(name);

  function recurses(schema: unknown): boolean {
    if (!isObject(schema)) return false;
    const known = reached.get(schema);
    if (known !== undefined) return known;
    const answer = [...reachable(directRefs(schema))].some(isCyclic);
    reached.set(schema, answer);
    return answer;
  }

  /** A pending question counts as no: the shortest path never visits a place twice. */
  function fits(schema: unknown, levels: number, asked: Map<unknown, Map<number, boolean>>): boolean {
    if (levels < 0) return false;
    if (!recurses(schema)) return true;
    const answers = asked.get(schema) ?? new Map<number, boolean>();
    asked.set(schema, answers);
    const known = answers.get(levels);
    if (known !== undefined) return known;
    answers.set(levels, false);
    const { flat, choices } = nodeOf(schema);
    const answer =
      choices.every((list) => list.some((one) => fits(one, levels, asked))) && holdsWithin(flat, (part) => fits(part, levels - 1, asked));
    answers.set(levels, answer);
    return answer;
  }

  return {
    recurses,
    levels(schema) {
      if (!isObject(schema)) return 0;
      const known = heights.get(schema);
      if (known !== undefined) return known;
      let height = 0;
      while (height <= LEVELS_MOST && !fits(schema, height, new Map())) height += 1;
      const answer = height > LEVELS_MOST ? Number.POSITIVE_INFINITY : height;
      heights.set(schema, answer);
      return answer;
    },
    widest: widestOf(root, recurses),
  };
}

function holdsWithin(flat: Schema, fits: (part: unknown) => boolean): boolean {
  if ('const' in flat || 'enum' in flat) return true;
  const types = typesOf(flat);
  return (
    types.length === 0 ||
    types.some((type) => {
      if (type === 'object') return requiredOf(flat).every((name) => fits(memberOf(name, flat)));
      if (type !== 'array' || (numberIn(flat, 'minItems') ?? 0) === 0) return true;
      return [flat['prefixItems'], flat['items']].flatMap(listIn).every(fits);
    })
  );
}

function flattenedTarget(name: string, root: Schema): Schema {
  const { flat, choices } = flatten({ $ref: name }, root);
  return { ...flat, anyOf: choices };
}

function directRefs(schema: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  walk(schema, (part) => {
    for (const keyword of ['$ref', '$dynamicRef']) {
      const name = part[keyword];
      if (typeof name === 'string') found.add(name);
    }
  });
  return found;
}

function widestOf(root: Schema, recurses: (schema: unknown) => boolean): number {
  let widest = 1;
  walk(root, (part) => {
    const members = isObject(part['properties']) ? Object.values(part['properties']) : [];
    const width =
      members.filter(recurses).length +
      listIn(part['prefixItems']).filter(recurses).length +
      (recurses(part['items']) || recurses(part['additionalProperties']) ? WIDTH_OF_LISTS : 0);
    widest = Math.max(widest, width);
  });
  return widest;
}

function walk(value: unknown, look: (schema: Schema) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (isObject(value)) look(value);
  for (const [name, part] of Object.entries(value)) {
    if (!Array.isArray(value) && NO_SCHEMAS.has(name)) continue;
    if (BY_NAME.has(name) && isObject(part)) for (const one of Object.values(part)) walk(one, look);
    else walk(part, look);
  }
}
