import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { callSchema } from '#lib/contract/call.ts';
import { tokenListSchema } from '#lib/contract/token.ts';
import { oneTool } from '#lib/testing/living-host.ts';
import { invited } from '#lib/testing/team.ts';
import { type Asked, INITIALIZE, serveTeam, type TeamServer } from '#lib/testing/team-client.ts';
import { callCommand } from '../../../bin/commands/call.ts';
import { runCommand } from '../../../bin/commands/command-for-tests.ts';
import { OFFICIAL_CLIENTS } from '#lib/mcp/clients-for-tests.ts';

/** Permissions of scripts and agents with tokens, on a real team server with two tools. */
let served: TeamServer;
const SOON = { timeout: 20_000 };

beforeAll(async () => {
  served = await serveTeam({
    'rain/extension.js': `export const INSTRUCTIONS = 'Ask rain first.';\n${oneTool('rain', 'wet')}`,
    'burn/extension.js': oneTool('burn', 'ash').replace("name: 'burn',", "name: 'burn',\n  annotations: { destructiveHint: true },"),
  });
});
afterAll(() => served.close());

function call(tool: string, token: string, more: Asked = {}): Promise<Response> {
  return served.ask(`/api/v1/tools/${tool}/call`, { token, body: { arguments: {} }, ...more });
}

describe('a token', () => {
  test('is shown once, calls under its own name for any client, and records its use', async () => {
    const { token, id, prefix } = await served.makeToken();
    expect(token).toMatch(/^swb_[0-9A-Za-z]{46}$/);
    const answer = await call('rain', token, { headers: { 'x-actor': 'Somebody Else' } });
    expect(callSchema.parse(await answer.json())).toMatchObject({ status: 'succeeded', actor: 'nightly (Ada Admin)', source: 'api' });
    const read = async () => (await served.ask('/api/v1/tokens', { cookie: served.team.admin.cookie })).text();
    const listed = (list: string) => tokenListSchema.parse(JSON.parse(list)).tokens.find((one) => one.id === id);
    const list = await read();
    expect(list).not.toContain(token);
    expect(listed(list)).toMatchObject({ prefix, state: 'active', effective_role: 'admin', owner: { name: 'Ada Admin' } });
    // Stored asynchronously; the call does not wait for it.
    await vi.waitUntil(async () => listed(await read())?.last_used_at != null);
  });

  test('can only be created by admins', async () => {
    for (const { cookie, role } of [served.team.viewer, served.team.operator, served.team.author]) {
      const answer = await served.ask('/api/v1/tokens', { cookie, body: { name: 'x', role: 'viewer' } });
      expect([role, answer.status, await answer.json()]).toMatchObject([role, 403, { code: 'not_allowed', action: 'tokens.manage' }]);
    }
    const { token } = await served.makeToken();
    const answer = await served.ask('/api/v1/tokens', { token, body: { name: 'x', role: 'viewer' } });
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'not_allowed' }]);
  });

  test.each([
    ['/api/v1/extensions', undefined],
    ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
  ])('is required by %s, in the header and nowhere else', async (path, body) => {
    const { token } = await served.makeToken();
    const with_ = body === undefined ? {} : { body };
    const without = await served.ask(path, with_);
    const challenge = (answer: Response) =>
      answer.headers.get('www-authenticate')?.replace(/resource_metadata="[^"]*", |, scope="[^"]*"/g, '');
    expect([without.status, challenge(without)]).toEqual([401, 'Bearer realm="switchboard"']);
    for (const name of ['token', 'access_token', 'authorization'])
      expect((await served.ask(`${path}?${name}=${token}`, with_)).status).toBe(401);
    const wrong = await served.ask(path, { ...with_, token: `${token}0` });
    expect([wrong.status, challenge(wrong)]).toEqual([401, 'Bearer realm="switchboard", error="invalid_token"']);
    expect(await wrong.json()).toMatchObject({ code: 'sign_in_needed', token: 'unknown' });
    expect((await served.ask(path, { ...with_, token, headers: { accept: '*/*' } })).status).toBe(200);
  });

  test('that was stolen is invalid once revoked, and its open streams end', async () => {
    const { token, id } = await served.makeToken();
    const stream = await served.ask('/api/v1/events', { token });
    const agents = await served.rpc(token, 'initialize', INITIALIZE);
    const session = agents.headers.get('mcp-session-id') ?? '';
    const listening = await served.ask('/mcp', { token, headers: { accept: 'text/event-stream', 'mcp-session-id': session } });
    expect([stream.status, agents.status, listening.status]).toEqual([200, 200, 200]);
    const ended = Promise.all([stream.text(), listening.text()]);
    expect((await served.ask(`/api/v1/tokens/${id}`, { method: 'DELETE', cookie: served.team.admin.cookie })).status).toBe(200);
    await ended;
    const answer = await call('rain', token);
    expect([answer.status, await answer.json()]).toMatchObject([401, { token: 'revoked' }]);
    expect((await served.rpc(token, 'ping', {}, { 'mcp-session-id': session })).status).toBe(401);
    expect((await served.ask('/api/v1/events', { token })).status).toBe(401);
  });

  test('never has more permissions than its owner, also right after a role change', async () => {
    const eve = await invited(served.living.host, served.team.admin, 'admin', 'Eve Owner');
    const { token } = await served.makeToken({ role: 'author' }, eve.cookie);
    const reload = (): Promise<Response> => served.ask('/api/v1/extensions/reload', { token, method: 'POST' });
    expect((await reload()).status).toBe(200);
    const stream = await served.ask('/api/v1/events', { token });
    const change = (body: unknown): Promise<Response> =>
      served.ask(`/api/v1/members/${eve.id}`, { method: 'PATCH', cookie: served.team.admin.cookie, body });
    expect((await change({ role: 'viewer' })).status).toBe(200);
    await stream.text();
    expect(await (await reload()).json()).toMatchObject({
      status: 403,
      missing: expect.stringContaining('the token "nightly" has viewer'),
    });
    expect((await call('rain', token)).status).toBe(403);
    expect((await change({ active: false })).status).toBe(200);
    expect(await (await served.ask('/api/v1/extensions', { token })).json()).toMatchObject({ status: 401, token: 'owner_inactive' });
  });

  test('can make 50 calls a second, and then gets the time to wait', async () => {
    const { token } = await served.makeToken();
    // Of any duration.
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now);
    const answers = await Promise.all(Array.from({ length: 300 }, () => call('absent', token)));
    vi.mocked(performance.now).mockRestore();
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect(await refused[0]?.json()).toMatchObject({ code: 'too_many_requests', detail: expect.stringContaining('this token may send') });
    expect((await call('absent', (await served.makeToken()).token)).status).toBe(404);
  });

  test('has at most 20 event streams', async () => {
    const { token } = await served.makeToken();
    const over = new AbortController();
    const open = (): Promise<Response> => served.ask('/api/v1/events', { token, signal: over.signal });
    const first = await Promise.all(Array.from({ length: 20 }, open));
    expect(first.every(({ status }) => status === 200)).toBe(true);
    const more = await open();
    expect([more.status, more.headers.get('retry-after'), await more.json()]).toMatchObject([429, '15', { code: 'too_many_own_streams' }]);
    over.abort();
  });
});

test('a read-only token gets resources, but no tools', async () => {
  const { token } = await served.makeToken({ role: 'viewer' });
  const begun = await (await served.rpc(token, 'initialize', INITIALIZE)).json();
  expect(begun).toMatchObject({ result: { capabilities: { resources: {}, prompts: {} } } });
  expect(JSON.stringify(begun)).not.toContain('Ask rain first.');
  expect(await (await served.rpc(token, 'tools/list')).json()).toMatchObject({ result: { tools: [] } });
  expect((await served.rpc(token, 'resources/list')).status).toBe(200);
  expect((await served.rpc(token, 'tools/call', { name: 'rain' })).status).toBe(403);
});

describe('a token for a toolset', () => {
  test('works at the address of the toolset, and nowhere else', async () => {
    const entry = { tool: 'rain', name: 'wet', fixed_arguments: { text: 'fixed' } };
    await served.living.host.toolsets.put('rainy', { title: '', instructions: '', tools: [entry] }, { name: null });
    const { token } = await served.makeToken({ toolset: 'rainy' });
    const rpc = async (path: string, method: string, params: object = {}) => {
      const answer = await served.ask(path, {
        token,
        body: { jsonrpc: '2.0', id: 1, method, params },
        headers: { accept: 'application/json, text/event-stream' },
      });
      return { status: answer.status, body: await answer.json() };
    };
    expect(await rpc('/mcp/rainy', 'tools/list')).toMatchObject({ status: 200, body: { result: { tools: [{ name: 'wet' }] } } });
    expect(await rpc('/mcp/rainy', 'tools/call', { name: 'wet' })).toMatchObject({
      body: { result: { structuredContent: { answer: 'wet', text: 'fixed' } } },
    });
    await served.living.host.toolsets.put('all', { title: '', instructions: '', tools: [{ tool: 'burn' }] }, { name: null });
    for (const path of ['/mcp', '/mcp/all', '/mcp/rainy/../all']) expect((await rpc(path, 'tools/list')).status).toBe(403);
    for (const path of ['/api/v1/tools', '/api/v1/calls', '/api/v1/toolsets', '/metrics', '/'])
      expect((await served.ask(path, { token })).status).toBe(403);
    expect((await call('rain', token)).status).toBe(403);
    await served.living.host.toolsets.remove('rainy', { name: null });
    expect((await rpc('/mcp/rainy', 'tools/list')).status).toBe(404);
  });
});

describe('a token for some tools', () => {
  test('calls these, by the API and as an agent, and sees no others', async () => {
    const { token } = await served.makeToken({ tools: ['rain'] });
    expect((await call('rain', token)).status).toBe(200);
    const tools = await (await served.ask('/api/v1/tools', { token })).json();
    expect(tools).toMatchObject({ tools: [{ name: 'rain' }] });
    const document = await (await served.ask('/api/v1/openapi.json', { token })).text();
    expect([document.includes('/api/v1/tools/rain/call'), document.includes('burn')]).toEqual([true, false]);

    const begun = await (await served.rpc(token, 'initialize', INITIALIZE)).json();
    expect(begun).toMatchObject({ result: { instructions: expect.stringContaining('Ask rain first.'), capabilities: { tools: {} } } });
    expect(JSON.stringify(begun)).not.toMatch(/resources|prompts|switchboard_write_file|You can write/);
    expect(await (await served.rpc(token, 'tools/list')).json()).toMatchObject({ result: { tools: [{ name: 'rain' }] } });
    expect(await (await served.rpc(token, 'tools/call', { name: 'rain' })).json()).toMatchObject({
      result: { structuredContent: { answer: 'wet' } },
    });
  });

  test('cannot bypass its list of tools', async () => {
    const { token } = await served.makeToken({ tools: ['rain'] });
    const { token: any } = await served.makeToken();
    const burnt = callSchema.parse(await (await call('burn', any)).json());
    const saved = await (await served.ask('/api/v1/saved-calls', { token: any, body: { tool: 'burn', name: 'again' } })).json();
    expect(saved).toMatchObject({ tool: 'burn' });
    const before = await served.living.host.calls.list({ tool: 'burn', limit: 200 });

    const tried = await Promise.all([
      call('burn', token),
      served.ask('/api/v1/tools/burn', { token }),
      served.ask('/api/v1/tools/burn/probe', { token, body: { destructive: true } }),
      served.ask(`/api/v1/calls/${burnt.id}/replay`, { token, method: 'POST' }),
      served.ask(`/api/v1/calls/${burnt.id}`, { token }),
      served.ask('/api/v1/calls', { token }),
      served.ask('/api/v1/calls/export', { token }),
      served.ask(`/api/v1/saved-calls/${String(Reflect.get(Object(saved), 'id'))}/run`, { token, method: 'POST' }),
      served.ask('/api/v1/saved-calls', { token, body: { tool: 'burn', name: 'mine' } }),
      served.ask('/api/v1/channels/web/inject', { token, body: { text: '/burn', sender: 'x' } }),
      served.ask('/api/v1/channels/web/messages', { token }),
      served.ask('/api/v1/sources/rain%2Fextension.js', { token }),
      served.ask('/api/v1/extensions', { token }),
      served.ask('/api/v1/audit', { token }),
      served.rpc(token, 'tools/call', { name: 'burn' }),
      served.rpc(token, 'tools/call', {
        name: 'switchboard_write_file',
        arguments: { path: 'x/extension.js', text: '', expected_hash: null },
      }),
      served.rpc(token, 'resources/list'),
      served.rpc(token, 'resources/read', { uri: 'switchboard://extensions/burn/status' }),
      served.rpc(token, 'prompts/list'),
    ]);
    expect(tried.map(({ status }) => status)).toEqual(tried.map(() => 403));
    expect(await served.living.host.calls.list({ tool: 'burn', limit: 200 })).toEqual(before);
  });

  test('receives events of its tools only', async () => {
    const { token } = await served.makeToken({ tools: ['rain'] });
    const over = new AbortController();
    const stream = await served.ask('/api/v1/events', { token, signal: over.signal });
    await served.living.call('burn');
    await served.living.reload();
    const { id } = await served.living.call('rain');
    let text = '';
    // Events of earlier calls may arrive first.
    const own = (): readonly string[] => text.split('\n\n').filter((event) => event.includes(id));
    for await (const piece of stream.body ?? []) {
      text += Buffer.from(piece).toString();
      if (own().some((event) => event.includes('call.finished'))) break;
    }
    over.abort();
    expect(own().map((event) => /^event: (.+)$/m.exec(event)?.[1])).toEqual(['call.started', 'call.finished']);
    expect(new Set([...text.matchAll(/^event: (.+)$/gm)].map(([, type]) => type))).toEqual(new Set(['call.started', 'call.finished']));
    expect(text).not.toContain('burn');
  });
});

test('an agent with a token for some tools is notified only when these change', async () => {
  const over = new AbortController();
  const listen = async (token: string): Promise<() => number> => {
    const session = (await served.rpc(token, 'initialize', INITIALIZE)).headers.get('mcp-session-id') ?? '';
    const headers = { accept: 'text/event-stream', 'mcp-session-id': session };
    const stream = await served.ask('/mcp', { token, headers, signal: over.signal });
    let text = '';
    const read = async (): Promise<void> => {
      for await (const piece of stream.body ?? []) text += Buffer.from(piece).toString();
    };
    read().catch(() => undefined);
    return () => text.split('tools/list_changed').length - 1;
  };
  const some = await listen((await served.makeToken({ tools: ['rain', 'hail'] })).token);
  const any = await listen((await served.makeToken()).token);
  await served.living.save({ 'fog/extension.js': oneTool('fog', 'thick') });
  await expect.poll(any, SOON).toBeGreaterThan(0);
  expect(some()).toBe(0);
  await served.living.save({ 'hail/extension.js': oneTool('hail', 'hard') });
  await expect.poll(some, SOON).toBe(1);
  over.abort();
});

test('the command line sends a token to a named server, and reports a missing one', async () => {
  const { token } = await served.makeToken({ name: 'ci', role: 'operator' });
  const env = { SWITCHBOARD_TOKEN: token };
  const run = (change: Readonly<Record<string, string>>) =>
    runCommand(callCommand, ['rain', '--json', '--url', served.url], { env: change });
  const ran = await run(env);
  expect(callSchema.parse(JSON.parse(ran.stdout))).toMatchObject({ source: 'cli', actor: 'ci (Ada Admin)' });
  const without = await run({});
  expect([without.code, without.stderr]).toEqual([3, expect.stringContaining('Set SWITCHBOARD_TOKEN')]);
});

test('a session of an agent is invalid for another token', async () => {
  const [one, other] = [await served.makeToken({ name: 'one' }), await served.makeToken({ name: 'other' })];
  const session = (await served.rpc(one.token, 'initialize', INITIALIZE)).headers.get('mcp-session-id') ?? '';
  expect((await served.rpc(one.token, 'ping', {}, { 'mcp-session-id': session })).status).toBe(200);
  expect((await served.rpc(other.token, 'ping', {}, { 'mcp-session-id': session })).status).toBe(404);
  expect((await served.ask('/mcp', { method: 'DELETE', token: other.token, headers: { 'mcp-session-id': session } })).status).toBe(404);
  expect((await served.rpc(one.token, 'ping', {}, { 'mcp-session-id': session })).status).toBe(200);
});

test('a repeated request is recognized only for the same sender', async () => {
  const [one, other] = [await served.makeToken({ name: 'one' }), await served.makeToken({ name: 'other' })];
  const headers = { 'idempotency-key': 'the-same' };
  const ids = [];
  for (const { token } of [one, other, one]) ids.push(callSchema.parse(await (await call('rain', token, { headers })).json()).id);
  expect([ids[0] === ids[2], ids[0] === ids[1]]).toEqual([true, false]);
});

test.each(OFFICIAL_CLIENTS.map((client) => [client.title, client] as const))(
  '%s connects with a token, and gets an error without',
  async (_, official) => {
    const url = `${served.url}/mcp`;
    await expect(official.connect(url)).rejects.toThrow(/401|unauthorized/i);
    const { token } = await served.makeToken({ name: 'official', tools: ['rain'] });
    const client = await official.connect(url, {}, { authorization: `Bearer ${token}` });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['rain']);
    expect(await client.callTool('rain')).toMatchObject({ structuredContent: { answer: 'wet' } });
    await expect(client.callTool('burn')).rejects.toThrow(/limited to other tools/);
    await client.close();
  },
);
