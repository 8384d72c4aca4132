import { sortByName } from '#components/ui/name-order.ts';
import type { ListedTool } from '#lib/client/listed-tools.ts';
import type { ToolAnnotations } from '#lib/contract/tool.ts';
import { isDestructive } from '#lib/contract/tool-hints.ts';

interface Hint {
  readonly word: string;
  readonly means: string;
  readonly danger: boolean;
}

/** Hints are declared by the tool, not enforced. */
export function hintsOf(annotations: ToolAnnotations): readonly Hint[] {
  const hints: Hint[] = [];
  if (annotations.readOnlyHint === true) hints.push({ word: 'reads only', means: 'Declares that it changes nothing.', danger: false });
  if (isDestructive({ annotations }))
    hints.push({ word: 'destructive', means: 'May change or delete data. Asks before it runs.', danger: true });
  if (annotations.destructiveHint === false && annotations.readOnlyHint !== true)
    hints.push({ word: 'only adds', means: 'Declares that it only adds data.', danger: false });
  if (annotations.idempotentHint === true && annotations.readOnlyHint !== true)
    hints.push({ word: 'repeatable', means: 'Running it again with the same arguments changes nothing more.', danger: false });
  if (annotations.openWorldHint === true) hints.push({ word: 'open world', means: 'Uses the network or other services.', danger: false });
  if (annotations.openWorldHint === false) hints.push({ word: 'closed world', means: 'Uses only its own data.', danger: false });
  return hints;
}

interface ToolGroup {
  readonly name: string;
  readonly tools: readonly ListedTool[];
}

type Grouping = 'extension' | 'label';

export function groupTools(tools: readonly ListedTool[], grouping: Grouping, search: string): readonly ToolGroup[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const fitting = tools.filter((tool) => {
    const text = `${tool.name} ${tool.label} ${tool.extension} ${tool.description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const groups = Map.groupBy(fitting, (tool) => (grouping === 'extension' ? tool.extension : tool.label));
  return sortByName(
    [...groups].map(([name, members]) => ({ name, tools: sortByName(members, nameOf) })),
    nameOf,
  );
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

/** Holds whether the list of tools is shown beside a tool. */
export const TOOL_LIST_COOKIE = 'switchboard_tool_list';

/** `auto`: shown if form and result are wide enough beside it. */
export type ListState = 'auto' | 'open' | 'closed';

/** The cookie may hold any text. */
export function readListState(cookie: string | null | undefined): ListState {
  return cookie === 'open' || cookie === 'closed' ? cookie : 'auto';
}
