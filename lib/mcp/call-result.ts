import type { Result } from '@modelcontextprotocol/server';
import { agentResult } from '#lib/contract/agent-view.ts';
import type { ToldEnd } from '#lib/contract/call.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import type { Params } from './json-rpc.ts';
import { META } from './protocol.ts';
import type { CatalogueTool } from './tool-catalogue.ts';

/**
 * The `result` of `tools/call`, without what the stateless protocol adds to every result: also not who answered, where a
 * server behind this one said so.
 */
export function callResult({ id, resultText, error }: ToldEnd, { isRemote, hasOutputSchema }: CatalogueTool, isModern: boolean): Result {
  const result = resultText === null ? null : parseExactJson(resultText);
  const said = agentResult({ result, error }, { isRemote, hasOutputSchema, isModern });
  const { [META.serverInfo]: _, ...theirs }: Params = { ...(typeof said['_meta'] === 'object' ? said['_meta'] : {}) };
  return { ...said, _meta: { ...theirs, [META.callId]: id } };
}
