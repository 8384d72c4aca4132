import { authorize } from '#lib/access/authorize.ts';
import { visibleTools } from '#lib/access/visible-tools.ts';
import { findingSchema, probeReportSchema, probeRequestSchema } from '#lib/contract/probe.ts';
import { ok } from '#lib/contract/result.ts';
import { toolListSchema, toolSchema } from '#lib/contract/tool.ts';
import { named, route } from '../route.ts';

const TOOL = 'The name of the tool.';
named('Finding', findingSchema);

export const toolRoutes = [
  route(
    {
      method: 'GET',
      path: '/api/v1/tools',
      action: 'tools.read',
      id: 'listTools',
      summary: 'All tools with their schemas.',
      tag: 'tools',
      response: named('ToolList', toolListSchema),
    },
    ({ host, principal }) => {
      const list = host.tools.list();
      return ok({ ...list, tools: [...visibleTools(principal, list.tools)] });
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/tools/:name/probe',
      action: 'tools.probe',
      limit: 'calls',
      id: 'probeTool',
      summary: 'Call it with generated arguments, and report what no tool should do, with the smallest arguments that show it.',
      tag: 'tools',
      parameter: TOOL,
      body: named('ProbeRequest', probeRequestSchema),
      bodyOptional: true,
      response: named('ProbeReport', probeReportSchema),
      problems: ['tool_not_found', 'state_conflict', 'too_many_calls'],
    },
    ({ host, parameter, body, requester, principal, context }) =>
      host.probes.run(
        parameter,
        body,
        { source: requester.source, mayReadLog: authorize(principal, 'extensions.read', null).allowed },
        context.req.raw.signal,
      ),
  ),
  route(
    {
      method: 'GET',
      path: '/api/v1/tools/:name',
      action: 'tools.read',
      id: 'getTool',
      summary: 'One tool.',
      tag: 'tools',
      parameter: TOOL,
      response: named('Tool', toolSchema),
      problems: ['tool_not_found'],
    },
    ({ host, parameter }) => host.tools.get(parameter),
  ),
];
