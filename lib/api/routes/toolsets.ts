import { ok } from '#lib/contract/result.ts';
import { putToolsetSchema, toolsetDetailSchema, toolsetListSchema, toolsetSchema } from '#lib/contract/toolset.ts';
import { named, routesOf } from '../route.ts';

const route = routesOf({ tag: 'toolsets', parameter: 'The name of the toolset.' });

export const toolsetRoutes = [
  route('GET /api/v1/toolsets', 'toolsets.read', 'listToolsets', {
    summary: 'Selections of tools for agents, each with its own MCP address.',
    response: named('ToolsetList', toolsetListSchema),
    handle: ({ host }) => ok(host.toolsets.list()),
  }),
  route('GET /api/v1/toolsets/:name', 'toolsets.read', 'getToolset', {
    summary: 'One toolset, with the list of tools that agents see.',
    response: named('ToolsetDetail', toolsetDetailSchema),
    problems: ['toolset_not_found'],
    handle: ({ host, parameter }) => host.toolsets.get(parameter),
  }),
  route('PUT /api/v1/toolsets/:name', 'toolsets.write', 'putToolset', {
    summary: 'Add a toolset, or replace it.',
    body: named('PutToolset', putToolsetSchema),
    response: toolsetDetailSchema,
    problems: ['resource_name_invalid', 'state_conflict'],
    replaces: ({ host, parameter }) => host.toolsets.find(parameter, null).ok,
    handle: ({ host, parameter, body, requester }) => host.toolsets.put(parameter, body, requester.actor),
  }),
  route('DELETE /api/v1/toolsets/:name', 'toolsets.write', 'removeToolset', {
    summary: 'Delete a toolset. Its address and its tokens stop working.',
    response: named('Toolset', toolsetSchema),
    problems: ['toolset_not_found'],
    handle: ({ host, parameter, requester }) => host.toolsets.remove(parameter, requester.actor),
  }),
];
