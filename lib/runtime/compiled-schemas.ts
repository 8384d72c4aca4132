import { hash } from 'node:crypto';
import type { ToolDescription } from './runtime.ts';

/**
 * The schemas that a process of this runtime has compiled. Most saves do not change the schema of a tool, so the load need not wait
 * until it is compiled again.
 */
export interface CompiledSchemas {
  haveAll(tools: readonly ToolDescription[]): boolean;
  add(tools: readonly ToolDescription[]): void;
}

const KEPT = 5_000;

export function createCompiledSchemas(): CompiledSchemas {
  const known = new Set<string>();
  return {
    haveAll: (tools) => tools.every((tool) => known.has(keyOf(tool))),
    add(tools) {
      for (const tool of tools) {
        const key = keyOf(tool);
        known.delete(key);
        known.add(key);
      }
      for (const oldest of known) {
        if (known.size <= KEPT) return;
        known.delete(oldest);
      }
    },
  };
}

function keyOf({ parameters, outputSchema }: ToolDescription): string {
  return hash('sha256', JSON.stringify([parameters, outputSchema]));
}
