type Schema = Readonly<Record<string, unknown>>;

/**
 * Creates `Date`s from strings where the author of a tool wrote `Date`. Runs on valid arguments. Among several alternatives the
 * first with a matching shape counts; text that may be a plain string stays one.
 *
 * @param dates JSON Pointers into the schema
 */
export function createDateReviver(root: Schema, dates: readonly string[]): (value: unknown) => unknown {
  if (dates.length === 0) return (value) => value;
  const places = new Set(dates.map((pointer) => at(root, pointer)));

  const follow = (schema: unknown): unknown => {
    let target = schema;
    for (let steps = 0; steps < 10 && isObject(target) && typeof target['$ref'] === 'string'; steps += 1)
      target = at(root, target['$ref'].slice(1));
    return target;
  };

  const revive = (value: unknown, given: unknown): unknown => {
    const schema = follow(given);
    if (!isObject(schema)) return value;
    if (typeof value === 'string') return isDate(schema) ? new Date(value) : value;
    const alternatives = schema['anyOf'];
    const branch: unknown = Array.isArray(alternatives) ? alternatives.find((one) => fits(value, one)) : undefined;
    if (branch !== undefined) return revive(value, branch);
    if (Array.isArray(value)) {
      const places = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
      return value.map((item: unknown, index) => revive(item, index < places.length ? places[index] : schema['items']));
    }
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, revive(item, propertyOf(schema, name))]));
  };

  /** A date among alternatives is used if no other alternative accepts text. */
  const isDate = (schema: Schema): boolean => {
    if (places.has(schema)) return true;
    const alternatives = schema['anyOf'];
    if (!Array.isArray(alternatives)) return false;
    const forText = alternatives.map((one: unknown) => follow(one)).filter((one) => fits('', one) || places.has(one));
    return forText.length > 0 && forText.every((one) => isObject(one) && isDate(one));
  };

  const fits = (value: unknown, given: unknown, depth = 0): boolean => {
    const schema = follow(given);
    if (!isObject(schema) || depth > 8) return true;
    if (Object.hasOwn(schema, 'const') && schema['const'] !== value) return false;
    if (Array.isArray(schema['enum']) && !schema['enum'].includes(value)) return false;
    if (Array.isArray(schema['anyOf'])) return schema['anyOf'].some((one) => fits(value, one, depth + 1));
    const types: unknown[] = Array.isArray(schema['type']) ? schema['type'] : schema['type'] === undefined ? [] : [schema['type']];
    if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false;
    if (Array.isArray(value)) {
      const places = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
      return value.every((item, index) => fits(item, index < places.length ? places[index] : schema['items'], depth + 1));
    }
    if (!isObject(value)) return true;
    if (Array.isArray(schema['required']) && !schema['required'].every((name) => Object.hasOwn(value, String(name)))) return false;
    return Object.entries(value).every(([name, item]) => {
      const property = propertyOf(schema, name);
      return property !== false && fits(item, property, depth + 1);
    });
  };

  return (value) => revive(value, root);
}

/** By its name, else by a pattern that matches the name. */
function propertyOf(schema: Schema, name: string): unknown {
  const { properties, patternProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  const patterns = isObject(patternProperties) ? Object.entries(patternProperties) : [];
  const found = patterns.find(([pattern]) => new RegExp(pattern, 'u').test(name));
  return found === undefined ? schema['additionalProperties'] : found[1];
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function at(root: unknown, pointer: string): unknown {
  let place = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return undefined;
    place = Reflect.get(place, key);
  }
  return place;
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
