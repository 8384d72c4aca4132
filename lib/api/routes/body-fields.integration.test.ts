import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { fieldsOf } from '#lib/testing/body-fields.ts';
import { oneTool, startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';
import { invited, makeTeam, type Team, TEAM } from '#lib/testing/team.ts';
import { ROUTES } from '../routes.ts';

/** Writes each field of a body, and reads it again after a restart. */
let living: LivingHost;
let served: ServedHost;
let team: Team;

beforeAll(async () => {
  living = await startHost(
    { 'a/extension.ts': oneTool('a_tool', 'one'), 'broken/extension.ts': "throw new Error('broken');" },
    { team: TEAM },
  );
  served = await serveHost(living.host);
  team = await makeTeam(living.host);
});

afterAll(async () => {
  await served.close();
  await living.remove();
});

interface Written {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The request that reads it, and its value there if it differs from the body. */
  readonly read: string;
  readonly shown?: unknown;
}

/** Bodies of actions, and bodies stored in files or encrypted; other tests read these. */
const NOT_ROWS = new Set([
  'POST /api/v1/calls/:id/answer',
  'POST /api/v1/calls/:id/replay',
  'POST /mcp',
  'POST /mcp/:toolset',
  'POST /api/v1/session',
  'POST /api/v1/session/oidc',
  'POST /api/v1/join/look',
  'POST /api/v1/join',
  'POST /api/v1/profile/password',
  'POST /oauth/register',
  'POST /api/v1/oauth/consent',
  'POST /api/v1/extensions',
  'POST /api/v1/extensions/reload',
  'POST /api/v1/extensions/:id/undo',
  'POST /api/v1/extensions/:id/install',
  'POST /api/v1/extensions/:id/dependencies',
  'POST /api/v1/extensions/:id/conflicts/:conflict',
  'POST /api/v1/extensions/:id/rollback',
  'POST /api/v1/extensions/:id/pin',
  'POST /api/v1/extensions/:id/mcp/resources/read',
  'POST /api/v1/extensions/:id/mcp/prompts/get',
  'POST /api/v1/extensions/:id/mcp/complete',
  'POST /api/v1/servers/test',
  'POST /api/v1/servers/import',
  'PUT /api/v1/servers/:name',
  'PUT /api/v1/secrets/:name',
  'POST /api/v1/tools/:name/call',
  'POST /api/v1/tools/:name/probe',
  'POST /api/v1/saved-calls/:id/run',
  'POST /api/v1/failures/:id/presence',
  'POST /api/v1/failures/:id/merge',
  'POST /api/v1/failures/:id/split',
  'PUT /api/v1/sources/:path',
  'DELETE /api/v1/sources/:path',
  'POST /api/v1/conflicts/:id',
]);

async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${served.url}/api/v1${path}`, {
    method,
    headers: { cookie: team.admin.cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}

const idSchema = z.object({ id: z.string() });

/** By route. */
async function bodies(): Promise<Readonly<Record<string, Written>>> {
  const call = { tool: 'a_tool', arguments: { text: 'a' }, timeout_ms: 9_000, expectation: { status: 'succeeded' }, required: true };
  const savedId = async (name: string) => idSchema.parse(await ask('POST', '/saved-calls', { tool: 'a_tool', name })).id;
  const changed = await savedId('To change');
  const member = await invited(living.host, team.admin, 'operator', 'Mia Member');
  const { groups } = z.object({ groups: z.array(idSchema) }).parse(await ask('GET', '/failures?extension=broken'));
  const failure = `/failures/${groups[0]?.id}`;
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const commands = { enabled: false, tools: ['a_tool'] };
  const message = { text: 'Hello', recipient: 'Ada', metadata: { room: '1' } };
  const received = { text: 'Good morning', sender: 'Bob', metadata: { room: '2' } };
  const token = { name: 'Nightly', role: 'viewer', tools: ['a_tool'], toolset: 'a-set' };
  const toolset = { title: 'A set', instructions: 'Use it.', tools: [{ tool: 'a_tool', name: 'renamed' }], members: [member.id] };
  return {
    'PUT /api/v1/toolsets/:name': { path: '/toolsets/a-set', body: toolset, read: '/toolsets/a-set' },
    'POST /api/v1/saved-calls': {
      path: '/saved-calls',
      body: { ...call, name: 'New' },
      read: '/saved-calls?tool=a_tool',
      shown: { saved_calls: expect.arrayContaining([expect.objectContaining({ ...call, name: 'New' })]) },
    },
    'PATCH /api/v1/saved-calls/:id': {
      path: `/saved-calls/${changed}`,
      body: { name: 'Changed', arguments: { text: 'b' }, timeout_ms: 8_000, expectation: { status: 'failed' }, required: true },
      read: `/saved-calls/${changed}`,
    },
    'POST /api/v1/extensions/:id/keep-alive': {
      path: '/extensions/a/keep-alive',
      body: { keep: true },
      read: '/extensions/a',
      shown: { keep_alive: true },
    },
    'PATCH /api/v1/failures/:id': {
      path: failure,
      body: { status: 'ignored', assignee: team.operator.name, reason: 'Known', ignore_until: later },
      read: failure,
    },
    'POST /api/v1/failures/:id/comments': {
      path: `${failure}/comments`,
      body: { text: 'It is the network.' },
      read: failure,
      shown: { comments: [{ text: 'It is the network.' }] },
    },
    'POST /api/v1/channels/:name/send': {
      path: '/channels/web/send',
      body: message,
      read: '/channels/web/messages',
      shown: { messages: expect.arrayContaining([expect.objectContaining(message)]) },
    },
    'POST /api/v1/channels/:name/inject': {
      path: '/channels/web/inject',
      body: received,
      read: '/channels/web/messages',
      // In the web channel the sender is the member.
      shown: { messages: expect.arrayContaining([expect.objectContaining({ text: received.text, metadata: received.metadata })]) },
    },
    'PATCH /api/v1/channels/:name': { path: '/channels/web', body: { commands }, read: '/channels/web' },
    'POST /api/v1/tokens': {
      path: '/tokens',
      body: { ...token, expires_in_days: 3 },
      read: '/tokens',
      shown: { tokens: [token] },
    },
    'PATCH /api/v1/members/:id': {
      path: `/members/${member.id}`,
      body: { role: 'viewer', active: false },
      read: '/members',
      shown: { members: expect.arrayContaining([expect.objectContaining({ id: member.id, role: 'viewer', active: false })]) },
    },
    'PATCH /api/v1/profile': {
      path: '/profile',
      body: { name: 'Ada Renamed' },
      read: '/session',
      shown: { person: { name: 'Ada Renamed' } },
    },
    'POST /api/v1/invitations': {
      path: '/invitations',
      body: { email: 'new@example.com', role: 'author' },
      read: '/invitations',
      shown: { invitations: expect.arrayContaining([expect.objectContaining({ email: 'new@example.com', role: 'author' })]) },
    },
  };
}

it('stores each field of a body', async () => {
  const written = await bodies();
  const withBody = ROUTES.filter(({ body }) => body !== undefined);
  const missing = withBody
    .map(({ method, path }) => `${method} ${path}`)
    .filter((key) => !NOT_ROWS.has(key) && !Object.hasOwn(written, key));
  expect(missing, 'write their fields here, or say that they are not stored as rows').toEqual([]);
  for (const { method, path, body } of withBody) {
    const sample = written[`${method} ${path}`];
    if (body !== undefined && sample !== undefined)
      expect(Object.keys(sample.body).toSorted(), `${method} ${path}`).toEqual(fieldsOf(body));
  }
  for (const [key, { path, body }] of Object.entries(written)) await ask(key.split(' ', 1)[0] ?? '', path, body);
  await served.close();
  living = await living.restart();
  served = await serveHost(living.host);
  for (const [key, { read, body, shown = body }] of Object.entries(written))
    await vi.waitFor(async () => expect(await ask('GET', read), key).toMatchObject(Object(shown)));
});
