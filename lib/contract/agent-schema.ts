import { isSchema } from './schema-reference.ts';
import { mapSchemas, subschemas } from './subschemas.ts';
import type { JsonSchema } from './tool.ts';

/**
 * The schemas of a tool as agents are given them. What can go wrong: clients read a list as a whole, so one schema that they
 * cannot read costs them every tool of every extension.
 * - Clients of the 2025 protocols want an object for each property; a boolean is a schema too, and means `{}` or `{"not": {}}`.
 * - They compile output schemas as draft-07, whatever dialect those are in: what means something else there is left out.
 * - Clients compile all output schemas in one place, where a second schema with the same `$id` counts as the first.
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

/** Null where agents are not shown it. The 2025 protocols know results that are objects only. */
export function agentOutputSchema(schema: JsonSchema, isModern: boolean): JsonSchema | null {
  if (unreadableOutput(schema) !== null || (!isModern && schema['type'] !== 'object')) return null;
  const nameless = withoutIds(schema);
  return isModern ? nameless : withoutBooleans(mapSchemas(nameless, withoutNewerMeanings));
}

/** Why no agent is shown this output schema, as the end of a sentence; null when they are. */
export function unreadableOutput(schema: JsonSchema): string | null {
  const parts = [...subschemas(schema)];
  if (!parts.some(({ schema: part }) => '$ref' in part || '$dynamicRef' in part)) return null;
  const named = parts.find(({ schema: part, path }) => path.length > 0 && namesDocument(part['$id']));
  return named === undefined ? null : `it holds another schema with an \`$id\` of its own, at ${named.path.join('/')}`;
}

/** One that begins with `#` is how draft-07 writes an anchor. */
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

/** Here they are booleans in every draft, and much reads `additionalProperties: false`. */
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

/** In draft-07 `items` is about all items, and `contains` wants one. Results are checked here by what the schema means. */
function withoutNewerMeanings({ items, contains, ...schema }: JsonSchema): JsonSchema {
  return {
    ...schema,
    ...(items === undefined || 'prefixItems' in schema ? {} : { items }),
    ...(contains === undefined || 'minContains' in schema || 'maxContains' in schema ? {} : { contains }),
  };
}
