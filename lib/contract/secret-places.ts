import { fitsPattern, isSchema, referenced } from './subschemas.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Secret marks in the schemas that may apply at one path, through references, unions, conditions and patterns. A value is
 * secret if any of them says so.
 * What can go wrong: recursive schemas (each part is used once per path), combinatorial growth (the cache is limited), and
 * catastrophic patterns (not run, and treated as a match).
 */
export interface SecretPlace {
  readonly isSecret: boolean;
  /** Allowed types; empty if unspecified. */
  readonly types: readonly string[];
  /** The member with this name, or the item at this index. */
  at(key: string | number): SecretPlace;
}

/** A subschema, and the root for its references. */
type Parts = ReadonlyMap<Schema, Schema>;

const LONGEST_NAME = 64;
const PLACES_REMEMBERED = 500;
const NAMES_REMEMBERED = 200;
const known = new WeakMap<Schema, SecretPlace | null>();

/** The root value, by one or several schemas; null if none marks secrets. */
export function secretPlace(schemas: readonly Schema[]): SecretPlace | null {
  const [first] = schemas;
  if (first !== undefined && schemas.every((schema) => schema === first)) {
    let place = known.get(first);
    if (place === undefined) known.set(first, (place = speaksOfSecrets(first) ? placeIn(new Map([[first, first]])) : null));
    return place;
  }
  const speaking = schemas.filter(speaksOfSecrets);
  return speaking.length === 0 ? null : placeIn(new Map(speaking.map((schema) => [schema, schema])));
}

/** The same, also for schemas without secrets. */
export function placeIn(parts: Parts): SecretPlace {
  const ids = new Map<Schema, number>();
  let places = new Map<string, SecretPlace>();

  function placeOf(some: Parts): SecretPlace {
    const all = withAllThatApply(some);
    const name = [...all.keys()]
      .map((part) => idOf(part))
      .toSorted((a, b) => a - b)
      .join();
    const present = places.get(name);
    if (present !== undefined) return present;
    if (places.size >= PLACES_REMEMBERED) places = new Map();
    const nodes = [...all.keys()];
    const below = new Map<string | number, SecretPlace>();
    const named = Math.max(0, ...nodes.map((node) => placesOf(node).length));
    const place: SecretPlace = {
      isSecret: nodes.some((node) => node['writeOnly'] === true || node['format'] === 'password'),
      types: [...new Set(nodes.flatMap(typesOf))],
      at(asked) {
        // Items after the tuple prefix share one schema.
        const key = typeof asked === 'number' ? Math.min(asked, named) : asked;
        const before = below.get(key);
        if (before !== undefined) return before;
        const found = placeOf(typeof key === 'number' ? itemsAt(all, key) : membersAt(all, key));
        if (below.size < NAMES_REMEMBERED) below.set(key, found);
        return found;
      },
    };
    places.set(name, place);
    return place;
  }

  function idOf(part: Schema): number {
    let id = ids.get(part);
    if (id === undefined) ids.set(part, (id = ids.size));
    return id;
  }

  return placeOf(parts);
}

function speaksOfSecrets(schema: Schema): boolean {
  return /"(?:writeOnly":\s*true|format":\s*"password")/.test(JSON.stringify(schema));
}

function withAllThatApply(some: Parts): Parts {
  const all = new Map<Schema, Schema>();
  const open = [...some];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [part, root] = next;
    if (all.has(part)) continue;
    all.set(part, root);
    const led = [part['$ref'], part['$dynamicRef']].flatMap((to) => (typeof to === 'string' ? [referenced(root, to)] : []));
    const joined = ['allOf', 'anyOf', 'oneOf'].flatMap((word) => listOf(part[word]));
    const conditional = [part['if'], part['then'], part['else'], ...valuesOf(part['dependentSchemas']), ...valuesOf(part['dependencies'])];
    for (const further of [...led, ...joined, ...conditional]) if (isSchema(further)) open.push([further, root]);
  }
  return all;
}

function membersAt(all: Parts, key: string): Parts {
  const found = new Map<Schema, Schema>();
  const isNamedAnywhere = [...all.keys()].some((part) => isSchema(part['properties']) && Object.hasOwn(part['properties'], key));
  for (const [part, root] of all) {
    const add = (schema: unknown): void => void (isSchema(schema) && found.set(schema, root));
    const { properties, patternProperties } = part;
    const isNamed = isSchema(properties) && Object.hasOwn(properties, key);
    if (isNamed) add(properties[key]);
    let fits = false;
    for (const [pattern, schema] of isSchema(patternProperties) ? Object.entries(patternProperties) : []) {
      const verdict = key.length > LONGEST_NAME ? null : fitsPattern(pattern, key);
      if (verdict !== false) add(schema);
      if (verdict === true) fits = true;
    }
    if (!isNamed && !fits) add(part['additionalProperties']);
    if (!isNamedAnywhere && !fits) add(part['unevaluatedProperties']);
  }
  return found;
}

function itemsAt(all: Parts, index: number): Parts {
  const found = new Map<Schema, Schema>();
  for (const [part, root] of all) {
    const add = (schema: unknown): void => void (isSchema(schema) && found.set(schema, root));
    const { items } = part;
    const places = placesOf(part);
    if (index < places.length) add(places[index]);
    else add(Array.isArray(items) ? part['additionalItems'] : items);
    if (index >= places.length && items === undefined) add(part['unevaluatedItems']);
    add(part['contains']);
  }
  return found;
}

function placesOf({ prefixItems, items }: Schema): readonly unknown[] {
  return Array.isArray(prefixItems) ? prefixItems : listOf(items);
}

function typesOf(part: Schema): readonly string[] {
  return [part['type'], ...listOf(part['type'])].filter((type) => typeof type === 'string');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function valuesOf(value: unknown): readonly unknown[] {
  return isSchema(value) ? Object.values(value) : [];
}
