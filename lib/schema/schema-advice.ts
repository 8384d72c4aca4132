import { isObject, kindOf } from './json-value.ts';
import { subschemas } from '#lib/contract/subschemas.ts';
import type { SchemaPath } from '#lib/contract/subschemas.ts';

const ADVICE_MOST = 50;

/** Ends the warning for a parameter without a type. */
export const NO_TYPE = 'it has no type and takes any JSON.';

/** Valid but probably unintended: required names without a property, invalid defaults, values without a type. */
export function schemaAdvice(schema: Readonly<Record<string, unknown>>, place: (path: SchemaPath) => string): readonly string[] {
  const advice: string[] = [];
  for (const { schema: at, path } of subschemas(schema)) {
    const properties = at['properties'];
    const open =
      at['additionalProperties'] !== false &&
      (isObject(at['additionalProperties']) ||
        isObject(at['patternProperties']) ||
        Array.isArray(at['allOf']) ||
        typeof at['$ref'] === 'string');
    if (Array.isArray(at['required']) && !open && (isObject(properties) || path.length === 0)) {
      for (const name of at['required']) {
        const known = isObject(properties) && typeof name === 'string' && Object.hasOwn(properties, name);
        if (!known) advice.push(`${place([...path, 'required'])}: ${JSON.stringify(name)} is required but is no property.`);
      }
    }
    if (Object.hasOwn(at, 'default')) {
      const wrong = misfit(at['default'], at);
      if (wrong !== null) advice.push(`${place([...path, 'default'])}: the default is ${wrong}.`);
    }
    const isParameter = path.length === 2 && path[0] === 'properties';
    const says = ['type', 'enum', 'const', '$ref', '$dynamicRef', 'anyOf', 'oneOf', 'allOf', 'not', 'if'].some((keyword) =>
      Object.hasOwn(at, keyword),
    );
    if (isParameter && !says) advice.push(`${place(path)}: ${NO_TYPE}`);
    if (advice.length >= ADVICE_MOST) break;
  }
  return advice.slice(0, ADVICE_MOST);
}

function misfit(value: unknown, schema: Readonly<Record<string, unknown>>): string | null {
  const types: readonly unknown[] = Array.isArray(schema['type']) ? schema['type'] : schema['type'] === undefined ? [] : [schema['type']];
  if (types.length > 0 && !types.some((type) => hasType(value, type))) return `${kindOf(value)}, but the type is ${types.join(' or ')}`;
  if (Array.isArray(schema['enum']) && !schema['enum'].some((entry) => JSON.stringify(entry) === JSON.stringify(value)))
    return 'not one of the values that `enum` lists';
  return null;
}

function hasType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return typeof value === type;
}
