import type { Tool } from './tool.ts';

/* What the hints of a tool mean. MCP: `destructiveHint` counts only without `readOnlyHint`. Pages use it, so it has no schemas. */

/** It declares to be destructive. Without a hint it counts as not destructive, also from an MCP server. */
export function isDestructive({ annotations }: Pick<Tool, 'annotations'>): boolean {
  return annotations.destructiveHint === true && annotations.readOnlyHint !== true;
}

/**
 * Whether probing needs confirmation: the tool is destructive, or belongs to an MCP server and has no hint (destructive by
 * default in the protocol).
 */
export function needsProbeConfirmation({ annotations, runtime }: Pick<Tool, 'annotations' | 'runtime'>): boolean {
  if (annotations.readOnlyHint === true) return false;
  return annotations.destructiveHint ?? runtime === 'mcp';
}

/** Reason for the confirmation. */
export function confirmationReason({ name, annotations }: Pick<Tool, 'name' | 'annotations'>): string {
  return isDestructive({ annotations })
    ? `${name} is marked as destructive.`
    : `${name} belongs to an MCP server and has no hint that it is not destructive.`;
}
