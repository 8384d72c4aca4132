import { actorNameOf, LOCAL_MEMBER, memberIdOf } from '#lib/access/actor-of.ts';
import { API, OAUTH, PAGES } from '#lib/contract/paths.ts';
import { ownClientMetadata, serverSignInSchema, signInBegunSchema } from '#lib/contract/servers.ts';
import type { SignInPerson } from '#lib/host/host-sign-ins.ts';
import { answer, answerJson } from '../answer.ts';
import { searchOf } from '../middleware/validation.ts';
import type { ApiRequest } from '../request.ts';
import { ANY_FIELDS, named, routesOf } from '../route.ts';
import { originOf } from './accounts.ts';

const route = routesOf({ tag: 'extensions', parameter: 'The id of the extension of an MCP server.', unknown: 'extension_not_found' });
const ServerSignIn = named('ServerSignIn', serverSignInSchema);
/** One sign-in for all callers is a setting of the extension; that of a member is theirs. */
const SHARED = {
  also: {
    action: 'extensions.edit' as const,
    when: (_json: unknown, { host, parameter }: Pick<ApiRequest, 'host' | 'parameter'>) => host.signIns.isShared(parameter),
  },
  problems: ['state_conflict'] as const,
};

export const serverSignInRoutes = [
  route('GET /api/v1/extensions/:id/sign-in', 'extensions.read', 'getServerSignIn', {
    summary: 'The sign-in at an MCP server, of all callers or of the current one, without its tokens.',
    response: ServerSignIn,
    problems: ['state_conflict'],
    handle: (request) => request.host.signIns.look(request.parameter, personOf(request)),
  }),
  route('POST /api/v1/extensions/:id/sign-in', 'servers.use', 'beginServerSignIn', {
    summary: 'Start a sign-in at an MCP server by OAuth: returns the URL for the browser.',
    ...SHARED,
    response: named('ServerSignInBegun', signInBegunSchema),
    handle: (request) => {
      const callback = `${originOf(request)}${API.signInCallback}`;
      return request.host.signIns.begin(request.parameter, personOf(request), callback);
    },
  }),
  route('DELETE /api/v1/extensions/:id/sign-in', 'servers.use', 'endServerSignIn', {
    summary: 'Sign out at an MCP server: its tokens are revoked there and deleted here.',
    ...SHARED,
    response: ServerSignIn,
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

function personOf({ principal }: Pick<ApiRequest, 'principal'>): SignInPerson {
  return { id: memberIdOf(principal) ?? LOCAL_MEMBER, name: actorNameOf(principal) };
}
