import type { ContractChange, ToolChange } from '#lib/contract/revision-comparison.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { compareSchemas, same } from './compare-schemas.ts';

/** A tool as callers see it. */
export interface ToolContract {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly outputSchema: unknown;
  readonly annotations: Tool['annotations'];
  readonly timeoutMs: number | null;
}

/** Differences between two revisions by tool; breaking ones first. */
export function compareTools(before: readonly ToolContract[], after: readonly ToolContract[]): readonly ToolChange[] {
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const next = new Map(after.map((tool) => [tool.name, tool]));
  const found: ToolChange[] = [];
  for (const tool of before) {
    if (next.has(tool.name)) continue;
    found.push({ tool: tool.name, change: 'removed', breaking: true, changes: [] });
  }
  for (const tool of after) {
    const earlier = old.get(tool.name);
    if (earlier === undefined) {
      found.push({ tool: tool.name, change: 'added', breaking: false, changes: [] });
      continue;
    }
    const changes = compareTool(earlier, tool).toSorted((a, b) => Number(b.breaking) - Number(a.breaking));
    if (changes.length > 0)
      found.push({ tool: tool.name, change: 'changed', breaking: changes.some((change) => change.breaking), changes });
  }
  return found.toSorted((a, b) => Number(b.breaking) - Number(a.breaking));
}

function compareTool(before: ToolContract, after: ToolContract): ContractChange[] {
  const changes: ContractChange[] = [...compareSchemas(before.parameters, after.parameters)];
  const add = (breaking: boolean, message: string): void => void changes.push({ path: '', breaking, message });
  if (before.description !== after.description) add(false, 'The description changed.');
  if (before.label !== after.label) add(false, `The label was “${before.label}” and is now “${after.label}”.`);
  if (before.timeoutMs !== after.timeoutMs) add(false, 'Its timeout changed.');
  if (!same(before.annotations, after.annotations)) add(false, 'Its annotations (reads only, destructive, …) changed.');
  if (!same(before.outputSchema, after.outputSchema)) {
    // For results the direction is reversed: every new result must be valid by the old schema.
    const isBroken =
      after.outputSchema === null || compareSchemas(after.outputSchema, before.outputSchema).some((change) => change.breaking);
    add(before.outputSchema !== null && isBroken, 'The schema of its results changed.');
  }
  return changes;
}
