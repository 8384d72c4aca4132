import { ok, refuse } from '#lib/contract/result.ts';
import type { Registry } from '#lib/registry/registry.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import type { HostTools } from './host.ts';
import { presentTool } from './present-tool.ts';

/** The tools of the current snapshot. */
export function createHostTools(registry: Registry<RunningExtension>): HostTools {
  return {
    list: () => ({ version: registry.current().version, tools: [...registry.current().tools.values()].map(presentTool) }),
    get: (name) => {
      const found = registry.current().tools.get(name);
      return found === undefined
        ? refuse('tool_not_found', `There is no tool called “${name.slice(0, 80)}”. GET /api/v1/tools lists those there are.`)
        : ok(presentTool(found));
    },
  };
}
