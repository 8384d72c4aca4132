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

export interface ToolGroup {
  readonly name: string;
  readonly tools: readonly ListedTool[];
}

type Grouping = 'extension' | 'label';

export function groupTools(tools: readonly ListedTool[], grouping: Grouping): readonly ToolGroup[] {
  const groups = Map.groupBy(tools, (tool) => (grouping === 'extension' ? tool.extension : tool.label));
  return sortByName(
    [...groups].map(([name, members]) => ({ name, tools: sortByName(members, nameOf) })),
    nameOf,
  );
}

/** Lower case, once for all keys that are typed. */
const searched = new WeakMap<ListedTool, string>();

function textOf(tool: ListedTool): string {
  const text = searched.get(tool) ?? `${tool.name} ${tool.label} ${tool.extension} ${tool.description}`.toLowerCase();
  searched.set(tool, text);
  return text;
}

export function searchGroups(groups: readonly ToolGroup[], search: string): readonly ToolGroup[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return groups;
  return groups
    .map(({ name, tools }) => ({ name, tools: tools.filter((tool) => words.every((word) => textOf(tool).includes(word))) }))
    .filter(({ tools }) => tools.length > 0);
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
