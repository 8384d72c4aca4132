import { agentResult } from '#lib/contract/agent-view.ts';
import type { ToldEnd } from '#lib/contract/call.ts';
import { META, MODERN_VERSION } from './protocol.ts';
import type { CatalogueTool, ServerInfo } from './tool-catalogue.ts';

export interface ResultForm {
  readonly tool: CatalogueTool;
  readonly generation: '2025' | typeof MODERN_VERSION;
  readonly server: ServerInfo;
}

/** The `result` of `tools/call`, as JSON. */
export function callResultText({ id, resultText, error }: ToldEnd, { tool, generation, server }: ResultForm): string {
  const result: unknown = resultText === null ? null : JSON.parse(resultText);
  const end = { result, error };
  const isModern = generation === MODERN_VERSION;
  const said = agentResult(end, { isRemote: tool.isRemote, hasOutputSchema: tool.hasOutputSchema, isModern });
  const ours = { [META.callId]: id, ...(isModern ? { [META.serverInfo]: server } : {}) };
  const given = said['_meta'];
  const whole: Record<string, unknown> = { ...said, _meta: typeof given === 'object' ? { ...given, ...ours } : ours };
  if (isModern) whole['resultType'] = 'complete';
  return JSON.stringify(whole);
}
