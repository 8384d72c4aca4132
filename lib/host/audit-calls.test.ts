import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import type { AuditedEvent } from '#lib/accounts/audit-meter.ts';
import type { Call } from '#lib/contract/call.ts';
import type { EventType, HostEvent } from '#lib/contract/events.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Token } from '#lib/contract/token.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { auditCalls } from './audit-calls.ts';
import { runningCallRecord } from '#lib/testing/api-records.ts';

const call = runningCallRecord({
  tool: 'burn',
  extension: 'burn',
  source: 'api',
  arguments: { secret: 'never written' },
  started_at: '2030-01-01T00:00:00.000Z',
});

function tool(name: string, annotations: Tool['annotations']): Tool {
  const nothing = { label: name, extension: name, revision: 1, description: '', parameters: {}, output_schema: null, timeout_ms: null };
  return { ...nothing, name, annotations, examples: [], available: true, unavailable_reason: null, warnings: [] };
}

const tools = [
  tool('burn', { destructiveHint: true }),
  tool('post', { openWorldHint: true }),
  tool('look', { readOnlyHint: true, openWorldHint: true }),
  tool('rain', {}),
];

const never = { last_seen: null, joined_at: '2030-01-01T00:00:00.000Z' };
const token: Token = {
  id: 't1',
  name: 'nightly',
  client: null,
  prefix: 'swb_abcdef…',
  owner: { id: 'm1', name: 'Anna' },
  role: 'operator',
  effective_role: 'operator',
  tools: null,
  toolset: null,
  state: 'active',
  created_at: '2030-01-01T00:00:00.000Z',
  expires_at: '2030-04-01T00:00:00.000Z',
  last_used_at: null,
  revoked_at: null,
};

let begun: Call;
let audited: AuditedEvent[];
let announce: (event: HostEvent) => void;
let types: readonly EventType[] | undefined;

beforeEach(() => {
  audited = [];
  auditCalls({
    events: {
      subscribeOwn(listener, wanted) {
        announce = listener;
        types = wanted;
        return () => undefined;
      },
    },
    tool(name) {
      const found = tools.find((one) => one.name === name);
      return found === undefined ? refuse('tool_not_found', 'None.') : ok(found);
    },
    call: async () => ok(begun),
    accounts: {
      audit: { record: (event) => audited.push(event) },
      members: {
        list: async () => ({
          members: [{ id: 'm1', name: 'Anna', initials: 'A', role: 'admin', active: true, ...never, sign_in: 'password' }],
        }),
      },
      tokens: { list: async () => ({ tokens: [token] }) },
    },
    onError(error) {
      throw error;
    },
  });
});

async function begin(change: Partial<Call>): Promise<void> {
  begun = { ...call, ...change };
  announce({ id: 1, type: 'call.started', data: { snapshot_version: 1, call_id: begun.id, tool: begun.tool } });
  await setImmediate();
}

it('subscribes only to the start of calls', () => {
  expect(types).toEqual(['call.started']);
});

it.each([
  ['burn', 1],
  ['post', 1],
  ['look', 0],
  ['rain', 0],
  ['gone', 0],
])('of %s writes %i', async (name, count) => {
  await begin({ tool: name });
  expect(audited).toHaveLength(count);
});

it.each([
  [
    { source: 'api', actor: 'Anna' },
    { kind: 'member', id: 'm1', name: 'Anna' },
  ],
  [
    { source: 'mcp', actor: 'nightly (Anna)' },
    { kind: 'token', id: 't1', name: 'nightly (Anna)' },
  ],
  [
    { source: 'channel', actor: 'telegram:@Anna' },
    { kind: 'channel', id: null, name: 'telegram:@Anna' },
  ],
  [
    { source: 'channel', actor: 'Anna' },
    { kind: 'channel', id: null, name: 'Anna' },
  ],
  [
    { source: 'api', actor: null },
    { kind: 'server', id: null, name: 'nobody' },
  ],
] as const)('says of %j whose it is', async (change, actor) => {
  await begin(change);
  expect(audited).toMatchObject([
    { actor, action: 'tools.call', target: 'burn', outcome: 'done', detail: { call_id: 'c1', source: change.source } },
  ]);
});

it('records the replayed call, without arguments', async () => {
  await begin({ replay_of: 'c0' });
  expect(audited[0]?.detail).toEqual({ call_id: 'c1', source: 'api', replay_of: 'c0' });
});
