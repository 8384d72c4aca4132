import { FULL_SCOPE, jsonText, type McpEndpoint, type McpExchange } from '#lib/contract/mcp-exchange.ts';
import { afterEach, describe, expect, it } from 'vitest';
import type { Action } from '#lib/contract/actions.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import { createFakeHost, TEST_CONFIG } from '#lib/testing/fake-host.ts';
import { createMcpEndpoint } from './mcp-endpoint.ts';
import { METHOD_ACTIONS } from './method-actions.ts';
import { HEADERS, META, MODERN_VERSION } from './protocol.ts';

const opened: McpEndpoint[] = [];
afterEach(() => {
  for (const endpoint of opened.splice(0)) endpoint.close();
});

interface Asked {
  readonly actions: Action[];
  readonly answers: unknown[];
}

/** One message, from a caller with only the named permissions. */
async function ask(method: string, params: Record<string, unknown>, isModern: boolean, allowed: readonly Action[] = []): Promise<Asked> {
  const { host } = createFakeHost({ ...TEST_CONFIG, mcpAuthoring: true });
  const endpoint = createMcpEndpoint(host, '0.0.0');
  opened.push(endpoint);
  const actions: Action[] = [];
  const headers = new Map<string, string>(
    isModern
      ? [
          [HEADERS.protocolVersion, MODERN_VERSION],
          [HEADERS.method, method],
        ]
      : [],
  );
  if (isModern && typeof params['name'] === 'string') headers.set(HEADERS.name, params['name']);
  const exchange: McpExchange = {
    caller: { key: null, actor: null, member: undefined, tools: null, scope: FULL_SCOPE, may: () => true },
    audit: () => undefined,
    header: (name) => headers.get(name),
    async authorize(action) {
      actions.push(action);
      return allowed.includes(action) ? ok(null) : refuse('admin_token_invalid', 'not allowed', { extra: { action } });
    },
    onClose: () => undefined,
    isBehind: () => false,
    keepOpen: () => refuse('shutting_down', 'No streams here.'),
  };
  const meta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {} };
  const message = { jsonrpc: '2.0', id: 1, method, params: isModern ? { ...params, _meta: meta } : params };
  const answer = await endpoint.post(exchange, ok(message));
  return { actions, answers: [answer instanceof Response ? null : JSON.parse(jsonText(answer))] };
}

describe.each([
  ['with a handshake', false],
  ['stateless', true],
])('%s', (_, isModern) => {
  it.each(Object.entries(METHOD_ACTIONS))('%s requires %s, before its params are validated', async (method, action) => {
    const { actions, answers } = await ask(method, {}, isModern);
    expect(actions).toEqual([action]);
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32_000, message: 'not allowed', data: { code: 'admin_token_invalid', action } } },
    ]);
  });

  it('an unlisted method is unknown to every caller', async () => {
    const { actions, answers } = await ask('toString', {}, isModern);
    expect(actions).toEqual([]);
    expect(answers).toMatchObject([{ error: { code: -32_601 } }]);
  });

  it('a tool that writes extensions also requires the action to edit them', async () => {
    const params = { name: 'switchboard_write_file', arguments: { path: 'a/extension.js', text: '', expected_hash: null } };
    const { actions, answers } = await ask('tools/call', params, isModern, ['tools.call']);
    expect(actions).toEqual(['tools.call', 'extensions.edit']);
    expect(answers).toMatchObject([{ result: { isError: true } }]);
  });

  it('callers with permission get the error of the request', async () => {
    const { actions, answers } = await ask('tools/call', { name: 'absent' }, isModern, ['tools.call']);
    expect(actions).toEqual(['tools.call']);
    expect(answers).toMatchObject([{ error: { code: -32_602, message: expect.stringContaining('Unknown tool: absent') } }]);
  });
});
