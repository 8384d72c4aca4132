import type { ContractChange, ToolChange } from '#lib/contract/revision-comparison.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { compareSchemas, same } from './compare-schemas.ts';

/** What callers see of a tool. */
export interface ToolContract {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly outputSchema: unknown;
  readonly annotations: Tool['annotations'];
  readonly timeoutMs: number | null;
}

/** What two revisions offer differently, tool by tool; what breaks callers comes first. */
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
  const tell = (breaking: boolean, message: string): void => void changes.push({ path: '', breaking, message });
  if (before.description !== after.description) tell(false, 'The tool is described in other words.');
  if (before.label !== after.label) tell(false, `The label was “${before.label}” and is “${after.label}” now.`);
  if (before.timeoutMs !== after.timeoutMs) tell(false, 'Its time limit is another.');
  if (!same(before.annotations, after.annotations)) tell(false, 'What it says of itself (reads only, destructive, …) is different.');
  if (!same(before.outputSchema, after.outputSchema)) {
    // Who reads results is in the other place: what the new one may return must be what the old one might have.
    const isBroken =
      after.outputSchema === null || compareSchemas(after.outputSchema, before.outputSchema).some((change) => change.breaking);
    tell(before.outputSchema !== null && isBroken, 'Its results have another schema.');
  }
  return changes;
}
