import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type LivingHost, startHost } from '#lib/testing/living-host.ts';
import { type ServedHost, serveHost } from '#lib/testing/serve-host.ts';
import { serveTeam } from '#lib/testing/team-client.ts';

let living: LivingHost;
let served: ServedHost;
beforeAll(async () => {
  living = await startHost({}, { adminToken: 'the-admin-token' });
  served = await serveHost(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
});

async function ask(method: string, name = '', body?: unknown, token: string | null = 'the-admin-token') {
  const answer = await fetch(`${served.url}/api/v1/secrets${name}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === null ? {} : { 'x-admin-token': token }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

it('sets, lists and deletes a secret, and never returns its value', async () => {
  const set = await ask('PUT', '/API_KEY', { value: 'value-of-the-secret' });
  expect(set).toMatchObject({ status: 200, body: { name: 'API_KEY', uses: [], readable: true } });
  const listed = await ask('GET', '', undefined, null);
  expect(listed).toMatchObject({ status: 200, body: { secrets: [{ name: 'API_KEY' }], missing: [] } });
  const removed = await ask('DELETE', '/API_KEY');
  expect(removed).toMatchObject({ status: 200, body: { name: 'API_KEY' } });
  expect(JSON.stringify([set, listed, removed])).not.toContain('value-of-the-secret');
  expect(await ask('DELETE', '/API_KEY')).toMatchObject({ status: 404, body: { code: 'secret_not_found' } });
});

it('needs the admin token for changes, before anything else is checked', async () => {
  expect(await ask('PUT', '/A-B', { value: 'x' }, null)).toMatchObject({ status: 403, body: { code: 'admin_token_invalid' } });
  expect(await ask('DELETE', '/NONE', undefined, 'wrong')).toMatchObject({ status: 403 });
});

it.each([
  ['/A-B', { value: 'some-value' }, 'resource_name_invalid'],
  ['/A', {}, 'body_fields_invalid'],
  ['/A', { value: '' }, 'body_fields_invalid'],
  ['/A', { value: 5 }, 'body_fields_invalid'],
  ['/A', { value: 'a\0b' }, 'body_fields_invalid'],
  ['/A', { value: 'x'.repeat(32_769) }, 'body_fields_invalid'],
  ['/A', { value: 'x', more: 1 }, 'body_fields_invalid'],
])('rejects %s with an invalid body or name', async (name, body, code) => {
  expect(await ask('PUT', name, body)).toMatchObject({ status: 422, body: { code } });
});

it('is in the audit log of a team, without its value, and only for roles with the permission', async () => {
  const team = await serveTeam({});
  try {
    const { author, operator, viewer, admin } = team.team;
    const body = { value: 'value-of-the-team' };
    const put = (cookie: string) => team.ask('/api/v1/secrets/TEAM_KEY', { method: 'PUT', cookie, body });
    expect([(await put(author.cookie)).status, (await put(operator.cookie)).status]).toEqual([200, 403]);
    const list = (cookie: string) => team.ask('/api/v1/secrets', { cookie });
    expect(await (await list(operator.cookie)).json()).toMatchObject({ secrets: [{ name: 'TEAM_KEY', updated_by: author.name }] });
    expect((await list(viewer.cookie)).status).toBe(403);
    expect((await team.ask('/api/v1/secrets/TEAM_KEY', { method: 'DELETE', cookie: admin.cookie })).status).toBe(200);
    const audit = await vi.waitFor(async () => {
      const text = await (await team.ask('/api/v1/audit?action=secrets', { cookie: admin.cookie })).text();
      expect(JSON.parse(text)).toMatchObject({
        entries: [
          { action: 'secrets.write', target: 'TEAM_KEY', outcome: 'done', actor: { name: admin.name } },
          { action: 'secrets.write', target: 'TEAM_KEY', outcome: 'refused', actor: { name: operator.name } },
          { action: 'secrets.write', target: 'TEAM_KEY', outcome: 'done', actor: { name: author.name } },
        ],
      });
      return text;
    });
    expect(audit).not.toContain(body.value);
  } finally {
    await team.close();
  }
});
