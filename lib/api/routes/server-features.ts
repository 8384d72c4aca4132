import * as z from 'zod';
import { memberIdOf } from '#lib/access/actor-of.ts';
import { appPolicy } from '#lib/contract/mcp-apps.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import {
  promptMessagesViewSchema,
  completionViewSchema,
  SERVER_REQUESTS,
  resourceReadSchema,
  resourceReadViewSchema,
  serverFeaturesSchema,
} from '#lib/contract/server-features.ts';
import type { ServerRequestMethod, ServerRequestParams } from '#lib/contract/server-features.ts';
import { answer } from '../answer.ts';
import type { ApiRequest } from '../request.ts';
import { named, routesOf } from '../route.ts';

const route = routesOf({ tag: 'extensions', parameter: 'The id of the extension of an MCP server.', unknown: 'extension_not_found' });

const OF_SERVER = {
  problems: ['server_refused', 'server_unavailable', 'state_conflict'] as const,
  exists: ({ host, parameter }: Pick<ApiRequest, 'host' | 'parameter'>) => host.servers.find(parameter),
};

export const serverFeatureRoutes = [
  route('GET /api/v1/extensions/:id/mcp', 'extensions.read', 'readServerFeatures', {
    summary: 'Resources, resource templates and prompts of an MCP server.',
    response: named('ServerFeatures', serverFeaturesSchema),
    handle: ({ host, parameter }) => host.servers.features(parameter),
  }),
  route('POST /api/v1/extensions/:id/mcp/resources/read', 'servers.use', 'readServerResource', {
    summary: 'Read a resource of an MCP server, by its address or by a template with variables.',
    body: named('ReadServerResource', SERVER_REQUESTS['resources/read'].omit({ _meta: true }).strict()),
    response: named('ServerResourceContents', resourceReadViewSchema),
    ...OF_SERVER,
    handle: (request) => ask(request, 'resources/read', request.body),
  }),
  route('GET /api/v1/extensions/:id/mcp/app', 'servers.use', 'openServerApp', {
    summary: 'The page of an MCP App, for a frame with its own origin and access only to its declared addresses.',
    query: z.strictObject({ uri: z.string().max(4_096).startsWith('ui://') }),
    response: { mediaTypes: ['text/html'], description: 'The page, with its content security policy.' },
    ...OF_SERVER,
    handle: async (request) => {
      const read = await ask(request, 'resources/read', request.query);
      if (!read.ok) return read;
      const [page] = resourceReadSchema.parse(read.value).contents;
      if (page === undefined || !/^text\/html(?:;|$)/i.test(page.mimeType ?? ''))
        return refuse('server_refused', 'The MCP server has no page at this address.');
      const html = 'blob' in page ? Buffer.from(String(page.blob), 'base64') : String(page.text);
      return answer(200, html, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': appPolicy(page._meta) });
    },
  }),
  route('POST /api/v1/extensions/:id/mcp/prompts/get', 'servers.use', 'getServerPrompt', {
    summary: 'The messages of a prompt of an MCP server.',
    body: named('GetServerPrompt', SERVER_REQUESTS['prompts/get'].omit({ _meta: true }).strict()),
    response: named('ServerPromptMessages', promptMessagesViewSchema),
    ...OF_SERVER,
    handle: (request) => ask(request, 'prompts/get', request.body),
  }),
  route('POST /api/v1/extensions/:id/mcp/complete', 'servers.use', 'completeServerArgument', {
    summary: 'Suggestions of an MCP server for an argument of a prompt or a variable of a template.',
    body: named('CompleteServerArgument', SERVER_REQUESTS['completion/complete'].omit({ _meta: true }).strict()),
    response: named('ServerCompletion', completionViewSchema),
    ...OF_SERVER,
    handle: (request) => ask(request, 'completion/complete', request.body),
  }),
];

async function ask<Method extends ServerRequestMethod>(
  { host, parameter, context, principal }: ApiRequest,
  method: Method,
  params: ServerRequestParams<Method>,
): Promise<Result<unknown>> {
  const from = { member: memberIdOf(principal) ?? undefined };
  const answered = await host.servers.request(parameter, method, params, context.req.raw.signal, from);
  if (answered.ok) return ok(answered.value);
  const { away, code, message, data } = answered.error;
  if (away === true) return refuse('server_unavailable', message);
  return refuse('server_refused', message, { extra: { rpc_code: code, ...(data === undefined ? {} : { data }) } });
}
