import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { callSchema } from '#lib/contract/call.ts';
import { failureGroupDetailSchema, groupPageSchema, presenceSchema } from '#lib/contract/failure-group.ts';
import { problemDocumentSchema } from '#lib/contract/problems.ts';
import { must, oneTool, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';
import { invited, makeTeam, type Team, TEAM, type Teammate } from '#lib/testing/team.ts';

/** Failure review with accounts, by real requests; one team, and one failure per test. */
let living: LivingHost;
let served: ServedHost;
let team: Team;

beforeAll(async () => {
  living = await startHost({ 'fine/extension.ts': oneTool('a_tool', 'one') }, { team: TEAM });
  served = await serveHost(living.host);
  team = await makeTeam(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
});

function send(
  who: Teammate | null,
  method: string,
  path: string,
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${served.url}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(who === null ? {} : { cookie: who.cookie }), ...more },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
const group = async (response: Promise<Response>) => failureGroupDetailSchema.parse(await (await response).json());
const refused = async (response: Promise<Response>) => problemDocumentSchema.parse(await (await response).json());
const page = async (who: Teammate, query: string) => groupPageSchema.parse(await (await send(who, 'GET', `/failures?${query}`)).json());
const present = async (response: Promise<Response>) =>
  presenceSchema.parse(await (await response).json()).people.map(({ name, doing }) => `${name} ${doing}`);

async function breaks(extension: string): Promise<string> {
  await living.save({ [`${extension}/extension.ts`]: `throw new Error('${extension} is broken');\n` });
  return vi.waitFor(
    async () => {
      const [found] = (await page(team.viewer, `extension=${extension}`)).groups;
      if (found === undefined) throw new Error('It has not failed yet.');
      return found.id;
    },
    { timeout: 15_000, interval: 20 },
  );
}

it('assigns a failure only to members, with their spelling, and shows when one can no longer sign in', async () => {
  const id = await breaks('given');
  const { operator, viewer, admin } = team;
  const assign = (assignee: string | null) => send(operator, 'PATCH', `/failures/${id}`, { assignee });
  const given = await group(assign(viewer.name.toUpperCase()));
  expect(given).toMatchObject({ assignee: viewer.name, assignee_member: { id: viewer.id, active: true } });
  expect(given.activity.at(-1)).toMatchObject({ kind: 'assigned', actor: operator.name, to: viewer.name });
  const nobody = await refused(assign('Somebody else'));
  expect(nobody).toMatchObject({ status: 422, code: 'body_fields_invalid' });
  expect(nobody.detail).toContain(operator.name);
  expect((await page(viewer, `assignee=${encodeURIComponent(viewer.name)}`)).groups.map((each) => each.id)).toEqual([id]);

  const leaver = await invited(living.host, admin, 'operator', 'Lea Leaver');
  await assign(leaver.name);
  expect((await send(admin, 'PATCH', `/members/${leaver.id}`, { active: false })).status).toBe(200);
  expect(await group(send(viewer, 'GET', `/failures/${id}`))).toMatchObject({ assignee: leaver.name, assignee_member: { active: false } });
  expect((await refused(assign(leaver.name))).detail).toContain('is inactive');
  expect((await refused(send(viewer, 'PATCH', `/failures/${id}`, { assignee: viewer.name }))).code).toBe('not_allowed');
  expect(await group(assign(null))).toMatchObject({ assignee: null });
});

it('shows the new name of a renamed member, and old names in the history', async () => {
  const id = await breaks('renamed');
  const before = team.author.name;
  await send(team.author, 'PATCH', `/failures/${id}`, { assignee: before });
  expect((await send(team.author, 'PATCH', '/profile', { name: 'Anna Renamed' })).status).toBe(200);
  const found = await group(send(team.author, 'GET', `/failures/${id}`));
  expect(found.assignee).toBe('Anna Renamed');
  expect(found.activity.at(-1)).toMatchObject({ actor: before, to: before });
  expect((await page(team.viewer, 'assignee=anna%20renamed')).groups.map((each) => each.id)).toEqual([id]);
});

it('stores mentions of a comment, and shows those members how many failures mention them', async () => {
  const id = await breaks('mentioned');
  const { operator, viewer } = team;
  const text = `@${viewer.name}, look; not \`@${operator.name}\`, not @Nobody`;
  const commented = await group(send(operator, 'POST', `/failures/${id}/comments`, { text }, { 'x-actor': 'Somebody else' }));
  expect(commented.comments).toMatchObject([{ actor: operator.name, mentions: [{ id: viewer.id, name: viewer.name }] }]);
  expect(commented.activity.at(-1)).toMatchObject({ kind: 'mentioned', actor: operator.name, names: [viewer.name] });
  const mine = await page(viewer, 'mentions=me');
  expect(mine.groups.map((each) => each.id)).toEqual([id]);
  expect([mine.counts.needs_you, (await page(operator, 'limit=1')).counts.needs_you]).toEqual([1, 0]);
  expect((await page(operator, `mentions=${viewer.id}`)).groups).toHaveLength(1);
  await send(operator, 'PATCH', `/failures/${id}`, { status: 'resolved' });
  expect((await page(viewer, 'mentions=me')).counts.needs_you).toBe(0);
  expect((await refused(send(viewer, 'POST', `/failures/${id}/comments`, { text: 'me too' }))).code).toBe('not_allowed');
});

it('shows other viewers of a failure until they leave or sign out, and never a token', async () => {
  const id = await breaks('watched');
  const { operator, viewer, admin } = team;
  const heard: string[] = [];
  living.host.events.subscribe(({ data }) => heard.push(String(data.group_id)), ['failure.presence']);
  const note = (who: Teammate, doing: string, group = id) =>
    send(who, 'POST', `/failures/${group}/presence`, { page: `page-of-${who.role}`, doing });
  expect(await present(note(operator, 'looking'))).toEqual([]);
  expect(await present(note(viewer, 'looking'))).toEqual([`${operator.name} looking`]);
  expect(await present(note(operator, 'writing'))).toEqual([`${viewer.name} looking`]);
  expect(await present(note(viewer, 'looking'))).toEqual([`${operator.name} writing`]);
  await note(operator, 'gone');
  expect(await present(note(viewer, 'looking'))).toEqual([]);
  await vi.waitFor(() => expect(heard).toEqual([id, id, id, id]));

  const visitor = await invited(living.host, admin, 'viewer', 'Vic Visitor');
  await note(visitor, 'looking');
  expect(await present(note(viewer, 'looking'))).toEqual([`${visitor.name} looking`]);
  expect((await send(visitor, 'DELETE', '/session')).status).toBe(200);
  expect(await present(note(viewer, 'looking'))).toEqual([]);

  const made: unknown = await (await send(admin, 'POST', '/tokens', { name: 'nightly', role: 'admin' })).json();
  const token = String(Object(made).token);
  const authorization = { authorization: `Bearer ${token}` };
  expect(
    (await refused(send(null, 'POST', `/failures/${id}/presence`, { page: 'page-of-token', doing: 'looking' }, authorization))).code,
  ).toBe('not_allowed');
  expect((await refused(note(viewer, 'looking', 'none'))).code).toBe('failure_not_found');
  expect((await refused(note(viewer, 'dancing'))).code).toBe('body_fields_invalid');
});

it('stores the account, and no other name, in calls, channels and snapshots', async () => {
  const { operator, author } = team;
  const other = { 'x-actor': 'Somebody else' };
  const call = callSchema.parse(await (await send(operator, 'POST', '/tools/a_tool/call', { arguments: {} }, other)).json());
  expect(call.actor).toBe(operator.name);
  const replayed = callSchema.parse(await (await send(operator, 'POST', `/calls/${call.id}/replay`, {}, other)).json());
  expect(replayed.actor).toBe(operator.name);
  await living.save({ 'later/extension.ts': oneTool('later_tool', 'two') });
  await send(author, 'POST', '/extensions/fine/disable', undefined, other);
  const [snapshot] = must(await living.host.snapshots.list({ limit: 1 })).snapshots;
  expect(snapshot?.cause).toMatchObject({ actor: 'Anna Renamed' });
});

it('has no members to mention and no viewers without accounts', async () => {
  const alone = await startHost({ 'a/extension.ts': `throw new Error('alone');\n` });
  const server = await serveHost(alone.host);
  const [found] = must(await alone.host.failures.list({ limit: 1 })).groups;
  const id = found?.id ?? '';
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-actor': 'Ben' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const commented = await group(ask('POST', `/failures/${id}/comments`, { text: '@Ben' }));
  expect(commented.comments[0]).toEqual(expect.not.objectContaining({ mentions: expect.anything() }));
  expect((await group(ask('PATCH', `/failures/${id}`, { assignee: 'Anybody' }))).assignee).toBe('Anybody');
  expect((await refused(ask('GET', '/failures?mentions=me'))).code).toBe('query_invalid');
  expect((await refused(ask('POST', `/failures/${id}/presence`, { page: 'page-one', doing: 'looking' }))).code).toBe('not_found');
  expect(groupPageSchema.parse(await (await ask('GET', '/failures')).json()).counts).not.toHaveProperty('needs_you');
  await server.close();
  await alone.remove();
});
