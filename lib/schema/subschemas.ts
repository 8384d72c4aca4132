import { isObject } from './json-value.ts';

export type SchemaPath = readonly (string | number)[];

/** A place in a JSON Schema where a schema stands, the root included. */
export interface Subschema {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly path: SchemaPath;
  /** How many schemas it lies in. */
  readonly depth: number;
}

/** Keywords whose value is a schema, a list of schemas, or schemas by name. Both drafts. */
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

/** Every schema in a schema, outermost first. Does not follow references, so it ends. */
export function* subschemas(root: Readonly<Record<string, unknown>>): Generator<Subschema> {
  const waiting: Subschema[] = [{ schema: root, path: [], depth: 0 }];
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    yield at;
    for (const [path, value] of inner(at.schema)) {
      if (isObject(value)) waiting.push({ schema: value, path: [...at.path, ...path], depth: at.depth + 1 });
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
    if (isObject(map)) for (const [name, value] of Object.entries(map)) yield [[keyword, name], value];
  }
}
