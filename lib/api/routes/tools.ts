import { authorize } from '#lib/access/authorize.ts';
import { visibleTools } from '#lib/access/principal.ts';
import { findingSchema, probeReportSchema, probeRequestSchema } from '#lib/contract/probe.ts';
import { ok } from '#lib/contract/result.ts';
import { toolListSchema, toolSchema } from '#lib/contract/tool.ts';
import { named, routesOf } from '../route.ts';

const route = routesOf({ tag: 'tools', parameter: 'The name of the tool.', unknown: 'tool_not_found' });
named('Finding', findingSchema);

export const toolRoutes = [
  route('GET /api/v1/tools', 'tools.read', 'listTools', {
    summary: 'All tools with their schemas.',
    keepsText: true,
    response: named('ToolList', toolListSchema),
    handle: ({ host, principal }) => {
      const list = host.tools.list();
      const visible = visibleTools(principal, list.tools);
      return ok(visible === list.tools ? list : { ...list, tools: [...visible] });
    },
  }),
  route('POST /api/v1/tools/:name/probe', 'tools.probe', 'probeTool', {
    summary: 'Call it with generated arguments, and report crashes, hangs and invalid results with the smallest arguments for each.',
    limit: 'calls',
    // The actor of its calls is `probe`, so the person who probes is audited.
    audit: 'tools.probe',
    body: named('ProbeRequest', probeRequestSchema),
    response: named('ProbeReport', probeReportSchema),
    problems: ['state_conflict', 'too_many_calls'],
    detail: ({ body }) => ({ runs: body.runs, destructive: body.destructive }),
    handle: ({ host, parameter, body, requester, principal, context }) =>
      host.probes.run(
        parameter,
        body,
        { source: requester.source, mayReadLog: authorize(principal, 'extensions.read', null).allowed },
        context.req.raw.signal,
      ),
  }),
  route('GET /api/v1/tools/:name', 'tools.read', 'getTool', {
    summary: 'One tool.',
    response: named('Tool', toolSchema),
    handle: ({ host, parameter }) => host.tools.get(parameter),
  }),
];
