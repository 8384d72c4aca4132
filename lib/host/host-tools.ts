import { ok, refuse } from '#lib/contract/result.ts';
import type { Registry, SnapshotTool } from '#lib/registry/snapshot.ts';
import { createUnchangedList } from '#lib/registry/snapshot.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import type { Tool, ToolList } from '#lib/contract/tool.ts';
import type { SnapshotRepository } from '#lib/store/store.ts';
import type { HostTools, HostSnapshots } from './host.ts';

/** The state of the last commit; a tool of a stopped MCP server is unavailable. */
export function currentTool({ tool, entry }: SnapshotTool<RunningExtension>): Tool {
  if (entry.extension.runtime !== 'mcp' || !tool.available || entry.running === null) return tool;
  const { state, retryAt } = entry.running.process();
  if (state !== 'backoff' || retryAt === null) return tool;
  const reason = `The MCP server of ${entry.extension.id} stopped and is started again at ${new Date(retryAt).toISOString()}.`;
  return { ...tool, available: false, unavailable_reason: reason };
}

/** The tools of the current snapshot. */
export function createHostTools(registry: Registry<RunningExtension>): HostTools {
  const unchanged = createUnchangedList<Tool>();
  let before: ToolList | null = null;
  return {
    list() {
      const { version, tools: current } = registry.current();
      const tools = unchanged([...current.values()].map(currentTool));
      if (before?.version !== version || before.tools !== tools) before = { version, tools };
      return before;
    },
    get: (name) => {
      const found = registry.current().tools.get(name);
      return found === undefined
        ? refuse('tool_not_found', `Tool “${name.slice(0, 80)}” not found. GET /api/v1/tools lists all tools.`)
        : ok(currentTool(found));
    },
  };
}

/** @param newest version of the served snapshot */
export function createHostSnapshots(snapshots: SnapshotRepository, newest: () => number): HostSnapshots {
  return {
    async list(filter) {
      const found = await snapshots.list(filter);
      return found === null
        ? refuse('query_invalid', '`cursor` does not come from a list of snapshots. Omit it to start at the newest.')
        : ok(found);
    },
    async get(version) {
      const found = await snapshots.get(version);
      return found === null
        ? refuse('snapshot_not_found', `Snapshot version ${version} not found; it may have been removed. The newest is ${newest()}.`)
        : ok(found);
    },
  };
}
