import type { Result } from '@modelcontextprotocol/server';
import { agentResult } from '#lib/contract/agent-view.ts';
import type { CallError } from '#lib/contract/call.ts';
import { META, type Params } from './protocol.ts';
import type { CatalogueTool } from './tool-catalogue.ts';

/**
 * The `result` of `tools/call` without the fields that the stateless protocol adds to every result, also without the
 * `serverInfo` of a server behind this one.
 */
export function callResult(
  { id, ...end }: { readonly id: string; readonly result: unknown; readonly error: CallError | null },
  { server, hasOutputSchema }: Pick<CatalogueTool, 'server' | 'hasOutputSchema'>,
  isModern: boolean,
): Result {
  const said = agentResult(end, { isRemote: server !== null, hasOutputSchema, isModern });
  const { [META.serverInfo]: _, ...theirs }: Params = { ...(typeof said['_meta'] === 'object' ? said['_meta'] : {}) };
  return { ...said, _meta: { ...theirs, [META.callId]: id } };
}
