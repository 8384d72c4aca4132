import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';
import { cookieOf, makeTeam, TEAM } from '#lib/testing/team.ts';
import type { Team } from '#lib/testing/team.ts';

let living: LivingHost;
let served: ServedHost;
let team: Team;

beforeAll(async () => {
  living = await startHost({}, { team: TEAM });
  served = await serveHost(living.host);
  team = await makeTeam(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
});

interface Asked {
  readonly method?: string;
  readonly cookie?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(path: string, { method = 'GET', cookie = '', body, headers = {} }: Asked = {}): Promise<Response> {
  return fetch(`${served.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

test('signs in with a cookie that scripts cannot read and other hosts cannot set, and out', async () => {
  const { email, password, name, id } = team.viewer;
  const answer = await ask('/api/v1/session', { method: 'POST', body: { email: ` ${email.toUpperCase()} `, password } });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ mode: 'team', person: { id, name, email, initials: 'VV', role: 'viewer' } });
  const [set = ''] = answer.headers.getSetCookie();
  expect(set).toMatch(/^__Host-switchboard=\S+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect(answer.headers.get('cache-control')).toBe('no-store');

  const cookie = cookieOf([set]);
  expect((await ask('/api/v1/extensions', { cookie })).status).toBe(200);
  const out = await ask('/api/v1/session', { method: 'DELETE', cookie });
  expect([out.status, await out.json()]).toEqual([200, { ended: 1 }]);
  expect(out.headers.getSetCookie()).toEqual(['__Host-switchboard=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax']);
  expect((await ask('/api/v1/extensions', { cookie })).status).toBe(401);
});
