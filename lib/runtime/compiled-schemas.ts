import { hash } from 'node:crypto';
import type { ToolDescription } from './runtime.ts';

/**
 * Which schemas a process of this runtime has compiled. Most saves change what a tool does and not what it takes: then nothing can
 * come of compiling that is not known, and the load does not wait for it.
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
