/** Internal marks while hints are read; symbols, so JSON does not contain them. */
export const IS_DATE = Symbol('date');
export const IS_OPTIONAL = Symbol('optional');
export const IS_NOTHING = Symbol('nothing');
export const IS_TEMPLATE = Symbol('template');
export const IS_INEXACT = Symbol('inexact');
export const ANY_KIND = Symbol('kind');

/** A JSON Schema under construction. */
export interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode | false;
  readonly prefixItems?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly allOf?: readonly SchemaNode[];
  readonly $ref?: string;
  readonly description?: string;
  readonly title?: string;
  /** A `Date` in the source. */
  readonly [IS_DATE]?: true;
  /** Includes `undefined`, so it is optional. */
  readonly [IS_OPTIONAL]?: true;
  /** `undefined`, `void` or `never`. */
  readonly [IS_NOTHING]?: 'undefined' | 'never';
  /** A template literal type; its pattern is not from a doc comment. */
  readonly [IS_TEMPLATE]?: true;
  /** An object in the source whose properties that are or may be `undefined` look absent or optional here. */
  readonly [IS_INEXACT]?: true;
  /** Any JSON for `object`, or for `{}` (`value`); absent for `unknown` and `any`. */
  readonly [ANY_KIND]?: 'object' | 'value';
  readonly [keyword: string]: unknown;
}

export const ANY: SchemaNode = {};
export const UNDEFINED: SchemaNode = { [IS_NOTHING]: 'undefined', [IS_OPTIONAL]: true, not: {} };
export const NEVER: SchemaNode = { [IS_NOTHING]: 'never', not: {} };
export const NULL: SchemaNode = { type: 'null' };

export function isAny(schema: SchemaNode): boolean {
  return Object.keys(schema).every((key) => key === 'description' || key === 'title');
}

export function literal(value: unknown): SchemaNode {
  if (value === null) return NULL;
  return { type: typeof value, const: value };
}

/** Values of an enum schema; null for others. */
export function literalsOf(schema: SchemaNode): readonly unknown[] | null {
  if (schema.enum !== undefined) return schema.enum;
  return Object.hasOwn(schema, 'const') ? [schema.const] : null;
}

export function literals(values: readonly unknown[]): SchemaNode {
  const unique = [...new Set(values)];
  if (unique.length === 0) return NEVER;
  if (unique.length === 1) return literal(unique[0]);
  const types = [...new Set(unique.map((value) => (value === null ? 'null' : typeof value)))];
  if (types.length === 1 && types[0] === 'boolean') return { type: 'boolean' };
  const [type] = types;
  if (types.length === 1 && type !== undefined) return { type, enum: unique };
  return types.length === 2 && types.includes('null') ? { type: types, enum: unique } : { enum: unique };
}

/** A union. Literals become one enum, null a second type if that is equivalent. */
export function union(members: readonly SchemaNode[]): SchemaNode {
  const flat = members.flatMap((member) => (isBareUnion(member) ? (member.anyOf ?? []) : [member]));
  const isOptional = members.some((member) => member[IS_OPTIONAL] === true);
  const real = flat.filter((member) => member[IS_NOTHING] === undefined);
  const schema = real.length === 0 ? (isOptional ? UNDEFINED : NEVER) : unionOfReal(real);
  return isOptional ? { ...schema, [IS_OPTIONAL]: true } : schema;
}

function isBareUnion(schema: SchemaNode): boolean {
  return schema.anyOf !== undefined && Object.keys(schema).length === 1;
}

function unionOfReal(members: readonly SchemaNode[]): SchemaNode {
  if (members.some(isAny)) return ANY;
  const wide = new Set(members.filter((member) => literalsOf(member) === null && isPlain(member)).map((member) => member.type));
  const listed = members
    .flatMap((member) => (isPlain(member) ? (literalsOf(member) ?? []) : []))
    .filter((value) => !wide.has(typeof value));
  const others = unique(members.filter((member) => !(isPlain(member) && literalsOf(member) !== null)).map(withoutOptional));
  const hasNull = others.some((member) => member.type === 'null') || listed.includes(null);
  const rest = others.filter((member) => member.type !== 'null');
  const named = listed.filter((value) => value !== null);
  const parts = named.length === 0 ? rest : [literals(named), ...rest];
  const [only] = parts;
  if (only === undefined) return NULL;
  if (parts.length > 1) return { anyOf: unique(hasNull ? [...parts, NULL] : parts) };
  return hasNull ? orNull(only) : only;
}

/** Only an enum, without other keywords. */
function isPlain(schema: SchemaNode): boolean {
  return Object.keys(schema).every((key) => key === 'type' || key === 'enum' || key === 'const');
}

function orNull(schema: SchemaNode): SchemaNode {
  const values = literalsOf(schema);
  if (values !== null && isPlain(schema)) return literals([...values, null]);
  const { type } = schema;
  if (typeof type === 'string' && type !== 'object' && values === null) return { ...schema, type: [type, 'null'] };
  return { anyOf: [schema, NULL] };
}

function unique(schemas: readonly SchemaNode[]): readonly SchemaNode[] {
  const seen = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  return [...seen.values()];
}

export function withoutOptional(schema: SchemaNode): SchemaNode {
  if (schema[IS_OPTIONAL] === undefined) return schema;
  const { [IS_OPTIONAL]: _, ...rest } = schema;
  return rest;
}

export interface ObjectProperty {
  readonly name: string;
  readonly schema: SchemaNode;
  readonly isRequired: boolean;
}

/** A closed object. Properties that can only be undefined are dropped. */
export function objectOf(properties: readonly ObjectProperty[], rest: SchemaNode | boolean = false): SchemaNode {
  const kept = properties.filter(({ schema }) => schema[IS_NOTHING] === undefined);
  const required = kept.filter(({ schema, isRequired }) => isRequired && schema[IS_OPTIONAL] === undefined).map(({ name }) => name);
  return {
    type: 'object',
    ...(kept.length > 0 || rest === false
      ? { properties: Object.fromEntries(kept.map(({ name, schema }) => [name, withoutOptional(schema)])) }
      : {}),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: typeof rest === 'object' && isAny(rest) ? true : rest,
    ...(kept.length < properties.length || kept.some(({ schema, isRequired }) => isRequired && schema[IS_OPTIONAL] === true)
      ? { [IS_INEXACT]: true }
      : {}),
  };
}

export function propertiesOf(schema: SchemaNode): readonly ObjectProperty[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({ name, schema: property, isRequired: required.has(name) }));
}
