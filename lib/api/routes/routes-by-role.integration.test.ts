import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROLE_NAMES } from '#lib/contract/actions.ts';
import type { Role } from '#lib/contract/actions.ts';
import { startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { answerInNext, serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';
import { makeTeam, type Team, TEAM } from '#lib/testing/team.ts';
import type { Route } from '../route.ts';
import { ROUTES } from '../routes.ts';

/**
 * An independent copy of the permissions: each route with its least role, and `+key` if the admin token alone suffices too. A
 * route without a row fails, regardless of the tables in lib/access.
 */
const LEAST: Readonly<Record<string, 'anybody' | Role | `${Role}+key`>> = {
  'GET /healthz': 'anybody',
  'GET /readyz': 'anybody',
  'GET /metrics': 'viewer',
  'POST /mcp': 'viewer',
  'GET /mcp': 'viewer',
  'DELETE /mcp': 'viewer',
  'POST /mcp/:toolset': 'viewer',
  'GET /mcp/:toolset': 'viewer',
  'DELETE /mcp/:toolset': 'viewer',
  'GET /api/v1/toolsets': 'viewer',
  'GET /api/v1/toolsets/:name': 'viewer',
  'PUT /api/v1/toolsets/:name': 'author+key',
  'DELETE /api/v1/toolsets/:name': 'author+key',
  'GET /api/v1/session': 'anybody',
  'POST /api/v1/session': 'anybody',
  'DELETE /api/v1/session': 'viewer',
  'DELETE /api/v1/sessions': 'viewer',
  'POST /api/v1/session/oidc': 'anybody',
  'GET /api/v1/session/oidc/callback': 'anybody',
  'POST /api/v1/join/look': 'anybody',
  'POST /api/v1/join': 'anybody',
  'PATCH /api/v1/profile': 'viewer',
  'POST /api/v1/profile/password': 'viewer',
  'GET /api/v1/profile/tokens': 'viewer',
  'DELETE /api/v1/profile/tokens/:id': 'viewer',
  'GET /api/v1/members': 'viewer',
  'PATCH /api/v1/members/:id': 'admin',
  'POST /api/v1/members/:id/sign-out': 'admin',
  'GET /api/v1/invitations': 'admin',
  'POST /api/v1/invitations': 'admin',
  'DELETE /api/v1/invitations/:id': 'admin',
  'GET /api/v1/tokens': 'admin',
  'POST /api/v1/tokens': 'admin',
  'DELETE /api/v1/tokens/:id': 'admin',
  'GET /.well-known/oauth-protected-resource': 'anybody',
  'GET /.well-known/oauth-protected-resource/mcp': 'anybody',
  'GET /.well-known/oauth-protected-resource/mcp/:toolset': 'anybody',
  'GET /.well-known/oauth-authorization-server': 'anybody',
  'GET /.well-known/oauth-authorization-server/mcp': 'anybody',
  'POST /oauth/register': 'anybody',
  'GET /oauth/authorize': 'anybody',
  'POST /oauth/token': 'anybody',
  'POST /oauth/revoke': 'anybody',
  'GET /oauth/client-metadata.json': 'anybody',
  'GET /api/v1/oauth/consent': 'viewer',
  'POST /api/v1/oauth/consent': 'viewer',
  'GET /api/v1/servers': 'viewer',
  'GET /api/v1/servers/export': 'viewer',
  'GET /api/v1/servers/:name': 'viewer',
  'POST /api/v1/servers/test': 'author+key',
  'POST /api/v1/servers/import': 'author+key',
  'PUT /api/v1/servers/:name': 'author+key',
  'DELETE /api/v1/servers/:name': 'author+key',
  'GET /api/v1/instances': 'viewer',
  'GET /api/v1/conflicts': 'viewer',
  'GET /api/v1/conflicts/:id': 'viewer',
  'POST /api/v1/conflicts/:id': 'author+key',
  'GET /api/v1/secrets': 'operator',
  'PUT /api/v1/secrets/:name': 'author+key',
  'DELETE /api/v1/secrets/:name': 'author+key',
  'GET /api/v1/audit': 'admin',
  'GET /api/v1/audit/export': 'admin',
  'POST /api/v1/tools/:name/call': 'operator',
  'GET /api/v1/extensions/:id/mcp': 'viewer',
  'GET /api/v1/extensions/:id/mcp/app': 'operator',
  'GET /api/v1/extensions/:id/sign-in': 'viewer',
  'POST /api/v1/extensions/:id/sign-in': 'operator',
  'DELETE /api/v1/extensions/:id/sign-in': 'operator',
  'GET /api/v1/servers/sign-in/callback': 'operator',
  'POST /api/v1/extensions/:id/mcp/resources/read': 'operator',
  'POST /api/v1/extensions/:id/mcp/prompts/get': 'operator',
  'POST /api/v1/extensions/:id/mcp/complete': 'operator',
  'POST /api/v1/tools/:name/probe': 'operator',
  'GET /api/v1/events': 'viewer',
  'GET /api/v1/openapi.json': 'viewer',
  'GET /api/v1/extensions': 'viewer',
  'POST /api/v1/extensions': 'author+key',
  'POST /api/v1/extensions/reload': 'author+key',
  'POST /api/v1/watch/self-test': 'author+key',
  'GET /api/v1/extensions/:id': 'viewer',
  'GET /api/v1/extensions/:id/logs': 'viewer',
  'GET /api/v1/extensions/:id/resources': 'viewer',
  'GET /api/v1/extensions/:id/settings': 'viewer',
  'GET /api/v1/extensions/:id/compare': 'viewer',
  'GET /api/v1/extensions/:id/undo': 'viewer',
  'POST /api/v1/extensions/:id/undo': 'author+key',
  'POST /api/v1/extensions/:id/conflicts/:conflict': 'author+key',
  'GET /api/v1/extensions/:id/dependencies': 'viewer',
  'POST /api/v1/extensions/:id/dependencies': 'author+key',
  'GET /api/v1/extensions/:id/dependencies/preview': 'viewer',
  'POST /api/v1/extensions/:id/install': 'author+key',
  'POST /api/v1/extensions/:id/install/cancel': 'author+key',
  'POST /api/v1/extensions/:id/restart': 'author+key',
  'POST /api/v1/extensions/:id/disable': 'author+key',
  'POST /api/v1/extensions/:id/enable': 'author+key',
  'POST /api/v1/extensions/:id/rollback': 'author+key',
  'POST /api/v1/extensions/:id/pin': 'author+key',
  'POST /api/v1/extensions/:id/keep-alive': 'author+key',
  'POST /api/v1/extensions/:id/unpin': 'author+key',
  'GET /api/v1/tools': 'viewer',
  'GET /api/v1/tools/:name': 'viewer',
  'GET /api/v1/calls': 'viewer',
  'GET /api/v1/calls/stats': 'viewer',
  'GET /api/v1/calls/last-hour': 'viewer',
  'GET /api/v1/calls/export': 'viewer',
  'GET /api/v1/calls/:id': 'viewer',
  'POST /api/v1/calls/:id/cancel': 'operator',
  'POST /api/v1/calls/:id/answer': 'operator',
  'POST /api/v1/calls/:id/replay': 'operator',
  'GET /api/v1/saved-calls': 'viewer',
  'POST /api/v1/saved-calls': 'operator',
  'GET /api/v1/saved-calls/:id': 'viewer',
  'PATCH /api/v1/saved-calls/:id': 'operator',
  'DELETE /api/v1/saved-calls/:id': 'admin+key',
  'POST /api/v1/saved-calls/:id/run': 'operator',
  'GET /api/v1/failures': 'viewer',
  'GET /api/v1/failures/:id': 'viewer',
  'PATCH /api/v1/failures/:id': 'operator',
  'POST /api/v1/failures/:id/presence': 'viewer',
  'POST /api/v1/failures/:id/comments': 'operator',
  'GET /api/v1/failures/:id/occurrences': 'viewer',
  'GET /api/v1/failures/:id/changes': 'viewer',
  'GET /api/v1/failures/:id/source': 'viewer',
  'POST /api/v1/failures/:id/merge': 'operator',
  'POST /api/v1/failures/:id/split': 'operator',
  'GET /api/v1/channels': 'viewer',
  'GET /api/v1/channels/:name': 'viewer',
  'PATCH /api/v1/channels/:name': 'admin+key',
  'GET /api/v1/channels/:name/messages': 'viewer',
  'POST /api/v1/channels/:name/send': 'operator',
  'POST /api/v1/channels/:name/inject': 'operator',
  'POST /api/v1/channels/:name/retry': 'operator',
  'POST /api/v1/messages/:id/resend': 'operator',
  'GET /api/v1/sources': 'viewer',
  'GET /api/v1/sources/:path': 'viewer',
  'PUT /api/v1/sources/:path': 'author+key',
  'DELETE /api/v1/sources/:path': 'author+key',
  'GET /api/v1/snapshots': 'viewer',
  'GET /api/v1/snapshots/:version': 'viewer',
};

const KEY = 'the admin token of this server';
const WHO = ['stranger', ...ROLE_NAMES, 'key'] as const;
type Who = (typeof WHO)[number];

let living: LivingHost;
let served: ServedHost;
let team: Team;

beforeAll(async () => {
  living = await startHost({}, { team: TEAM, adminToken: KEY });
  served = await serveHost(living.host);
  team = await makeTeam(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
});

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const addressOf = ({ path }: Route): string => served.url + path.replace(/:\w+/, 'tools%2Fabsent');

function isAllowed(who: Who, route: Route): boolean {
  const row = LEAST[nameOf(route)] ?? 'nobody has said who may';
  if (row === 'anybody') return true;
  if (who === 'stranger') return false;
  if (who === 'key') return row.endsWith('+key');
  return ROLE_NAMES.findIndex((role) => row.startsWith(role)) <= ROLE_NAMES.indexOf(who);
}

function proofOf(who: Who): Record<string, string> {
  if (who === 'stranger') return {};
  return who === 'key' ? { 'x-admin-token': KEY } : { cookie: team[who].cookie };
}

/** An invalid body: authorized callers get a validation error, and nothing happens. */
function wrongRequest({ method }: Route, headers: Record<string, string>): RequestInit {
  return { method, redirect: 'manual', headers: { 'content-type': 'text/plain', ...headers }, ...(method === 'GET' ? {} : { body: 'x' }) };
}

async function refusal(answer: Response): Promise<unknown> {
  const { code, action, missing } = JSON.parse(await answer.text());
  return { status: answer.status, code, action, missing: typeof missing };
}

test('every route has a row in this table, and every row has a route', () => {
  expect(Object.keys(LEAST).toSorted()).toEqual(ROUTES.map(nameOf).toSorted());
});

describe.each(WHO)('%s', (who) => {
  const expected = ({ action }: Route) => ({
    status: who === 'stranger' ? 401 : 403,
    code: who === 'stranger' ? 'sign_in_needed' : 'not_allowed',
    action,
    missing: 'string',
  });
  /** The admin token alone is not a signed-in person. */
  const expectedOf = (route: Route) => (who === 'key' ? { ...expected(route), status: 401, code: 'sign_in_needed' } : expected(route));

  test.each(ROUTES)('$method $path', async (route) => {
    const over = new AbortController();
    const answer = await fetch(addressOf(route), { ...wrongRequest(route, proofOf(who)), signal: over.signal });
    if (isAllowed(who, route)) expect([401, 403, 500]).not.toContain(answer.status);
    else {
      expect(await refusal(answer)).toEqual(expectedOf(route));
      const challenge = answer.headers.get('www-authenticate');
      if (answer.status !== 401) expect(challenge).toBeNull();
      else
        expect(challenge).toMatch(
          route.path.startsWith('/mcp') ? /^Bearer resource_metadata="[^"]+", realm="switchboard"/ : /^Bearer realm="switchboard"$/,
        );
    }
    over.abort();
  });

  // Except routes that end the session of the other tests.
  test.each(ROUTES.filter(({ path, action }) => path.startsWith('/api/v1/') && !/^(session\.end|profile)/.test(action)))(
    '$method $path: by Next, without the server in front',
    async (route) => {
      const headers = { ...proofOf(who), host: new URL(served.url).host };
      const answer = await answerInNext(new Request(addressOf(route), { method: route.method, headers }));
      if (isAllowed(who, route)) expect([401, 500]).not.toContain(answer.status);
      else expect(await refusal(answer)).toEqual(expectedOf(route));
    },
  );
});
