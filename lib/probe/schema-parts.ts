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
