import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { JsonSchema } from '#lib/contract/tool.ts';

/**
 * Arguments made up from a schema: valid ones, with the edges that break programs (empty, huge, unicode, deep), and invalid ones.
 * A generator need not know every keyword: what it makes is checked by the validator, and what does not fit is dropped. Schemas
 * that refer to themselves end because optional parts are left out beyond a depth.
 */
export interface ProbeArguments {
  readonly valid: fc.Arbitrary<Arguments>;
  readonly invalid: fc.Arbitrary<Arguments>;
  isValid(given: unknown): boolean;
}

export type Arguments = Readonly<Record<string, unknown>>;
type Schema = Readonly<Record<string, unknown>>;

const DEEPEST = 4;
const LONGEST_LIST = 8;
const EDGE_TEXTS = ['', ' ', '0', 'null', '../../x', '\'"`;--', '\u0000', '\u202egnirts', '👩‍👩‍👧', 'é', '%s%n', '<b>', '{}'];
const EXTRA = 'not_a_parameter';

export function createProbeArguments(parameters: JsonSchema): ProbeArguments {
  const { $schema: dialect } = parameters;
  const isDraft07 = typeof dialect === 'string' && dialect.includes('draft-07');
  const ajv = isDraft07 ? new Ajv({ strict: false, logger: false }) : new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  const validate = ajv.compile(parameters);
  const valid = arbitraryOf(parameters, parameters, 0)
    .filter(isArguments)
    .map((given) => structuredClone(given));
  return {
    valid,
    invalid: fc.tuple(valid, fc.nat(), fc.constantFrom<Change>('remove', 'add', 'replace'), fc.jsonValue({ maxDepth: 2 })).map(spoil),
    isValid: (given) => validate(given),
  };
}

type Change = 'remove' | 'add' | 'replace';

function spoil([given, at, change, value]: [Arguments, number, Change, unknown]): Arguments {
  const names = Object.keys(given);
  const name = names[at % Math.max(names.length, 1)];
  if (change === 'add' || name === undefined) return { ...given, [EXTRA]: value };
  if (change === 'replace') return { ...given, [name]: value };
  return Object.fromEntries(Object.entries(given).filter(([other]) => other !== name));
}

function arbitraryOf(schema: unknown, root: Schema, depth: number): fc.Arbitrary<unknown> {
  if (!isObject(schema) || Object.keys(schema).length === 0) return fc.jsonValue({ maxDepth: 2 });
  if (typeof schema['$ref'] === 'string') return arbitraryOf(resolve(schema['$ref'], root), root, depth + 1);
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...listOf(schema['enum']));
  const { allOf, anyOf, oneOf, ...rest } = schema;
  if (Array.isArray(allOf))
    return arbitraryOf(
      listOf(allOf).reduce<Schema>((all, one) => merge(all, follow(one, root)), rest),
      root,
      depth,
    );
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : null;
  if (choices !== null) return fc.oneof(...listOf(choices).map((one) => arbitraryOf(merge(rest, follow(one, root)), root, depth)));
  const types = Array.isArray(schema['type']) ? listOf(schema['type']) : [schema['type'] ?? typeByKeywords(schema)];
  return fc.oneof(...types.map((type) => arbitraryOfType(type, schema, root, depth)));
}

function arbitraryOfType(type: unknown, schema: Schema, root: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return texts(schema);
    case 'integer':
      return integers(schema);
    case 'number':
      return fc.oneof(integers(schema), numbers(schema));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return lists(schema, root, depth);
    case 'object':
      return objects(schema, root, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function texts(schema: Schema): fc.Arbitrary<string> {
  const minLength = numberIn(schema, 'minLength') ?? 0;
  const maxLength = numberIn(schema, 'maxLength') ?? Math.max(minLength, 1_000);
  const { format, pattern } = schema;
  if (format === 'date-time') return dates().map((date) => date.toISOString());
  if (format === 'date') return dates().map((date) => date.toISOString().slice(0, 10));
  if (format === 'email') return fc.emailAddress();
  if (format === 'uri' || format === 'url') return fc.webUrl();
  if (format === 'uuid') return fc.uuid();
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern, 'u'));
  const any = fc.string({ unit: 'binary', minLength, maxLength });
  const edges = EDGE_TEXTS.filter((text) => codePoints(text) >= minLength && codePoints(text) <= maxLength);
  return edges.length === 0 ? any : fc.oneof({ arbitrary: any, weight: 3 }, { arbitrary: fc.constantFrom(...edges), weight: 1 });
}

/** JSON Schema counts these. */
function codePoints(text: string): number {
  return Array.from(text).length;
}

function dates(): fc.Arbitrary<Date> {
  return fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true });
}

function integers(schema: Schema): fc.Arbitrary<number> {
  const step = numberIn(schema, 'multipleOf') ?? 1;
  const min = Math.ceil((boundary(schema, 'minimum', 'exclusiveMinimum', 1) ?? -1_000_000_000) / step);
  const max = Math.floor((boundary(schema, 'maximum', 'exclusiveMaximum', -1) ?? 1_000_000_000) / step);
  return fc.integer({ min: Math.min(min, max), max: Math.max(min, max) }).map((count) => count * step);
}

function numbers(schema: Schema): fc.Arbitrary<number> {
  const min = boundary(schema, 'minimum', 'exclusiveMinimum', 0) ?? -1e12;
  const max = boundary(schema, 'maximum', 'exclusiveMaximum', 0) ?? 1e12;
  return fc.double({ min: Math.min(min, max), max: Math.max(min, max), noNaN: true });
}

function boundary(schema: Schema, inclusive: string, exclusive: string, inwards: number): number | null {
  const open = numberIn(schema, exclusive);
  return open === null ? numberIn(schema, inclusive) : open + inwards;
}

function lists(schema: Schema, root: Schema, depth: number): fc.Arbitrary<unknown[]> {
  const minLength = numberIn(schema, 'minItems') ?? 0;
  const most = depth >= DEEPEST ? minLength : Math.max(minLength, LONGEST_LIST);
  const maxLength = Math.max(minLength, Math.min(numberIn(schema, 'maxItems') ?? most, most));
  const items = fc
    .array(fc.nat(), { minLength, maxLength })
    .chain(({ length }) => fc.array(arbitraryOf(schema['items'], root, depth + 1), { minLength: length, maxLength: length }));
  const first = Array.isArray(schema['prefixItems']) ? listOf(schema['prefixItems']).map((one) => arbitraryOf(one, root, depth + 1)) : [];
  return first.length === 0 ? items : fc.tuple(...first);
}

function objects(schema: Schema, root: Schema, depth: number): fc.Arbitrary<Arguments> {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? listOf(schema['required']).filter((name) => typeof name === 'string') : [];
  const shown = Object.entries(properties).filter(([name]) => depth < DEEPEST || required.includes(name));
  const model = Object.fromEntries(shown.map(([name, one]) => [name, arbitraryOf(one, root, depth + 1)]));
  const record = fc.record<Record<string, unknown>>(model, { requiredKeys: required.filter((name) => name in model) });
  const more = schema['additionalProperties'];
  if (shown.length > 0 || !isObject(more)) return record;
  return fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), arbitraryOf(more, root, depth + 1), {
    maxKeys: depth < DEEPEST ? 4 : 0,
  });
}

function typeByKeywords(schema: Schema): string | null {
  if ('properties' in schema || 'required' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  if ('minLength' in schema || 'pattern' in schema || 'format' in schema) return 'string';
  return 'minimum' in schema || 'maximum' in schema ? 'number' : null;
}

function merge(a: Schema, b: Schema): Schema {
  const both = (key: string): Schema => ({ ...(isObject(a[key]) ? a[key] : {}), ...(isObject(b[key]) ? b[key] : {}) });
  const properties = 'properties' in a || 'properties' in b ? { properties: both('properties') } : {};
  const names = [a['required'], b['required']].flatMap((list) => (Array.isArray(list) ? listOf(list) : []));
  return { ...a, ...b, ...properties, ...(names.length === 0 ? {} : { required: names }) };
}

function follow(schema: unknown, root: Schema): Schema {
  if (!isObject(schema)) return {};
  return typeof schema['$ref'] === 'string' ? follow(resolve(schema['$ref'], root), root) : schema;
}

function resolve(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#')) return {};
  const parts = reference.slice(1).split('/').slice(1);
  return parts.reduce<unknown>((value, part) => {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  }, root);
}

function numberIn(schema: Schema, keyword: string): number | null {
  const value = schema[keyword];
  return typeof value === 'number' ? value : null;
}

function listOf(value: unknown[]): unknown[] {
  return value;
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isArguments(value: unknown): value is Arguments {
  return isObject(value);
}
