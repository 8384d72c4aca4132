import { isSchema, mapSchemas, subschemas } from './subschemas.ts';
import type { JsonSchema } from './tool.ts';

/**
 * Schemas of a tool for agents. What can go wrong: clients parse the list at once, so one unreadable schema hides every tool.
 * - Clients of the 2025 protocols expect an object per property; boolean schemas become `{}` or `{"not": {}}`.
 * - They compile output schemas as draft-07; schemas with another meaning there are omitted.
 * - They compile all output schemas together, where a second schema with the same `$id` counts as the first.
 */
export function agentParameters(schema: JsonSchema, isModern: boolean): JsonSchema {
  const { $schema, properties, required, ...rest } = isModern ? schema : withoutBooleans(schema);
  return {
    ...(typeof $schema === 'string' ? { $schema } : {}),
    ...rest,
    type: 'object',
    ...(isSchema(properties) ? { properties } : {}),
    ...(Array.isArray(required) ? { required: required.filter((name) => typeof name === 'string') } : {}),
  };
}

/** Null if omitted for agents. The 2025 protocols allow only objects as results. */
export function agentOutputSchema(schema: JsonSchema, isModern: boolean): JsonSchema | null {
  if (unreadableOutput(schema) !== null || (!isModern && schema['type'] !== 'object')) return null;
  const nameless = withoutIds(schema);
  return isModern ? nameless : withoutBooleans(mapSchemas(nameless, withoutNewerMeanings));
}

/** Why the output schema is omitted, as the end of a sentence; null if it is not. */
export function unreadableOutput(schema: JsonSchema): string | null {
  const parts = [...subschemas(schema)];
  if (!parts.some(({ schema: part }) => '$ref' in part || '$dynamicRef' in part)) return null;
  const named = parts.find(({ schema: part, path }) => path.length > 0 && namesDocument(part['$id']));
  return named === undefined ? null : `it holds another schema with an \`$id\` of its own, at ${named.path.join('/')}`;
}

/** In draft-07 an id starting with `#` is an anchor. */
function namesDocument(id: unknown): id is string {
  return typeof id === 'string' && !id.startsWith('#');
}

function withoutIds(root: JsonSchema): JsonSchema {
  const own = root['$id'];
  const local = (reference: unknown): unknown =>
    namesDocument(own) && own !== '' && typeof reference === 'string' && (reference === own || reference.startsWith(`${own}#`))
      ? reference.slice(own.length) || '#'
      : reference;
  return mapSchemas(root, ({ $id, ...schema }) => ({
    ...(namesDocument($id) ? {} : $id === undefined ? {} : { $id }),
    ...schema,
    ...('$ref' in schema ? { $ref: local(schema['$ref']) } : {}),
    ...('$dynamicRef' in schema ? { $dynamicRef: local(schema['$dynamicRef']) } : {}),
  }));
}

/** Booleans here are valid in every draft, and clients check `additionalProperties: false`. */
const BOOLEAN_IN_ALL = ['additionalProperties', 'additionalItems', 'unevaluatedProperties', 'unevaluatedItems'];

function withoutBooleans(schema: JsonSchema): JsonSchema {
  return mapSchemas(
    schema,
    (part) => part,
    (value, keyword) => {
      if (typeof value === 'boolean' && BOOLEAN_IN_ALL.includes(keyword)) return value;
      return value === false ? { not: {} } : {};
    },
  );
}

/** Keywords with another meaning in draft-07, such as `items` and `contains`. */
function withoutNewerMeanings({ items, contains, ...schema }: JsonSchema): JsonSchema {
  return {
    ...schema,
    ...(items === undefined || 'prefixItems' in schema ? {} : { items }),
    ...(contains === undefined || 'minContains' in schema || 'maxContains' in schema ? {} : { contains }),
  };
}
