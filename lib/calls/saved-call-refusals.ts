import { refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';

export function unknownSavedCall(id: string): Result<never> {
  return refuse(
    'saved_call_not_found',
    `There is no saved call “${id.slice(0, 80)}”. GET /api/v1/saved-calls?tool=… lists those of a tool.`,
  );
}

export function unknownTool(name: string): Result<never> {
  return refuse(
    'tool_not_found',
    `There is no tool called “${name.slice(0, 80)}”, and what is secret in its arguments is not known. GET /api/v1/tools lists those there are.`,
  );
}

export function nameTaken(saved: SavedCall): Result<never> {
  const message = `${saved.tool} has a saved call called “${saved.name}” already. Choose another name, or change that one.`;
  return refuse('state_conflict', message, { extra: { issues: [{ path: '/name', message }] } });
}
