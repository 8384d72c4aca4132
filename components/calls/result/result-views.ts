import { isContainer } from './json-rows.ts';
import { readMcpResult } from './mcp-content.ts';
import type { McpResult } from './mcp-content.ts';
import { isTable } from './table-rows.ts';
import { jsonInText } from './text-look.ts';

/** The ways to see a value, best one first. */
export type ResultView =
  | { readonly id: 'content'; readonly label: 'Content'; readonly result: McpResult }
  | { readonly id: 'table'; readonly label: 'Table'; readonly items: readonly object[] }
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
  return [
    ...(result === null ? [] : [{ id: 'content', label: 'Content', result } as const]),
    ...(isTable(value) ? [{ id: 'table', label: 'Table', items: value } as const] : []),
    { id: 'tree', label: 'Tree', value },
  ];
}

/** Made when it is looked at: the text of a large value is larger still. */
function textView(read: () => string): ResultView {
  return { id: 'text', label: 'Text', read };
}

function orElse(views: readonly ResultView[], last: ResultView): readonly [ResultView, ...ResultView[]] {
  const [first, ...rest] = views;
  return first === undefined ? [last] : [first, ...rest, last];
}
