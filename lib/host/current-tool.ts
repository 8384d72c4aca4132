import type { Tool } from '#lib/contract/tool.ts';
import type { SnapshotTool } from '#lib/registry/snapshot.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';

/** The state of the last commit; a tool of a stopped MCP server is unavailable. */
export function currentTool({ tool, entry }: SnapshotTool<RunningExtension>): Tool {
  if (entry.extension.runtime !== 'mcp' || !tool.available || entry.running === null) return tool;
  const { state, retryAt } = entry.running.process();
  if (state !== 'backoff' || retryAt === null) return tool;
  const reason = `The MCP server of ${entry.extension.id} stopped and is started again at ${new Date(retryAt).toISOString()}.`;
  return { ...tool, available: false, unavailable_reason: reason };
}
