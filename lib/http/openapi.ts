import type { Tool } from '#lib/contract/tool.ts';
import { namedSchemas, queryFields } from './api-schemas.ts';
import { headerParameters, responsesOf } from './openapi-parts.ts';
import { TOOL_COMPONENTS, toolPaths } from './openapi-tools.ts';
import { OPERATIONS } from './operations.ts';
import type { Operation } from './operation.ts';
import { ROUTES } from './routes.ts';
import type { Route } from './routes.ts';

/**
 * The OpenAPI 3.1 document: the route table, what lib/http/operations.ts says of each route, the schemas that handlers parse
 * with, and the tools of the moment. Nothing in it is written a second time.
 */
export type JsonObject = Record<string, unknown>;

export interface OpenApiOptions {
  /** Of the program. */
  readonly version: string;
  readonly tools: readonly Tool[];
}

const TAGS = {
  calls: 'Calling tools, and the history of calls',
  'saved calls': 'Calls kept under a name, and checks',
  tools: 'What can be called',
  extensions: 'Where tools come from',
  snapshots: 'Versions of the set of extensions',
  channels: 'Messengers',
  failures: 'Failures for review',
  sources: 'The files of the extensions folder',
  accounts: 'Signing in, and who the members are',
  server: 'The server itself',
} as const satisfies Record<Operation['tag'], string>;

export function openApiDocument({ version, tools }: OpenApiOptions): JsonObject {
  const paths: Record<string, JsonObject> = {};
  const used = new Set<string>(['tools']);
  for (const route of ROUTES) {
    const operation = OPERATIONS[`${route.method} ${route.path}`];
    if (operation === undefined) continue;
    used.add(operation.tag);
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationObject(route, operation) };
  }
  const available = toolPaths(tools.filter((tool) => tool.available));
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
    tags: Object.entries(TAGS).flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : [])),
    paths: { ...paths, ...available.paths },
    components: {
      schemas: { ...namedSchemas(), ...available.schemas },
      ...TOOL_COMPONENTS,
      securitySchemes: {
        admin: { type: 'apiKey', in: 'header', name: 'x-admin-token', description: 'EXTENSIONS_ADMIN_TOKEN, where it is set.' },
        token: { type: 'http', scheme: 'bearer', description: 'A token of the API, where the server has accounts.' },
      },
    },
  };
}

function operationObject(route: Route, operation: Operation): JsonObject {
  const parameters = [...pathParameters(route, operation), ...queryParameters(operation), ...headerParameters(route)];
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.tag],
    ...(route.access !== 'open' ? { security: [{ admin: [] }, { token: [] }, {}] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.body === undefined
      ? {}
      : {
          requestBody: {
            required: route.body === 'required',
            content: { 'application/json': { schema: { $ref: `#/components/schemas/${operation.body}` } } },
          },
        }),
    responses: responsesOf(route, operation),
  };
}

function pathParameters(route: Route, operation: Operation): JsonObject[] {
  const name = /:(\w+)/.exec(route.path)?.[1];
  if (name === undefined) return [];
  return [{ name, in: 'path', required: true, description: operation.parameter ?? '', schema: { type: 'string', minLength: 1 } }];
}

function queryParameters({ query }: Operation): JsonObject[] {
  return query === undefined
    ? []
    : queryFields(query).map(({ name, schema, required }) => ({
        name,
        in: 'query',
        required,
        schema,
        ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
      }));
}
