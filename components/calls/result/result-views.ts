import { isContainer } from './json-rows.ts';
import { listIn } from './list-in.ts';
import type { FoundList } from './list-in.ts';
import { readMcpResult } from './mcp-content.ts';
import type { McpResult } from './mcp-content.ts';
import { jsonInText } from './text-look.ts';

/** The ways to see a value, best one first. */
export type ResultView =
  | { readonly id: 'content'; readonly label: 'Content'; readonly result: McpResult }
  | { readonly id: 'table'; readonly label: 'Table'; readonly list: FoundList }
  | { readonly id: 'tree'; readonly label: 'Tree'; readonly value: object }
  | { readonly id: 'text'; readonly label: 'Text'; readonly read: () => string };

export function viewsOf(value: unknown): readonly [ResultView, ...ResultView[]] {
  if (typeof value === 'string') {
    const json = jsonInText(value);
    return json === undefined
      ? [textView(() => value)]
      : orElse(
          structured(json),
          textView(() => value),
        );
  }
  if (!isContainer(value)) return [textView(() => JSON.stringify(value) ?? 'null')];
  return orElse(
    structured(value),
    textView(() => JSON.stringify(value, null, 2)),
  );
}

function structured(value: object): ResultView[] {
  const result = readMcpResult(value);
  const tree = { id: 'tree', label: 'Tree', value } as const;
  // The parts of such a content are a list, too, which nobody wants as a table.
  if (result !== null) return [{ id: 'content', label: 'Content', result }, tree];
  const list = listIn(value);
  if (list === null) return [tree];
  const table = { id: 'table', label: 'Table', list } as const;
  return list.isAll ? [table, tree] : [tree, table];
}

/** Made when it is looked at: the text of a large value is larger still. */
function textView(read: () => string): ResultView {
  return { id: 'text', label: 'Text', read };
}

function orElse(views: readonly ResultView[], last: ResultView): readonly [ResultView, ...ResultView[]] {
  const [first, ...rest] = views;
  return first === undefined ? [last] : [first, ...rest, last];
}
