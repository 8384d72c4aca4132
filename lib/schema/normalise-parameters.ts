import type { JsonSchema } from '#lib/contract/tool.ts';
import { checkSchema } from './check-schema.ts';
import type { SchemaFault } from './check-schema.ts';
import { findForeign } from './foreign-values.ts';
import { has, isObject, kindOf, markOf } from './json-value.ts';
import { schemaAdvice } from './schema-advice.ts';
import { placeOf, readShorthand } from './shorthand.ts';
import type { SchemaPath } from '#lib/contract/subschemas.ts';

export type NormalisedParameters =
  | { readonly ok: true; readonly schema: JsonSchema; readonly warnings: readonly string[] }
  /** `path` leads from `parameters`, as written, to the error. */
  | { readonly ok: false; readonly message: string; readonly path: SchemaPath; readonly hint?: string };

const EXAMPLE =
  'Write `parameters: { city: { type: "string", description: "…", required: true } }`, or a JSON Schema with `type: "object"`.';

/**
 * Turns `parameters` as written, shorthand or JSON Schema, into JSON Schema, or returns the error with its location. The input
 * is hostile: the result is limited in size, has no external references, and is valid by its metaschema.
 */
export function normaliseParameters(parameters: unknown): NormalisedParameters {
  if (!isObject(parameters) || markOf(parameters) !== null) {
    return refuse({ path: [], message: `is ${kindOf(parameters)}; it must be an object.`, hint: EXAMPLE });
  }
  if (Object.hasOwn(parameters, '_zod') || Object.hasOwn(parameters, '~standard') || Object.hasOwn(parameters, '_def')) {
    return refuse({
      path: [],
      message: 'is the object of a schema library, not JSON.',
      hint: 'Convert it where it is written, for example `parameters: z.toJSONSchema(schema)`.',
    });
  }
  const foreign = findForeign(parameters);
  if (foreign !== null) return refuse(foreign);
  const written = withoutUndefined(parameters);
  if (!isObject(written)) return refuse({ path: [], message: 'is not an object.', hint: EXAMPLE });
  return written['type'] === 'object' ? readJsonSchema(written) : readShort(written);
}

/** The same for `output_schema`, which is always JSON Schema. */
export function normaliseOutputSchema(schema: unknown): NormalisedParameters {
  const foreign =
    isObject(schema) && markOf(schema) === null
      ? findForeign(schema)
      : { path: [], message: `is ${kindOf(schema)}; it must be a JSON Schema.` };
  if (foreign !== null) return refuse(foreign, 'output_schema');
  const written = withoutUndefined(schema);
  const fault = isObject(written) ? checkSchema(written) : { path: [], message: 'is not an object.' };
  if (fault !== null) return refuse(fault, 'output_schema');
  return { ok: true, schema: isObject(written) ? { ...written } : {}, warnings: [] };
}

function readJsonSchema(written: Readonly<Record<string, unknown>>): NormalisedParameters {
  const fault = checkSchema(written);
  if (fault !== null) return refuse(fault);
  return { ok: true, schema: { ...written }, warnings: schemaAdvice(written, (path) => placeOf(path)) };
}

function readShort(written: Readonly<Record<string, unknown>>): NormalisedParameters {
  const shape = refuseOtherShapes(written);
  if (shape !== null) return refuse(shape);
  const short = readShorthand(written);
  if (!short.ok) return refuse(short.fault);
  const fault = checkSchema(short.schema);
  if (fault !== null) return refuse({ ...fault, path: pathInShorthand(fault.path) });
  return {
    ok: true,
    schema: short.schema,
    warnings: [...short.warnings, ...schemaAdvice(short.schema, (path) => placeOf(pathInShorthand(path)))],
  };
}

/** Looks like one of the two styles but is neither. */
function refuseOtherShapes(written: Readonly<Record<string, unknown>>): SchemaFault | null {
  const type = written['type'];
  if (typeof type === 'string' || Array.isArray(type)) {
    return {
      path: ['type'],
      message: `is ${JSON.stringify(type).slice(0, 100)}, but the arguments of a tool are always one object.`,
      hint: 'Write `type: "object"` with `properties`, or give the value a name: `value: { type: "string" }`.',
    };
  }
  const properties = written['properties'];
  if (!isObject(properties) || Object.keys(written).length > 1) return null;
  const entries = Object.values(properties);
  const looksLikeMap =
    entries.length > 0 &&
    entries.every((entry) => isObject(entry)) &&
    !['items', 'not'].some((keyword) => has(properties, keyword) && Object.keys(properties).length === 1);
  return looksLikeMap
    ? { path: [], message: 'reads like JSON Schema whose `type: "object"` is missing.', hint: 'Add `type: "object"` beside `properties`.' }
    : null;
}

/** The derived schema has a root `properties` that the author did not write. */
function pathInShorthand(path: SchemaPath): SchemaPath {
  return path[0] === 'properties' ? path.slice(1) : path;
}

function refuse(fault: SchemaFault, root = 'parameters'): NormalisedParameters {
  const place = [root, ...fault.path].join('/');
  const message = `\`${place}\` ${fault.message}`;
  return { ok: false, message, path: fault.path, ...(fault.hint === undefined ? {} : { hint: fault.hint }) };
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => withoutUndefined(entry)).filter((entry) => entry !== undefined);
  if (!isObject(value)) return value;
  if (markOf(value) !== null) return undefined;
  const kept = Object.entries(value).filter(([key]) => has(value, key));
  return Object.fromEntries(kept.map(([key, entry]) => [key, withoutUndefined(entry)]));
}
