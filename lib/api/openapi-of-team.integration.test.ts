import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import { oneTool } from '#lib/testing/living-host.ts';
import { type OpenApiClient, readOpenApi } from '#lib/testing/openapi-client.ts';
import { serveTeam, type TeamServer } from '#lib/testing/team-client.ts';

let served: TeamServer;
let client: OpenApiClient;
beforeAll(async () => {
  served = await serveTeam({ 'rain/extension.js': oneTool('rain', 'wet') });
  const { token } = await served.makeToken();
  client = await readOpenApi(served.url, { authorization: `Bearer ${token}` });
});
afterAll(() => served.close());

/** Operations that need no body; their id may be unknown. */
const EASILY_ASKED = /^(?:get|list|read|count|plan|stream|export)/;

describe('the OpenAPI document of a team server', () => {
  it('documents the authentication of each route', async () => {
    for (const id of client.operations.filter((one) => EASILY_ASKED.test(one))) {
      const answer = await client.ask(id, { path: 'none' });
      expect([id, answer.status]).not.toEqual([id, 500]);
    }
    expect(await client.ask('call.tool.rain', { body: {} })).toMatchObject({ status: 'succeeded' });
    expect(await client.ask('endOidc')).toMatchObject({ status: expect.any(Number) });
  });

  it('documents 401 and 403 for every route', async () => {
    const { token } = await served.makeToken({ role: 'viewer' });
    const viewer = { authorization: `Bearer ${token}` };
    const nobody = { authorization: '' };
    const open = new Set(['getHealth', 'getReadiness', 'getSession', 'signIn', 'beginOidc', 'endOidc', 'lookAtJoin', 'join', 'getMetrics']);
    for (const id of client.operations) {
      const refused = await client.ask(id, { path: 'none', headers: nobody });
      if (!open.has(id)) expect([id, refused]).toMatchObject([id, { status: 401, code: 'sign_in_needed' }]);
      await client.ask(id, { path: 'none', headers: viewer });
    }
    expect(await client.ask('reloadExtensions', { headers: viewer })).toMatchObject({ status: 403, code: 'not_allowed' });
    expect(await client.ask('call.tool.rain', { body: {}, headers: viewer })).toMatchObject({ status: 403 });
  });

  it('documents the rejection of wrong tokens, with Retry-After', async () => {
    const wrong = { authorization: 'Bearer swb_nothing' };
    for (let at = 0; at < LIMITS.tokenAttemptsPerMinute; at += 1)
      expect(await client.ask('listCalls', { headers: wrong })).toMatchObject({ status: 401 });
    for (const id of ['listCalls', 'getHealth', 'call.tool.rain', 'exportCalls'])
      expect(await client.ask(id, { path: 'none', headers: wrong })).toMatchObject({ status: 429, code: 'too_many_attempts' });
  });
});
