import * as z from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import { API } from '#lib/contract/paths.ts';
import { PROBLEMS } from '#lib/contract/problems.ts';
import type { ProblemCode } from '#lib/contract/problems.ts';
import { mapSchemas } from '#lib/contract/subschemas.ts';
import type { JsonSchema, Tool } from '#lib/contract/tool.ts';
import { IDEMPOTENCY_KEY } from './middleware/request-headers.ts';
import { refusesUnread } from './middleware/validation.ts';
import { SCHEMAS, TAGS } from './route.ts';
import type { Route } from './route.ts';

/**
 * The OpenAPI 3.1 document, generated from the route definitions, their schemas, and the current tools: each tool is an operation,
 * with its schemas as components. What can go wrong:
 * - internal references of a tool's schema (`#/$defs/…`) point elsewhere inside another document: they are rewritten;
 * - tool names map to the same component name: a number makes it unique.
 */
export type JsonObject = Record<string, unknown>;

export interface OpenApiOptions {
  readonly version: string;
  readonly tools: readonly Tool[];
  readonly routes: readonly Route[];
}

export function openApiDocument({ version, tools, routes }: OpenApiOptions): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    if (route.hidden === true) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  const call = routes.find(({ id }) => id === 'callTool');
  if (call === undefined) throw new Error('There is no route that calls a tool');
  const parameters = Object.fromEntries(headerParameters(call).map((parameter) => [`CallTool.${String(parameter['name'])}`, parameter]));
  const refusals = Object.entries(refusalsOf(call));
  const shared = {
    parameters: Object.keys(parameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    refusals: Object.fromEntries(refusals.map(([status]) => [status, { $ref: `#/components/responses/CallTool.${status}` }])),
    call,
  };
  const schemas: Record<string, JsonObject> = {};
  const names = new Set<string>();
  for (const tool of tools) {
    if (tool.available) paths[API.callTool(tool.name)] = { post: operationOfTool(tool, uniqueName(tool.name, names), schemas, shared) };
  }
  return {
    openapi: '3.1.1',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Switchboard',
      version,
      summary: 'The extensions of your agents: call their tools, see what was called, operate them.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{}, { token: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...namedSchemas(), ...schemas },
      parameters,
      responses: Object.fromEntries(refusals.map(([status, refusal]) => [`CallTool.${status}`, refusal])),
      securitySchemes: {
        admin: { type: 'apiKey', in: 'header', name: 'x-admin-token', description: 'EXTENSIONS_ADMIN_TOKEN, if set.' },
        token: { type: 'http', scheme: 'bearer', description: 'An API token, on a server with accounts.' },
      },
    },
  };
}

function operationOf(route: Route): JsonObject {
  const parameters = [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)];
  return {
    operationId: route.id,
    summary: route.summary,
    tags: [route.tag],
    ...(route.access !== 'open' ? { security: [{ admin: [] }, { token: [] }, {}] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: { required: !route.body.safeParse({}).success, content: { 'application/json': { schema: schemaOf(route.body) } } },
        }),
    responses: responsesOf(route),
  };
}

function pathParameters({ path, parameter = '', part = '' }: Route): JsonObject[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name], at) => ({
    name: name ?? '',
    in: 'path',
    required: true,
    description: at === 0 ? parameter : part,
    schema: { type: 'string', minLength: 1 },
  }));
}

function queryParameters({ query }: Route): JsonObject[] {
  if (query === undefined) return [];
  return Object.entries<z.ZodType>(query.shape).map(([name, field]) => {
    const schema = withoutHead(z.toJSONSchema(field, CONVERSION));
    return {
      name,
      in: 'query',
      required: !field.safeParse(undefined).success,
      schema,
      ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
    };
  });
}

/** Named schemas are referenced, others inlined. */
function schemaOf(schema: z.ZodType): JsonObject {
  const name = SCHEMAS.get(schema)?.id;
  return name === undefined ? withoutHead(z.toJSONSchema(schema, CONVERSION)) : { $ref: `#/components/schemas/${name}` };
}

/** Each named schema as a JSON Schema with references below `#/components/schemas`. */
function namedSchemas(): Record<string, JsonObject> {
  const { schemas } = z.toJSONSchema(SCHEMAS, { ...CONVERSION, uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(schemas)
      .map(([name, schema]): [string, JsonObject] => [name, withoutHead(schema)])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** Input schemas: a default makes a field optional; times have a format without zod's long pattern. */
const CONVERSION = {
  io: 'input',
  unrepresentable: 'any',
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  },
} as const;

function withoutHead(schema: z.core.JSONSchema.BaseSchema): JsonObject {
  const { $schema: _schema, $id: _id, '~standard': _standard, ...rest } = schema;
  return rest;
}

const text = { type: 'string' };
const seconds = { type: 'integer', minimum: 0 };

const HEADERS = {
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: seconds },
  'WWW-Authenticate': { description: 'The accepted authentication; for an invalid token, the error.', schema: text },
  Location: { description: 'The URL of the resource.', schema: text },
  'Preference-Applied': { description: '`respond-async`, if it was requested.', schema: text },
  'Idempotency-Replayed': { description: '`true`: the call ran before, and this is its record.', schema: text },
  ETag: { description: 'The tag of this content, for `If-None-Match`.', schema: text },
  'Content-Disposition': { description: 'The name of the file.', schema: text },
} as const;

/** Rejections possible for any request. */
const ALWAYS: readonly ProblemCode[] = [
  'request_malformed',
  'sign_in_needed',
  'origin_refused',
  'request_refused',
  'not_allowed',
  'host_refused',
  'too_many_attempts',
  'internal_error',
  'not_ready',
  'shutting_down',
  'storage_unavailable',
];
const WRITING: readonly ProblemCode[] = ['too_many_requests', 'storage_full'];
const WITH_BODY: readonly ProblemCode[] = [
  'body_invalid',
  'body_too_deep',
  'body_key_forbidden',
  'body_too_large',
  'media_type_unsupported',
  'body_fields_invalid',
];
const WITH_KEY: readonly ProblemCode[] = [
  'idempotency_key_running',
  'idempotent_call_gone',
  'idempotency_key_reused',
  'too_many_idempotency_keys',
];
const PROBLEM = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

function headerParameters(route: Route): JsonObject[] {
  const own = Object.entries(route.headers ?? {}).map(([name, description]) => ({ name, in: 'header', description, schema: text }));
  if (route.method === 'GET') return own;
  const actor = {
    name: 'x-actor',
    in: 'header',
    description: 'The name of the caller for the history; percent-encoded UTF-8.',
    schema: text,
  };
  if (route.runsTool !== true) return [...own, actor];
  const prefer = { name: 'Prefer', in: 'header', description: '`respond-async`: respond with the running call.', schema: text };
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Runs the call once for all requests with the same key.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyLength, pattern: IDEMPOTENCY_KEY.source },
  };
  return [...own, actor, prefer, key];
}

function responsesOf(route: Route): JsonObject {
  const { response } = route;
  const refusals = refusalsOf(route);
  if (!(response instanceof z.ZodType)) return { ...otherResponse(response), ...refusals };
  const content = { 'application/json': { schema: schemaOf(response) } };
  return {
    ...successOf(route, content, SCHEMAS.get(response)?.id ?? route.summary),
    ...refusals,
    ...(route.id === 'getReadiness'
      ? { '503': { ...refusals['503'], description: 'Not ready yet, or stopping.', content: { ...content, ...PROBLEM } } }
      : {}),
  };
}

function successOf(route: Route, content: JsonObject, description: string): JsonObject {
  if (route.keepsText === true)
    return {
      '200': { description, content, ...headers('ETag') },
      '304': { description: 'The content of `If-None-Match`.', ...headers('ETag') },
    };
  if (route.runsTool !== true) return { '200': { description, content } };
  return {
    '200': { description, content, ...headers('Idempotency-Replayed') },
    '202': { description: 'The call is running.', content, ...headers('Location', 'Preference-Applied') },
  };
}

function otherResponse(response: Exclude<Route['response'], z.ZodType>): JsonObject {
  if ('redirects' in response) return { '303': { description: response.redirects, ...headers('Location') } };
  const { mediaTypes, description } = response;
  const content = Object.fromEntries(
    mediaTypes.map((type) => [type, { schema: { type: type === 'application/json' ? 'object' : 'string' } }]),
  );
  return { '200': { description, content, ...(mediaTypes.includes('text/csv') ? headers('Content-Disposition') : {}) } };
}

function problemsOf(route: Route): readonly ProblemCode[] {
  const takesBody = route.method !== 'GET' && (route.method !== 'DELETE' || route.body !== undefined);
  return [
    ...ALWAYS,
    ...(takesBody ? WITH_BODY : []),
    ...(route.method === 'GET' ? [] : WRITING),
    ...(refusesUnread(route) ? (['query_invalid'] as const) : []),
    ...(route.access === 'open' ? [] : (['admin_token_invalid'] as const)),
    ...(route.runsTool === true ? WITH_KEY : []),
    ...(route.problems ?? []),
  ];
}

/** By status, each with its possible codes. */
function refusalsOf(route: Route): Readonly<Record<string, JsonObject>> {
  const byStatus = Map.groupBy(new Set(problemsOf(route)), (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, listed]) => [
      String(status),
      {
        description: listed.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('; '),
        content: PROBLEM,
        ...headersOfRefusals(listed),
      },
    ]),
  );
}

function headersOfRefusals(codes: readonly ProblemCode[]): JsonObject {
  const names: (keyof typeof HEADERS)[] = [];
  if (codes.includes('sign_in_needed')) names.push('WWW-Authenticate');
  const isTemporary = codes.some((code) => code === 'idempotency_key_running' || [429, 503].includes(PROBLEMS[code].status));
  if (isTemporary) names.push('Retry-After');
  return names.length === 0 ? {} : headers(...names);
}

function headers(...names: readonly (keyof typeof HEADERS)[]): { readonly headers: JsonObject } {
  return { headers: Object.fromEntries(names.map((name) => [name, HEADERS[name]])) };
}

/** Equal for every tool and long, so they are shared components. */
interface SharedParts {
  readonly parameters: readonly JsonObject[];
  /** By status. */
  readonly refusals: JsonObject;
  readonly call: Route;
}

/** @param schemas receives those of the tool */
function operationOfTool(
  tool: Tool,
  name: string,
  schemas: Record<string, JsonObject>,
  { parameters, refusals, call }: SharedParts,
): JsonObject {
  const argumentsName = `${name}.arguments`;
  schemas[argumentsName] = placeSchema(tool.parameters, argumentsName);
  let schema: JsonObject = { $ref: '#/components/schemas/Call' };
  if (tool.output_schema !== null) {
    const resultName = `${name}.result`;
    schemas[resultName] = placeSchema(tool.output_schema, resultName);
    // Null while running and after a failure, whatever the tool's result schema is.
    schema = { allOf: [schema, { properties: { result: { anyOf: [resultOf(tool, resultName), { type: 'null' }] } } }] };
  }
  const needsArguments = Array.isArray(tool.parameters['required']) && tool.parameters['required'].length > 0;
  return {
    operationId: `call.${name}`,
    summary: tool.description.split('\n', 1)[0] ?? '',
    description: tool.description,
    tags: ['tools'],
    parameters,
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
    responses: { ...refusals, ...successOf(call, { 'application/json': { schema } }, 'The call, however it ended') },
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
