import { z } from 'zod';
import { agentResult } from '#lib/contract/agent-view.ts';
import { callErrorSchema } from '#lib/contract/call.ts';
import { META, MODERN_VERSION } from './protocol.ts';
import type { CatalogueTool, ServerInfo } from './tool-catalogue.ts';

export interface ResultForm {
  readonly tool: CatalogueTool;
  readonly generation: '2025' | typeof MODERN_VERSION;
  readonly server: ServerInfo;
}

const endSchema = z.object({ id: z.string(), result: z.unknown().optional(), error: callErrorSchema.nullable() });

/** `callText` is the record of the finished call, as JSON. Returns the `result` of `tools/call`, as JSON. */
export function callResultText(callText: string, { tool, generation, server }: ResultForm): string {
  const { id, ...end } = endSchema.parse(JSON.parse(callText));
  const isModern = generation === MODERN_VERSION;
  const said = agentResult(end, { isRemote: tool.isRemote, hasOutputSchema: tool.hasOutputSchema, isModern });
  const ours = { [META.callId]: id, ...(isModern ? { [META.serverInfo]: server } : {}) };
  const given = said['_meta'];
  const whole: Record<string, unknown> = { ...said, _meta: typeof given === 'object' ? { ...given, ...ours } : ours };
  if (isModern) whole['resultType'] = 'complete';
  return JSON.stringify(whole);
}
