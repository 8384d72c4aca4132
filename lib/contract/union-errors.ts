import { isSchema, referenced } from './subschemas.ts';

/*
 * Assigns ajv's errors to the branches of a union. Only `schemaPath` identifies the branch, and it restarts after a `$ref`: for a
 * union of references (pydantic, zod, OpenAPI) the errors of all branches would be mixed.
 * - ajv reports a union after its branches, and the branches in order.
 * - `parentSchema` (with `verbose`) is the schema object itself, also after a reference.
 */

/** An error of ajv with `verbose`. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: object;
  readonly schema?: unknown;
  readonly parentSchema?: unknown;
}

interface Found<E> {
  readonly error: E;
  /** Errors per branch, in schema order; empty if not a union. */
  readonly branches: readonly (readonly Found<E>[])[];
}

/**
 * The same errors in order; the `schemaPath` of a branch's errors starts with the path of their union, `/`, and the branch index.
 * If several branches of a `oneOf` match, errors of the others are omitted.
 *
 * @param root the compiled schema object
 */
export function underTheirUnions<E extends SchemaError>(errors: readonly E[], root: unknown): readonly E[] {
  const within = createWithin(isSchema(root) ? root : {});
  const found: Found<E>[] = [];
  for (const error of errors) {
    const branches = branchesOf(error);
    let start = found.length;
    while (branches.length > 0 && start > 0 && belongs(found[start - 1]?.error, error, branches, within)) start -= 1;
    const inside = found.splice(start);
    found.push({ error, branches: fitsTooMany(error) ? [] : apart(inside, error, branches, within) });
  }
  return found.flatMap((each) => flat(each, ''));
}

/**
 * For a discriminated union with an invalid discriminator: one error with all allowed values. Null otherwise.
 *
 * @param branches branches that accept the type of the value
 */
export function withoutTag<E extends SchemaError>({ instancePath }: E, branches: readonly (readonly E[])[]): E | null {
  const depth = instancePath.split('/').length + 1;
  for (const tag of branches.length > 1 ? (branches[0] ?? []) : []) {
    if (choicesOf(tag) === null || tag.instancePath.split('/').length !== depth) continue;
    const tags = branches.map((branch) => branch.find((error) => error.instancePath === tag.instancePath && choicesOf(error) !== null));
    const values = tags.map((error) => (error === undefined ? null : choicesOf(error)));
    const allowedValues = values.flatMap((some) => some ?? []);
    // A field with equal values in several branches is no discriminator.
    const areApart = new Set(allowedValues.map((value) => JSON.stringify(value))).size === allowedValues.length;
    if (areApart && !values.includes(null)) return { ...tag, keyword: 'enum', params: { allowedValues } };
  }
  return null;
}

function choicesOf({ keyword, params }: SchemaError): readonly unknown[] | null {
  if (keyword !== 'const' && keyword !== 'enum') return null;
  const values: unknown = Reflect.get(params, keyword === 'const' ? 'allowedValue' : 'allowedValues');
  return keyword === 'const' ? [values] : listed(values);
}

function branchesOf({ keyword, schema }: SchemaError): readonly unknown[] {
  if (keyword === 'contains') return [{ contains: schema }];
  return (keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(schema) ? schema : [];
}

function fitsTooMany({ params }: SchemaError): boolean {
  return Array.isArray(Reflect.get(params, 'passingSchemas'));
}

function belongs(error: SchemaError | undefined, union: SchemaError, branches: readonly unknown[], within: Within): boolean {
  if (error === undefined || !isPlaceIn(error.instancePath, union.instancePath)) return false;
  return namedBranch(error, union) !== null || branches.some((branch) => within(branch, error, union));
}

function isPlaceIn(path: string, unionPath: string): boolean {
  return path === unionPath || path.startsWith(`${unionPath}/`);
}

/** Branch in the path of an error; null after a reference. */
function namedBranch(error: SchemaError, union: SchemaError): number | null {
  if (!error.schemaPath.startsWith(`${union.schemaPath}/`)) return null;
  const place = Number(error.schemaPath.slice(union.schemaPath.length + 1).split('/')[0]);
  return Number.isInteger(place) ? place : 0;
}

function apart<E extends SchemaError>(
  inside: readonly Found<E>[],
  union: E,
  branches: readonly unknown[],
  within: Within,
): readonly (readonly Found<E>[])[] {
  const parts: Found<E>[][] = branches.map(() => []);
  let at = 0;
  for (const each of inside) {
    const named = namedBranch(each.error, union);
    // Two branches with the same reference report the same error.
    const fits = (place: number) => within(branches[place], each.error, union) && !parts[place]?.some((other) => isSame(other, each));
    let place = named !== null && (typeof each.error.parentSchema !== 'object' || fits(named)) ? named : at;
    while (place !== named && place < branches.length - 1 && !fits(place)) place += 1;
    at = place;
    parts[place]?.push(each);
  }
  return parts;
}

function isSame<E extends SchemaError>({ error: one }: Found<E>, { error: other }: Found<E>): boolean {
  return (
    one.keyword === other.keyword &&
    one.instancePath === other.instancePath &&
    one.parentSchema === other.parentSchema &&
    JSON.stringify(one.params) === JSON.stringify(other.params)
  );
}

function flat<E extends SchemaError>({ error, branches }: Found<E>, prefix: string): readonly E[] {
  const schemaPath = `${prefix}${error.schemaPath}`;
  const inside = branches.flatMap((branch, place) => branch.flatMap((each) => flat(each, `${schemaPath}/${place}/`)));
  return [...inside, prefix === '' ? error : { ...error, schemaPath }];
}

type Within = (branch: unknown, error: SchemaError, union: SchemaError) => boolean;
type Schema = Readonly<Record<string, unknown>>;

/** Applied to the same value. */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'not', 'propertyNames'];
const SAME_VALUE_BY_NAME = ['dependentSchemas', 'dependencies'];
/** Applied to members and items. */
const INNER = ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains', 'additionalProperties', 'unevaluatedProperties'];

/** Whether an error comes from a schema of the branch at the same instance path. */
function createWithin(root: Schema): Within {
  const known = new Map<unknown, Map<string, ReadonlySet<unknown>>>();

  function sameValue(start: readonly unknown[]): ReadonlySet<unknown> {
    const seen = new Set<unknown>();
    const open = [...start];
    while (open.length > 0) {
      const node = open.pop();
      if (!isSchema(node) || seen.has(node)) continue;
      seen.add(node);
      for (const word of ['$ref', '$dynamicRef']) if (typeof node[word] === 'string') open.push(referenced(root, node[word]) ?? true);
      for (const word of SAME_VALUE) open.push(...listed(node[word]));
      for (const word of SAME_VALUE_BY_NAME) open.push(...named(node[word]));
    }
    return seen;
  }

  function schemasAt(branch: unknown, path: string): ReadonlySet<unknown> {
    const ofBranch = known.get(branch) ?? new Map<string, ReadonlySet<unknown>>();
    known.set(branch, ofBranch);
    const before = ofBranch.get(path);
    if (before !== undefined) return before;
    const last = path.lastIndexOf('/');
    const schemas = last === -1 ? sameValue([branch]) : sameValue(stepsInto(schemasAt(branch, path.slice(0, last)), path.slice(last + 1)));
    ofBranch.set(path, schemas);
    return schemas;
  }

  return (branch, error, union) => schemasAt(branch, error.instancePath.slice(union.instancePath.length)).has(error.parentSchema);
}

function stepsInto(schemas: ReadonlySet<unknown>, part: string): readonly unknown[] {
  const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
  return [...schemas]
    .filter(isSchema)
    .flatMap((node) => [
      ...(isSchema(node['properties']) && Object.hasOwn(node['properties'], name) ? [node['properties'][name]] : []),
      ...named(node['patternProperties']),
      ...INNER.flatMap((word) => listed(node[word])),
    ]);
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function named(value: unknown): readonly unknown[] {
  return isSchema(value) ? Object.values(value) : [];
}

/** JSON Schema types in plain words. */
export const KIND_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};
