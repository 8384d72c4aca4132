import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditPageSchema } from '#lib/contract/audit.ts';
import { callSchema } from '#lib/contract/call.ts';
import { oneTool } from '#lib/testing/living-host.ts';
import { serveTeam, type TeamServer } from '#lib/testing/team-client.ts';
import { ROUTES } from '../routes.ts';

/** The audit log of a real team server. */
let served: TeamServer;

/** Entries are written asynchronously. */
const SOON = { timeout: 10_000 };

beforeAll(async () => {
  served = await serveTeam({
    'rain/extension.js': oneTool('rain', 'wet'),
    'burn/extension.js': oneTool('burn', 'ash').replace("name: 'burn',", "name: 'burn',\n  annotations: { destructiveHint: true },"),
  });
});
afterAll(() => served.close());

function call(tool: string, token: string): Promise<Response> {
  return served.ask(`/api/v1/tools/${tool}/call`, { token, body: { arguments: {} } });
}

test('the audit log has actor, action, outcome and address, and no secrets', async () => {
  const { token, id } = await served.makeToken({ name: 'deploy' });
  const put = await served.ask('/api/v1/sources/rain%2Fextension.js', {
    method: 'PUT',
    token,
    body: { text: oneTool('rain', 'a secret text'), expected_hash: await hashOf('rain/extension.js') },
  });
  expect(put.status).toBe(200);
  await served.ask('/api/v1/extensions/rain/disable', { method: 'POST', token });
  await served.ask('/api/v1/extensions/rain/enable', { method: 'POST', cookie: served.team.operator.cookie });
  await served.ask('/api/v1/extensions/rain/enable', { method: 'POST', token });
  await served.ask('/api/v1/extensions/absent/restart', { method: 'POST', token });
  await served.ask(`/api/v1/tokens/${id}`, { method: 'DELETE', cookie: served.team.admin.cookie });
  await call('rain', token);

  await expect
    .poll(
      async () =>
        (await served.audited('limit=20')).map((entry) => `${entry.actor.name}: ${entry.action} ${entry.target ?? ''} ${entry.outcome}`),
      SOON,
    )
    .toEqual(
      expect.arrayContaining([
        'Ada Admin: tokens.made deploy done',
        'deploy (Ada Admin): extensions.edit rain/extension.js done',
        'deploy (Ada Admin): extensions.switch rain done',
        'Otto Operator: extensions.switch rain refused',
        'deploy (Ada Admin): extensions.restart absent failed',
        'Ada Admin: tokens.revoked deploy done',
        'deploy (Ada Admin): tokens.refused  refused',
      ]),
    );
  const [edit] = await served.audited(`actor=${encodeURIComponent('deploy (Ada Admin)')}&action=extensions.edit`);
  expect(edit).toMatchObject({
    actor: { kind: 'token', id },
    address: '127.0.0.1',
    detail: { before: expect.stringMatching(/^[\da-f]{64}$/), hash: expect.stringMatching(/^[\da-f]{64}$/) },
  });
  const everything = JSON.stringify(await served.audited('limit=200')) + served.living.log.join('\n');
  expect(everything).not.toContain('a secret text');
  expect(everything).not.toContain(token);
  expect(everything).not.toContain(served.team.admin.password);
});

test('the audit log has calls of destructive tools by any route, and writes of agents', async () => {
  const { token } = await served.makeToken({ name: 'agent' });
  const first = callSchema.parse(await (await call('burn', token)).json());
  await served.ask(`/api/v1/calls/${first.id}/replay`, { method: 'POST', cookie: served.team.operator.cookie });
  await served.rpc(token, 'tools/call', { name: 'burn' });
  await served.rpc(token, 'tools/call', {
    name: 'switchboard_write_file',
    arguments: { path: 'made/extension.js', text: oneTool('made', 'x'), expected_hash: null },
  });
  await expect
    .poll(
      async () =>
        (await served.audited('action=tools.call&limit=3')).map(({ actor, detail }) => [actor.kind, actor.name, detail['source']]),
      SOON,
    )
    .toEqual(
      // Each entry is written once its call has been read, so those of calls at the same time have any order.
      expect.arrayContaining([
        ['token', 'agent (Ada Admin)', 'mcp'],
        ['member', 'Otto Operator', 'api'],
        ['token', 'agent (Ada Admin)', 'api'],
      ]),
    );
  expect((await served.audited(`q=${first.id}`)).length).toBeGreaterThanOrEqual(2);
  const { cookie } = served.team.operator;
  await served.ask('/api/v1/channels/web/inject', { cookie, body: { text: '/burn', sender: 'somebody else' } });
  await expect
    .poll(() => served.audited('action=channels.inject'), SOON)
    .toMatchObject([{ actor: { name: 'Otto Operator' }, target: 'web', detail: { sender: 'somebody else' } }]);
  await served.ask('/api/v1/tools/burn/probe', { cookie, body: { runs: 2, destructive: true } });
  await expect
    .poll(() => served.audited('action=tools.probe'), SOON)
    .toMatchObject([{ actor: { name: 'Otto Operator' }, target: 'burn', outcome: 'done', detail: { runs: 2, destructive: true } }]);
  await expect
    .poll(() => served.audited('q=switchboard_write_file'), SOON)
    .toMatchObject([{ target: 'made/extension.js', action: 'extensions.edit', outcome: 'done' }]);
});

test('only admins can list and export the audit log, and an export is an entry too', async () => {
  for (const path of ['/api/v1/audit', '/api/v1/audit/export']) {
    expect((await served.ask(path)).status).toBe(401);
    expect((await served.ask(path, { cookie: served.team.author.cookie })).status).toBe(403);
  }
  const csv = await served.ask('/api/v1/audit/export?format=csv&action=tokens.made', { cookie: served.team.admin.cookie });
  expect([csv.headers.get('content-type'), csv.headers.get('content-disposition')]).toEqual([
    'text/csv; charset=utf-8',
    expect.stringMatching(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/),
  ]);
  const lines = (await csv.text()).trim().split('\r\n');
  expect(lines[0]).toMatch(/^id,at,actor_kind/);
  expect(lines.length).toBeGreaterThan(2);
  await expect.poll(() => served.audited('limit=1'), SOON).toMatchObject([{ action: 'audit.read', actor: { name: 'Ada Admin' } }]);
  const page = auditPageSchema.parse(await (await served.ask('/api/v1/audit?limit=2', { cookie: served.team.admin.cookie })).json());
  const next = await served.audited(`limit=2&cursor=${page.next_cursor}`);
  expect(next.some(({ id }) => page.entries.some((entry) => entry.id === id))).toBe(false);
});

test('the audit log has every administrative request that changes something, by the definition of its route', async () => {
  const { cookie } = served.team.admin;
  const routes = ROUTES.filter(
    ({ access, method, action }) => access === 'admin' && method !== 'GET' && !/^(?:members|tokens)\./.test(action),
  );
  expect(routes.length).toBeGreaterThan(10);
  // Two callers and a separate target each: frequent or equal failures would be counted in one entry.
  const { token } = await served.makeToken();
  const targets = routes.map(({ path }, at) => (path.includes(':') ? `tools/absent${at}` : null));
  for (const [at, { method, path, body }] of routes.entries()) {
    const takesBody = method !== 'DELETE' || body !== undefined;
    const address = path.replace(/:\w+/, encodeURIComponent(targets[at] ?? ''));
    await served.ask(address, {
      method,
      ...(at % 2 === 0 ? { cookie } : { token }),
      ...(takesBody ? { body: { unknown: true } } : {}),
    });
  }
  const required = { tool: 'rain', name: 'must pass', required: true, expectation: { status: 'succeeded' } };
  expect((await served.ask('/api/v1/saved-calls', { cookie, body: required })).status).toBe(200);
  await expect
    .poll(async () => {
      const written = (await served.audited('limit=200')).map(({ action, target }) => `${action} ${target}`);
      return routes.map(({ action }, at) => `${action} ${targets[at]}`).filter((one) => !written.includes(one));
    }, SOON)
    .toEqual([]);
  await expect
    .poll(() => served.audited('action=checks.require'), SOON)
    .toMatchObject([{ outcome: 'done', detail: { tool: 'rain', name: 'must pass' } }]);
});

test('the audit log counts repeated rejections in one entry', async () => {
  const before = (await served.audited('outcome=refused&action=extensions.reload&limit=200')).length;
  for (let time = 0; time < 20; time += 1)
    await served.ask('/api/v1/extensions/reload', { method: 'POST', cookie: served.team.viewer.cookie });
  const written = async (): Promise<number> => (await served.audited('outcome=refused&action=extensions.reload&limit=200')).length - before;
  await expect.poll(written, SOON).toBeGreaterThan(0);
  // The first one, and the others as one entry if a minute ends meanwhile.
  expect(await written()).toBeLessThanOrEqual(3);
});

async function hashOf(path: string): Promise<string> {
  const read = await served.living.host.sources.read(path);
  if (!read.ok) throw new Error(read.problem.detail);
  return read.value.hash;
}
