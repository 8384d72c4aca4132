import { API } from '#lib/contract/paths.ts';
import { mapSchemas } from '#lib/contract/subschemas.ts';
import type { JsonSchema, Tool } from '#lib/contract/tool.ts';

/**
 * Each tool as an operation, with its schemas as components. What can go wrong:
 * - internal references (`#/$defs/…`) point elsewhere inside another document: they are rewritten;
 * - tool names map to the same component name: a number makes it unique.
 */

type JsonObject = Record<string, unknown>;

/** The shared parts of the route that runs tools. */
export interface CallRoute {
  readonly parameters: readonly JsonObject[];
  /** By status. */
  readonly refusals: Readonly<Record<string, JsonObject>>;
  success(content: JsonObject): JsonObject;
}

export interface ToolPaths {
  readonly paths: Readonly<Record<string, JsonObject>>;
  readonly schemas: Readonly<Record<string, JsonObject>>;
  /** Equal for every tool and long, so they are shared components. */
  readonly parameters: Readonly<Record<string, JsonObject>>;
  readonly responses: Readonly<Record<string, JsonObject>>;
}

export function toolPaths(tools: readonly Tool[], call: CallRoute): ToolPaths {
  const paths: Record<string, JsonObject> = {};
  const schemas: Record<string, JsonObject> = {};
  const names = new Set<string>();
  for (const tool of tools) {
    const name = uniqueName(tool.name, names);
    const argumentsName = `${name}.arguments`;
    schemas[argumentsName] = placeSchema(tool.parameters, argumentsName);
    const resultName = tool.output_schema === null ? null : `${name}.result`;
    if (resultName !== null && tool.output_schema !== null) schemas[resultName] = placeSchema(tool.output_schema, resultName);
    paths[API.callTool(tool.name)] = { post: operationOf(tool, name, argumentsName, resultName, call) };
  }
  return {
    paths,
    schemas,
    parameters: Object.fromEntries(call.parameters.map((parameter) => [parameterName(parameter), parameter])),
    responses: Object.fromEntries(Object.entries(call.refusals).map(([status, refusal]) => [`CallTool.${status}`, refusal])),
  };
}

function parameterName(parameter: JsonObject): string {
  return `CallTool.${String(parameter['name'])}`;
}

function operationOf(tool: Tool, name: string, argumentsName: string, resultName: string | null, route: CallRoute): JsonObject {
  const call = { $ref: '#/components/schemas/Call' };
  // Null while running and after a failure, whatever the tool's result schema is.
  const schema =
    resultName === null ? call : { allOf: [call, { properties: { result: { anyOf: [resultOf(tool, resultName), { type: 'null' }] } } }] };
  const needsArguments = Array.isArray(tool.parameters['required']) && tool.parameters['required'].length > 0;
  return {
    operationId: `call.${name}`,
    summary: tool.description.split('\n', 1)[0] ?? '',
    description: tool.description,
    tags: ['tools'],
    parameters: route.parameters.map((parameter) => ({ $ref: `#/components/parameters/${parameterName(parameter)}` })),
    requestBody: {
      required: needsArguments,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              arguments: { $ref: `#/components/schemas/${argumentsName}` },
              timeout_ms: { $ref: '#/components/schemas/CallRequest/properties/timeout_ms' },
              revision: { $ref: '#/components/schemas/CallRequest/properties/revision' },
            },
            ...(needsArguments ? { required: ['arguments'] } : {}),
            additionalProperties: false,
          },
        },
      },
    },
    responses: {
      ...Object.fromEntries(Object.keys(route.refusals).map((status) => [status, { $ref: `#/components/responses/CallTool.${status}` }])),
      ...route.success({ 'application/json': { schema } }),
    },
  };
}

/** A result of an MCP server is stored in the protocol's format; its schema describes a part of it. */
function resultOf(tool: Tool, name: string): JsonObject {
  const promised = { $ref: `#/components/schemas/${name}` };
  if (tool.runtime !== 'mcp') return promised;
  const properties = { content: { type: 'array', items: { type: 'object' } }, structuredContent: promised };
  return { type: 'object', properties, required: ['content'] };
}

function uniqueName(tool: string, taken: Set<string>): string {
  const plain = `tool.${tool.replace(/[^A-Za-z0-9._-]/g, '_')}`;
  let name = plain;
  for (let count = 2; taken.has(name); count += 1) name = `${plain}.${count}`;
  taken.add(name);
  return name;
}

const DRAFT_07 = 'http://json-schema.org/draft-07/schema';

function placeSchema(schema: JsonSchema, name: string): JsonObject {
  const { $schema: dialect, ...rest } = schema;
  const isOwnDocument = typeof rest['$id'] === 'string';
  const moved = isOwnDocument ? rest : moveReferences(rest, `#/components/schemas/${name}`);
  return typeof dialect === 'string' && dialect.startsWith(DRAFT_07) ? { $schema: dialect, ...moved } : moved;
}

function moveReferences(schema: JsonObject, to: string): JsonObject {
  const isMoved = (keyword: string): boolean => keyword === '$ref' || keyword === '$dynamicRef';
  return mapSchemas(schema, (part) =>
    Object.fromEntries(
      Object.entries(part).map(([keyword, value]) => [
        keyword,
        isMoved(keyword) && typeof value === 'string' ? movedReference(value, to) : value,
      ]),
    ),
  );
}

function movedReference(reference: string, to: string): string {
  if (reference === '#') return to;
  return reference.startsWith('#/') ? `${to}${reference.slice(1)}` : reference;
}
