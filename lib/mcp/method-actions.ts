import type { Action } from '#lib/contract/actions.ts';
import type { McpHeaders } from '#lib/contract/mcp-exchange.ts';
import { PROBLEMS } from '#lib/contract/problems.ts';
import { type Params, type Refusal, RPC } from './protocol.ts';

/** Methods of both generations and their actions for authorization. Other methods are unknown to everyone. */
export const METHOD_ACTIONS = {
  initialize: 'mcp.connect',
  ping: 'mcp.connect',
  'server/discover': 'mcp.connect',
  'logging/setLevel': 'mcp.connect',
  'tools/list': 'tools.read',
  'tools/call': 'tools.call',
  'tasks/get': 'mcp.connect',
  'tasks/result': 'mcp.connect',
  'tasks/list': 'mcp.connect',
  'tasks/cancel': 'mcp.connect',
  'resources/list': 'resources.read',
  'resources/templates/list': 'resources.read',
  'resources/read': 'resources.read',
  'resources/subscribe': 'resources.read',
  'resources/unsubscribe': 'resources.read',
  'prompts/list': 'saved_calls.read',
  'prompts/get': 'saved_calls.read',
  'completion/complete': 'servers.use',
  'subscriptions/listen': 'events.read',
} as const satisfies Readonly<Record<string, Action>>;

export type McpMethod = keyof typeof METHOD_ACTIONS;

/**
 * Null if permitted. Permissions may depend on the tool, so its name is checked too. The SDK rejects unknown methods.
 * @param toolOf the name on this server of a called tool; null if the message calls none and only reads
 */
export async function refusalOf(
  method: string,
  params: Params,
  headers: Pick<McpHeaders, 'authorize'>,
  toolOf: (params: Params) => string | null = nameOf,
): Promise<Refusal | null> {
  if (!isMethod(method)) return null;
  const tool = method === 'tools/call' ? toolOf(params) : null;
  const isReading = method === 'tools/call' && tool === null && typeof params['name'] === 'string';
  const allowed = await headers.authorize(isReading ? 'tools.read' : METHOD_ACTIONS[method], tool);
  if (allowed.ok) return null;
  const { code, detail, extra, challenge } = allowed.problem;
  return { status: PROBLEMS[code].status, code: RPC.refused, message: detail, data: { ...extra, code }, challenge };
}

function nameOf({ name }: Params): string | null {
  return typeof name === 'string' ? name : null;
}

function isMethod(method: string): method is McpMethod {
  return Object.hasOwn(METHOD_ACTIONS, method);
}
