import { ok } from '#lib/contract/result.ts';
import { putToolsetSchema, toolsetDetailSchema, toolsetListSchema, toolsetSchema } from '#lib/contract/toolset.ts';
import { named, routesOf } from '../route.ts';

const route = routesOf({ tag: 'toolsets', parameter: 'The name of the toolset.' });
const ToolsetDetailSchema = named('ToolsetDetail', toolsetDetailSchema);

export const toolsetRoutes = [
  route(
    'GET /api/v1/toolsets',
    'toolsets.read',
    'listToolsets',
    'Selections of tools for agents, each with its own MCP address.',
    { response: named('ToolsetList', toolsetListSchema) },
    ({ host }) => ok(host.toolsets.list()),
  ),
  route(
    'GET /api/v1/toolsets/:name',
    'toolsets.read',
    'getToolset',
    'One toolset, with the list of tools that agents see.',
    { response: ToolsetDetailSchema, problems: ['toolset_not_found'] },
    ({ host, parameter }) => host.toolsets.get(parameter),
  ),
  route(
    'PUT /api/v1/toolsets/:name',
    'toolsets.write',
    'putToolset',
    'Add a toolset, or replace it.',
    {
      body: named('PutToolset', putToolsetSchema),
      response: ToolsetDetailSchema,
      problems: ['resource_name_invalid', 'state_conflict'],
      replaces: ({ host, parameter }) => host.toolsets.find(parameter, null).ok,
    },
    ({ host, parameter, body, requester }) => host.toolsets.put(parameter, body, requester.actor),
  ),
  route(
    'DELETE /api/v1/toolsets/:name',
    'toolsets.write',
    'removeToolset',
    'Delete a toolset. Its address and its tokens stop working.',
    { response: named('Toolset', toolsetSchema), problems: ['toolset_not_found'] },
    ({ host, parameter, requester }) => host.toolsets.remove(parameter, requester.actor),
  ),
];
