export type SchemaPath = readonly (string | number)[];

/** A subschema and its path, including the root. */
export interface Subschema {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly path: SchemaPath;
  /** Depth. */
  readonly depth: number;
}

/** Keywords with schemas as value, list or map. Both drafts. */
export const ONE_SCHEMA = [
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
];
export const SCHEMA_LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
export const SCHEMA_MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];

/** All subschemas, outermost first. Does not follow references, so it terminates. */
export function* subschemas(root: Readonly<Record<string, unknown>>): Generator<Subschema> {
  const waiting: Subschema[] = [{ schema: root, path: [], depth: 0 }];
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    yield at;
    for (const [path, value] of inner(at.schema)) {
      if (isSchema(value)) waiting.push({ schema: value, path: [...at.path, ...path], depth: at.depth + 1 });
    }
  }
}

function* inner(schema: Readonly<Record<string, unknown>>): Generator<readonly [SchemaPath, unknown]> {
  for (const keyword of ONE_SCHEMA) {
    if (Object.hasOwn(schema, keyword)) yield [[keyword], schema[keyword]];
  }
  for (const keyword of SCHEMA_LISTS) {
    const list = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
    if (Array.isArray(list)) for (const [index, value] of list.entries()) yield [[keyword, index], value];
  }
  for (const keyword of SCHEMA_MAPS) {
    const map = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
    if (isSchema(map)) for (const [name, value] of Object.entries(map)) yield [[keyword, name], value];
  }
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * Maps every subschema, outermost first. `changeOther` maps booleans and invalid values in place of a schema. Recursive: limit
 * the depth first.
 */
export function mapSchemas(
  root: Schema,
  change: (schema: Schema) => Schema,
  changeOther: (value: unknown, keyword: string) => unknown = (value) => value,
): Schema {
  const changeOne = (value: unknown, keyword: string): unknown =>
    isSchema(value) ? mapSchemas(value, change, changeOther) : changeOther(value, keyword);
  const changeAt = (keyword: string, value: unknown): unknown => {
    if (SCHEMA_MAPS.includes(keyword) && isSchema(value))
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, isNames(keyword, one) ? one : changeOne(one, keyword)]));
    if (SCHEMA_LISTS.includes(keyword) && Array.isArray(value)) return value.map((one) => changeOne(one, keyword));
    return ONE_SCHEMA.includes(keyword) ? changeOne(value, keyword) : value;
  };
  return Object.fromEntries(Object.entries(change(root)).map(([keyword, value]) => [keyword, changeAt(keyword, value)]));
}

/** `dependencies` may contain property names instead of a schema. */
function isNames(keyword: string, value: unknown): boolean {
  return keyword === 'dependencies' && Array.isArray(value);
}

/** Resolves a local reference; null for external or dangling ones. */
export function referenced(root: Schema, reference: string): Schema | null {
  const own = typeof root['$id'] === 'string' && root['$id'] !== '' && reference.startsWith(`${root['$id']}#`) ? root['$id'].length : 0;
  if (reference.charAt(own) !== '#') return null;
  let at: unknown = root;
  let parts: string[];
  try {
    parts = decodeURIComponent(reference.slice(own + 1)).split('/');
  } catch {
    return null;
  }
  const anchor = parts.shift() ?? '';
  if (anchor !== '') return anchored(root, anchor);
  for (const part of parts) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return null;
    at = Reflect.get(at, key);
  }
  return isSchema(at) ? at : null;
}

function anchored(root: Schema, anchor: string): Schema | null {
  const named = [root['$defs'], root['definitions']].filter(isSchema).flatMap((parts) => Object.values(parts).filter(isSchema));
  return named.find((node) => node['$anchor'] === anchor || node['$dynamicAnchor'] === anchor || node['$id'] === `#${anchor}`) ?? null;
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/*
 * An untrusted pattern could hang the page or the server. Only fast patterns run here: no repeated groups, no back-references,
 * few repetitions, short texts; others are left to the worker or process that validates.
 */
const MOST_REPEATS = 3;
const LONGEST_TEXT = 256;
const LONGEST_PATTERN = 500;
const NOT_QUICK = /\)[*+?{]|\\[1-9]|\\k|\(\?[=!<]/;

/** Whether a text matches a pattern; null if the pattern is not safe to run. */
export function fitsPattern(pattern: unknown, text: string): boolean | null {
  if (typeof pattern !== 'string' || pattern.length > LONGEST_PATTERN || text.length > LONGEST_TEXT || NOT_QUICK.test(pattern)) return null;
  if ((pattern.match(/[*+{]/g)?.length ?? 0) > MOST_REPEATS) return null;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return null;
  }
}
