import * as z from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import {
  exportedServersSchema,
  importedServersSchema,
  importServersSchema,
  putServerResultSchema,
  putServerSchema,
  serverListSchema,
  serverSchema,
  serverTestSchema,
  testServerSchema,
} from '#lib/contract/servers.ts';
import { named, routesOf } from '../route.ts';
import { WRITING_SOURCES } from './sources.ts';

const route = routesOf({ tag: 'servers', parameter: 'The name of the server in mcp.json.', unknown: 'server_not_found' });

export const serverListRoutes = [
  route('GET /api/v1/servers', 'sources.read', 'listServers', {
    summary: 'The MCP servers in mcp.json.',
    response: named('ServerList', serverListSchema),
    problems: ['state_conflict'],
    handle: ({ host }) => host.serverList.list(),
  }),
  route('GET /api/v1/servers/export', 'sources.read', 'exportServers', {
    summary: 'The servers as the configuration of another client, without secrets.',
    query: z.strictObject({ client: z.string().max(LIMITS.nameLength) }),
    response: named('ExportedServers', exportedServersSchema),
    problems: ['import_invalid', 'state_conflict'],
    handle: ({ host, query }) => host.serverList.export(query.client),
  }),
  route('POST /api/v1/servers/test', 'extensions.edit', 'testServer', {
    summary: 'Connect to a server and list its tools, resources and prompts, without adding it.',
    body: named('TestServer', testServerSchema),
    response: named('ServerTest', serverTestSchema),
    problems: ['body_fields_invalid'],
    handle: ({ host, body, context }) => host.serverList.test(body.config, context.req.raw.signal),
  }),
  route('POST /api/v1/servers/import', 'extensions.edit', 'importServers', {
    summary: 'Read the configuration of an MCP client, and add its servers unless `preview`.',
    body: named('ImportServers', importServersSchema),
    response: named('ImportedServers', importedServersSchema),
    problems: [...WRITING_SOURCES, 'import_invalid', 'state_conflict'],
    detail: ({ body }) => (body.preview ? { preview: true } : {}),
    handle: ({ host, body, requester }) => host.serverList.import(body, requester.actor),
  }),
  route('GET /api/v1/servers/:name', 'sources.read', 'getServer', {
    summary: 'One server in mcp.json.',
    response: named('Server', serverSchema),
    problems: ['state_conflict'],
    handle: ({ host, parameter }) => host.serverList.get(parameter),
  }),
  route('PUT /api/v1/servers/:name', 'extensions.edit', 'putServer', {
    summary: 'Add a server to mcp.json, or replace it. Responds when it is loaded or has failed.',
    body: named('PutServer', putServerSchema),
    response: named('PutServerResult', putServerResultSchema),
    problems: [...WRITING_SOURCES, 'resource_name_invalid', 'state_conflict'],
    replaces: async ({ host, parameter }) => (await host.serverList.get(parameter)).ok,
    handle: ({ host, parameter, body, requester }) => host.serverList.put(parameter, body.config, body.take_secrets, requester.actor),
  }),
  route('DELETE /api/v1/servers/:name', 'extensions.edit', 'removeServer', {
    summary: 'Remove a server from mcp.json.',
    response: serverSchema,
    problems: [...WRITING_SOURCES, 'state_conflict'],
    handle: ({ host, parameter, requester }) => host.serverList.remove(parameter, requester.actor),
  }),
];
