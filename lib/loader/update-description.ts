import type { SetWrites } from '#lib/store/store.ts';
import { ownedTools } from './extension-slot.ts';
import type { Slot } from './extension-slot.ts';
import type { LoaderState } from './loader-state.ts';

/**
 * An MCP server changed its tools while its entry is the same: the serving revision gets a new description, which the
 * next start trusts. A name owned by another extension stays there; the running server does not end because of it.
 */
export async function updateDescription(state: LoaderState, slot: Slot, writes: SetWrites): Promise<void> {
  const { serving } = slot;
  if (serving === null || serving.description === serving.running.description) return;
  const { excludedTools } = state.options;
  const owners = new Map<string, string>();
  for (const other of state.slots.values())
    if (other !== slot && !other.isExcluded) for (const tool of ownedTools(other, excludedTools)) owners.set(tool.name, other.id);
  const described = serving.running.description;
  const taken = described.tools.filter((tool) => owners.has(tool.name));
  const description =
    taken.length === 0
      ? described
      : {
          ...described,
          tools: described.tools.filter((tool) => !owners.has(tool.name)),
          warnings: [
            ...described.warnings,
            ...taken.map(({ name }) => `The tool name “${name}” belongs to the extension “${owners.get(name)}”; it was left out here.`),
          ],
        };
  slot.serving = { ...serving, description };
  slot.owned = { revision: serving.revision, contentHash: serving.contentHash, description };
  await writes.updateRevision(slot.id, serving.revision, { description: JSON.stringify(description) });
}
