import type { JsonSchema } from '#lib/contract/tool.ts';
import type { SchemaPath } from '#lib/contract/subschemas.ts';
import { ONE_SCHEMA, SCHEMA_LISTS, SCHEMA_MAPS } from '#lib/contract/subschemas.ts';
import { checkSchema, findForeign, JSON_TYPES, TYPE_WORDS } from './check-schema.ts';
import type { SchemaFault } from './check-schema.ts';
import { has, isObject, kindOf, LIBRARY_SCHEMA, markOf } from './json-value.ts';
import { lintSchema } from './lint-tool.ts';
import { nearestName } from './nearest-name.ts';

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
  if (markOf(parameters) === LIBRARY_SCHEMA) {
    return refuse({
      path: [],
      message: `is ${kindOf(parameters)}, not JSON.`,
      hint: 'Convert it where it is written, for example `parameters: z.toJSONSchema(schema)`.',
    });
  }
  if (!isObject(parameters) || markOf(parameters) !== null) {
    return refuse({ path: [], message: `is ${kindOf(parameters)}; it must be an object.`, hint: EXAMPLE });
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
  return { ok: true, schema: { ...written }, warnings: lintSchema(written, (path) => placeOf(path)) };
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
    warnings: [...short.warnings, ...lintSchema(short.schema, (path) => placeOf(pathInShorthand(path)))],
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

/** Keywords whose value may have any properties. */
const VALUES = ['default', 'const', 'enum', 'examples'];
/** Keywords whose value is a number: a double is exact enough, and the metaschema knows no other numbers. */
const NUMBERS = /^(?:exclusive)?(?:minimum|maximum)$|^multipleOf$|^(?:min|max)(?:Length|Items|Properties|Contains)$/i;

/** JSON Schema without absent values, and with doubles for integers beyond 2^53 in keywords such as `maximum`. */
function withoutUndefined(value: unknown, isSchema = true): unknown {
  if (Array.isArray(value)) return value.map((entry) => withoutUndefined(entry, isSchema)).filter((entry) => entry !== undefined);
  if (!isObject(value)) return value;
  if (markOf(value) !== null) return undefined;
  const kept = Object.entries(value).filter(([key]) => has(value, key));
  return Object.fromEntries(
    kept.map(([key, entry]) => [
      key,
      isSchema && typeof entry === 'bigint' && NUMBERS.test(key)
        ? Number(entry)
        : withoutUndefined(entry, isSchema && !VALUES.includes(key)),
    ]),
  );
}

type ShorthandOutcome =
  | { readonly ok: true; readonly schema: JsonSchema; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly fault: SchemaFault };

const WARNINGS_MOST = 50;

type Written = Readonly<Record<string, unknown>>;

class ShorthandError extends Error {
  readonly fault: SchemaFault;

  constructor(fault: SchemaFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Turns `{ city: { type: 'string', required: true } }` into a closed JSON Schema. Expects plain JSON of limited depth. */
function readShorthand(parameters: Written): ShorthandOutcome {
  const warnings: string[] = [];
  try {
    return { ok: true, schema: { type: 'object', ...readProperties(parameters, [], warnings), additionalProperties: false }, warnings };
  } catch (error) {
    if (error instanceof ShorthandError) return { ok: false, fault: error.fault };
    throw error;
  }
}

/** Keywords beside `properties`; as parameters with such values they indicate a missing `type`. */
const BESIDE_PROPERTIES = [
  '$schema',
  '$id',
  '$ref',
  'required',
  'additionalProperties',
  'description',
  'title',
  'oneOf',
  'anyOf',
  'allOf',
  'examples',
];

function readProperties(written: Written, path: SchemaPath, warnings: string[]): { properties: JsonSchema; required?: string[] } {
  const properties: JsonSchema = {};
  const required: string[] = [];
  for (const [name, parameter] of Object.entries(written)) {
    const at = [...path, name];
    if (!isObject(parameter)) throw new ShorthandError(explainParameter(name, parameter, at, Object.hasOwn(written, 'properties')));
    const flag = parameter['required'];
    if (flag !== undefined && typeof flag !== 'boolean' && !Array.isArray(flag))
      throw new ShorthandError({ path: [...at, 'required'], message: `is ${kindOf(flag)}; it must be true or false.` });
    if (flag === true && !Object.hasOwn(parameter, 'default')) required.push(name);
    properties[name] = readSchema(parameter, at, warnings, true);
  }
  return required.length === 0 ? { properties } : { properties, required };
}

function explainParameter(name: string, value: unknown, path: SchemaPath, besideProperties: boolean): SchemaFault {
  if (BESIDE_PROPERTIES.includes(name) && (besideProperties || name.startsWith('$')))
    return {
      path,
      message: `is ${kindOf(value)}: this reads like JSON Schema whose \`type: "object"\` is missing.`,
      hint: 'Add `type: "object"` beside `properties`.',
    };
  const word = typeof value === 'string' ? value : 'string';
  return {
    path,
    message: `is ${kindOf(value)}; a parameter is described by an object.`,
    hint: `Write \`${name}: { type: ${JSON.stringify(word)}, description: "…" }\`.`,
  };
}

function readSchema(written: Written, path: SchemaPath, warnings: string[], closes: boolean): JsonSchema {
  const schema: JsonSchema = {};
  for (const [keyword, value] of Object.entries(written)) {
    if (keyword === 'required' && typeof value === 'boolean') {
      if (value && path.at(-1) === 'items')
        warnings.push(`${placeOf(path)}: \`required\` does not apply to the elements of a list and was left out.`);
    } else if (keyword === 'type') schema['type'] = readType(value, path, warnings);
    else if (SCHEMA_MAPS.includes(keyword) && isObject(value)) {
      if (keyword === 'properties') Object.assign(schema, readNested(value, written, path, warnings));
      else
        schema[keyword] = Object.fromEntries(
          Object.entries(value).map(([name, inner]) => [name, readInner(inner, [...path, keyword, name], warnings, true)]),
        );
    } else if (ONE_SCHEMA.includes(keyword) && isObject(value))
      schema[keyword] = readInner(value, [...path, keyword], warnings, keyword === 'items');
    else if (SCHEMA_LISTS.includes(keyword) && Array.isArray(value))
      schema[keyword] = value.map((inner, index) => readInner(inner, [...path, keyword, index], warnings, keyword === 'prefixItems'));
    else if (keyword !== 'required' || schema['required'] === undefined) schema[keyword] = value;
  }
  for (const key of Object.keys(written)) {
    const meant = meantKeyword(key, schema['type']);
    if (meant !== null && !Object.hasOwn(written, meant) && warnings.length < WARNINGS_MOST)
      warnings.push(`${placeOf(path)}: \`${key.slice(0, 60)}\` is not a JSON Schema keyword and has no effect; did you mean \`${meant}\`?`);
  }
  if (written['optional'] === false && written['required'] === undefined && warnings.length < WARNINGS_MOST)
    warnings.push(`${placeOf(path)}: \`optional\` is not a JSON Schema keyword and has no effect; write \`required: true\`.`);
  if (isObject(schema['properties'])) {
    schema['type'] ??= 'object';
    if (closes) schema['additionalProperties'] ??= false;
  }
  return schema;
}

function readInner(value: unknown, path: SchemaPath, warnings: string[], closes: boolean): unknown {
  return isObject(value) ? readSchema(value, path, warnings, closes) : value;
}

/** A nested object accepts both: a list of required names, and `required: true` in its properties. */
function readNested(properties: Written, owner: Written, path: SchemaPath, warnings: string[]): JsonSchema {
  const nested = readProperties(properties, [...path, 'properties'], warnings);
  const listed: readonly unknown[] = Array.isArray(owner['required']) ? owner['required'] : [];
  const required = [...new Set([...listed, ...(nested.required ?? [])])];
  return required.length === 0 ? { properties: nested.properties } : { properties: nested.properties, required };
}

function readType(value: unknown, path: SchemaPath, warnings: string[]): unknown {
  if (Array.isArray(value)) return [...new Set(value.map((word) => readType(word, path, warnings)))];
  if (typeof value !== 'string')
    throw new ShorthandError({
      path: [...path, 'type'],
      message: `is ${kindOf(value)}; a type is a word: string, integer, number, boolean, array or object.`,
    });
  if (JSON_TYPES.includes(value)) return value;
  const known = Object.hasOwn(TYPE_WORDS, value) ? TYPE_WORDS[value] : undefined;
  if (known !== undefined) return known;
  const meant = nearestName(value, [...JSON_TYPES, ...Object.keys(TYPE_WORDS)]);
  warnings.push(
    `${placeOf(path)}: the type ${JSON.stringify(value.slice(0, 60))} is unknown and was treated as string.${meant === null ? '' : ` Did you mean "${meant}"?`}`,
  );
  return 'string';
}

/** A location in `parameters` for a sentence: `parameters/city/items`. */
function placeOf(path: SchemaPath): string {
  return ['parameters', ...path].join('/');
}

/** Of both drafts. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...`$schema $id $ref $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor $vocabulary $comment type enum
    const title description default examples deprecated readOnly writeOnly required minimum maximum exclusiveMinimum
    exclusiveMaximum multipleOf minLength maxLength pattern format minItems maxItems uniqueItems minContains maxContains minProperties
    maxProperties dependentRequired contentEncoding contentMediaType`.split(/\s+/),
  ...ONE_SCHEMA,
  ...SCHEMA_LISTS,
  ...SCHEMA_MAPS,
]);

/** A custom key is more likely than these. */
const MISSPELT = [...KEYWORDS].filter((keyword) => !keyword.startsWith('$') && !['not', 'if', 'then', 'else'].includes(keyword));

/** Names of keywords in other libraries that are no typos; lower case without `_` and `-`. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  gt: 'exclusiveMinimum',
  lt: 'exclusiveMaximum',
  gte: 'minimum',
  ge: 'minimum',
  lte: 'maximum',
  le: 'maximum',
  step: 'multipleOf',
  regex: 'pattern',
  regexp: 'pattern',
  match: 'pattern',
  choices: 'enum',
  options: 'enum',
  values: 'enum',
  desc: 'description',
  help: 'description',
  element: 'items',
  elements: 'items',
  fields: 'properties',
  unique: 'uniqueItems',
};

const BY_TYPE: Readonly<Record<string, string>> = { string: 'Length', array: 'Items', object: 'Properties' };

/** The keyword probably meant by an unknown key of a parameter; null for a keyword, and if none is similar. */
function meantKeyword(key: string, type: unknown): string | null {
  if (KEYWORDS.has(key)) return null;
  const plain = key.toLowerCase().replaceAll(/[_-]/g, '');
  const bound = /^(min|max)(?:imum)?$/.exec(plain)?.[1];
  if (bound !== undefined) return `${bound}${(typeof type === 'string' ? BY_TYPE[type] : undefined) ?? 'imum'}`;
  if (Object.hasOwn(OTHER_WORDS, plain)) return OTHER_WORDS[plain] ?? null;
  return key.length < 4 ? null : nearestName(key.replaceAll(/[_-]/g, ''), MISSPELT);
}
