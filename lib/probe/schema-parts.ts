/** A schema with references and `allOf` merged, and the lists of alternatives to choose from. */
export interface SchemaNode {
  readonly flat: Schema;
  readonly choices: readonly (readonly unknown[])[];
}

export type Schema = Readonly<Record<string, unknown>>;

const LARGER = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']);
const SMALLER = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']);
const BY_NAME = new Set(['properties', 'patternProperties']);
const BOTH = new Set(['items', 'additionalProperties', 'propertyNames', 'contains']);

/** Parts that cannot be merged exactly stay as in the first one: the validator drops invalid values. */
export function flatten(schema: unknown, root: Schema, above: ReadonlySet<unknown> = new Set()): SchemaNode {
  if (!isObject(schema)) return { flat: schema === false ? { not: {} } : {}, choices: [] };
  // A reference only to itself requires nothing.
  if (above.has(schema)) return { flat: {}, choices: [] };
  const { $ref, $dynamicRef, allOf, anyOf, oneOf, if: condition, then, else: otherwise, ...flat } = schema;
  const choices = [anyOf, oneOf].filter((list) => Array.isArray(list)).map(listOf);
  if (condition !== undefined && (then !== undefined || otherwise !== undefined))
    choices.push([{ allOf: [condition, then ?? {}] }, otherwise ?? {}]);
  const within = new Set(above).add(schema);
  const parts = [$ref, $dynamicRef].filter((name) => typeof name === 'string').map((name) => resolve(name, root));
  return [...parts, ...(Array.isArray(allOf) ? listOf(allOf) : [])].reduce<SchemaNode>(
    (all, part) => combine(all, flatten(part, root, within)),
    { flat, choices },
  );
}

export function combine(one: SchemaNode, other: SchemaNode): SchemaNode {
  return { flat: merge(one.flat, other.flat), choices: [...one.choices, ...other.choices] };
}

function merge(one: Schema, other: Schema): Schema {
  const merged: Record<string, unknown> = { ...other, ...one };
  for (const [name, second] of Object.entries(other)) {
    const first = one[name];
    if (first === undefined || first === second) continue;
    merged[name] = mergeKeyword(name, first, second);
  }
  return merged;
}

function mergeKeyword(name: string, first: unknown, second: unknown): unknown {
  if (typeof first === 'number' && typeof second === 'number') {
    if (LARGER.has(name)) return Math.max(first, second);
    if (SMALLER.has(name)) return Math.min(first, second);
  }
  if (BOTH.has(name)) return { allOf: [first, second] };
  if (BY_NAME.has(name) && isObject(first) && isObject(second))
    return Object.fromEntries(
      Object.keys({ ...first, ...second }).map((key) => [
        key,
        key in first && key in second ? { allOf: [first[key], second[key]] } : (first[key] ?? second[key]),
      ]),
    );
  if (name === 'required' && Array.isArray(first) && Array.isArray(second)) return [...new Set([...listOf(first), ...listOf(second)])];
  if (name === 'enum' && Array.isArray(first) && Array.isArray(second)) {
    const texts = new Set(listOf(second).map((value) => JSON.stringify(value)));
    return listOf(first).filter((value) => texts.has(JSON.stringify(value)));
  }
  if (name === 'type') {
    const types = listIn(second);
    return listIn(first).flatMap((type) => {
      if (types.includes(type)) return [type];
      return (type === 'integer' && types.includes('number')) || (type === 'number' && types.includes('integer')) ? ['integer'] : [];
    });
  }
  return first;
}

/** Anchors, names and pointers inside the schema; external ones require nothing here. */
export function resolve(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#')) return findWhere(root, '$id', reference) ?? {};
  const pointer = decode(reference.slice(1));
  if (pointer !== '' && !pointer.startsWith('/'))
    return findWhere(root, '$anchor', pointer) ?? findWhere(root, '$dynamicAnchor', pointer) ?? {};
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
    }, root);
}

function findWhere(value: unknown, keyword: string, name: string): Schema | null {
  if (isObject(value) && value[keyword] === name) return value;
  if (typeof value !== 'object' || value === null) return null;
  for (const part of Object.values(value)) {
    const found = findWhere(part, keyword, name);
    if (found !== null) return found;
  }
  return null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Types named by the schema or implied by its keywords; empty for any. */
export function typesOf(flat: Schema): readonly unknown[] {
  if (flat['type'] !== undefined) return listIn(flat['type']);
  const has = (...names: readonly string[]): boolean => names.some((name) => name in flat);
  if (has('properties', 'required', 'patternProperties', 'minProperties', 'propertyNames', 'additionalProperties')) return ['object'];
  if (has('items', 'prefixItems', 'minItems', 'contains', 'uniqueItems')) return ['array'];
  if (has('minLength', 'maxLength', 'pattern', 'format')) return ['string'];
  return has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf') ? ['number'] : [];
}

export function requiredOf(flat: Schema): readonly string[] {
  const { required } = flat;
  return Array.isArray(required) ? listOf(required).filter((name) => typeof name === 'string') : [];
}

/** Schema of a member, declared or not. */
export function memberOf(name: string, flat: Schema): unknown {
  const { properties, patternProperties, additionalProperties } = flat;
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  if (isObject(patternProperties))
    for (const [pattern, schema] of Object.entries(patternProperties)) if (patternOf(pattern)?.test(name) === true) return schema;
  return additionalProperties ?? {};
}

/** As the validator reads it: without Unicode mode if the pattern is invalid in it. */
export function patternOf(pattern: string): RegExp | null {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      continue;
    }
  }
  return null;
}

export function numberIn(schema: Schema, keyword: string): number | null {
  const value = schema[keyword];
  return typeof value === 'number' ? value : null;
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? listOf(value) : [value];
}

function listOf(value: readonly unknown[]): readonly unknown[] {
  return value;
}

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Minimum depth of a recursive schema, and where it can recurse. */
interface SchemaDepth {
  /** Whether a value may contain another of the same schema. */
  recurses(schema: unknown): boolean;
  /** Minimum nesting of a value; infinite if it never ends or only very deep. */
  levels(schema: unknown): number;
  /** Maximum members of a value, or items of a list, that may recurse. */
  readonly widest: number;
}

const LEVELS_MOST = 12;
const WIDTH_OF_LISTS = 3;
const MAPS_OF_SCHEMAS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
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

  /** A pending visit counts as no path: the shortest path never visits a schema twice. */
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
    if (MAPS_OF_SCHEMAS.has(name) && isObject(part)) for (const one of Object.values(part)) walk(one, look);
    else walk(part, look);
  }
}
