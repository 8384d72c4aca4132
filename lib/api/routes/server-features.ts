import * as z from 'zod';
import { actorNameOf, LOCAL_MEMBER, memberIdOf } from '#lib/access/actor-of.ts';
import { appPolicy } from '#lib/contract/mcp-apps.ts';
import { API, OAUTH, PAGES } from '#lib/contract/paths.ts';
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
import { ownClientMetadata, serverSignInSchema, signInBegunSchema } from '#lib/contract/servers.ts';
import type { SignInPerson } from '#lib/host/host-sign-ins.ts';
import { answer, answerJson } from '../answer.ts';
import { searchOf } from '../middleware/validation.ts';
import type { ApiRequest } from '../request.ts';
import { ANY_FIELDS, named, routesOf } from '../route.ts';
import { originOf } from './accounts.ts';

/** The extension of an MCP server: its features, and the sign-in at it. */
const route = routesOf({ tag: 'extensions', parameter: 'The id of the extension of an MCP server.', unknown: 'extension_not_found' });

const OF_SERVER = {
  problems: ['server_refused', 'server_unavailable', 'state_conflict'] as const,
  exists: ({ host, parameter }: Pick<ApiRequest, 'host' | 'parameter'>) => host.servers.find(parameter),
};

/** One sign-in for all callers is a setting of the extension; that of a member is theirs. */
const OF_SIGN_IN = {
  also: {
    action: 'extensions.edit' as const,
    when: (_json: unknown, { host, parameter }: Pick<ApiRequest, 'host' | 'parameter'>) => host.signIns.isShared(parameter),
  },
  problems: ['state_conflict'] as const,
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
  route('GET /api/v1/extensions/:id/sign-in', 'extensions.read', 'getServerSignIn', {
    summary: 'The sign-in at an MCP server, of all callers or of the current one, without its tokens.',
    response: named('ServerSignIn', serverSignInSchema),
    problems: ['state_conflict'],
    handle: (request) => request.host.signIns.look(request.parameter, personOf(request)),
  }),
  route('POST /api/v1/extensions/:id/sign-in', 'servers.use', 'beginServerSignIn', {
    summary: 'Start a sign-in at an MCP server by OAuth: returns the URL for the browser.',
    ...OF_SIGN_IN,
    response: named('ServerSignInBegun', signInBegunSchema),
    handle: (request) => {
      const callback = `${originOf(request)}${API.signInCallback}`;
      return request.host.signIns.begin(request.parameter, personOf(request), callback);
    },
  }),
  route('DELETE /api/v1/extensions/:id/sign-in', 'servers.use', 'endServerSignIn', {
    summary: 'Sign out at an MCP server: its tokens are revoked there and deleted here.',
    ...OF_SIGN_IN,
    response: serverSignInSchema,
    handle: (request) => request.host.signIns.remove(request.parameter, personOf(request)),
  }),
  route('GET /api/v1/servers/sign-in/callback', 'servers.use', 'endServerSignInAtServer', {
    summary: 'The redirect address for authorization servers of MCP servers.',
    openedFromElsewhere: true,
    query: ANY_FIELDS,
    response: { redirects: 'To the page of the extension.' },
    problems: ['request_malformed', 'state_conflict', 'not_allowed'],
    handle: async (request) => {
      const parameters = new URLSearchParams(searchOf(request.context.env.incoming));
      const finished = await request.host.signIns.finish(parameters, personOf(request));
      // The page of the extension says why it failed.
      const extension = finished.ok ? finished.value : finished.problem.extra?.['extension'];
      if (typeof extension !== 'string') return finished;
      return answer(303, null, { location: PAGES.extension(extension) });
    },
  }),
  route(`GET ${OAUTH.ownClient}`, 'session.begin', 'getOwnClientMetadata', {
    summary: 'The client id metadata document of Switchboard, for authorization servers of MCP servers.',
    hidden: true,
    response: { mediaTypes: ['application/json'], description: 'JSON as the draft defines it.' },
    handle: (request) => {
      const origin = originOf(request);
      const metadata = {
        client_id: `${origin}${OAUTH.ownClient}`,
        client_uri: origin,
        ...ownClientMetadata(`${origin}${API.signInCallback}`),
        token_endpoint_auth_method: 'none',
      };
      return answerJson(200, JSON.stringify(metadata), { 'cache-control': 'public, max-age=60' });
    },
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

function personOf({ principal }: Pick<ApiRequest, 'principal'>): SignInPerson {
  return { id: memberIdOf(principal) ?? LOCAL_MEMBER, name: actorNameOf(principal) };
}
