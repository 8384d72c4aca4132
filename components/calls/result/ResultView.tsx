'use client';

import { useMemo, useState } from 'react';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { bytesOfValue, sizeInWords } from '#components/ui/numbers.ts';
import { escapeInvisible } from '#components/ui/visible-text.ts';
import { JsonTree } from './JsonTree.tsx';
import { McpContentView, type McpResult, readMcpResult } from './McpContentView.tsx';
import { Choice, DownloadButton, fileName } from './ResultControls.tsx';
import { type FoundList, TableView, listIn } from './TableView.tsx';
import { ReadableText, TextView } from './TextView.tsx';
import { isContainer } from './json-rows.ts';
import { jsonInText } from './text-format.ts';

export type View =
  | { readonly id: 'content'; readonly label: 'Content'; readonly result: McpResult }
  | { readonly id: 'table'; readonly label: 'Table'; readonly list: FoundList }
  | { readonly id: 'tree'; readonly label: 'Tree'; readonly value: object }
  | { readonly id: 'text'; readonly label: 'Text'; readonly read: () => string };

export function viewsOf(value: unknown): readonly [View, ...View[]] {
  if (typeof value === 'string') {
    const json = jsonInText(value);
    return json === undefined
      ? [textView(() => value)]
      : withFallback(
          structured(json),
          textView(() => value),
        );
  }
  if (!isContainer(value)) return [textView(() => JSON.stringify(value) ?? 'null')];
  return withFallback(
    structured(value),
    textView(() => JSON.stringify(value, null, 2)),
  );
}

function structured(value: object): View[] {
  const result = readMcpResult(value);
  const tree = { id: 'tree', label: 'Tree', value } as const;
  // Content blocks are a list too, but not a useful table.
  if (result !== null) return [{ id: 'content', label: 'Content', result }, tree];
  const list = listIn(value);
  if (list === null) return [tree];
  const table = { id: 'table', label: 'Table', list } as const;
  return list.isAll ? [table, tree] : [tree, table];
}

/** Lazily: the text of a large value is even larger. */
function textView(read: () => string): View {
  return { id: 'text', label: 'Text', read };
}

function withFallback(views: readonly View[], last: View): readonly [View, ...View[]] {
  const [first, ...rest] = views;
  return first === undefined ? [last] : [first, ...rest, last];
}

/*
 * A tool's result in its best view, with the other views beside it. What can go wrong:
 * - the result has many megabytes: each view renders only the visible part, and its text is created on demand;
 * - the result contains markup: no view renders HTML, and media is checked by its first bytes.
 */
export interface ResultViewProps {
  value: unknown;
  label: string;
  copyLabel: string;
  fileParts: readonly string[];
  first?: View['id'];
}

const MAX_COLOURED = 60_000;

/** The choice applies to later results too. */
const preferred = new Set<View['id']>();

export function ResultView({ value, label, copyLabel, fileParts, first }: ResultViewProps) {
  const views = useMemo(() => viewsOf(value), [value]);
  const [chosen, setChosen] = useState<View['id']>(() => first ?? views.find(({ id }) => preferred.has(id))?.id ?? views[0].id);
  const view = views.find(({ id }) => id === chosen) ?? views[0];
  const isText = typeof value === 'string';
  const size = useMemo(() => bytesOfValue(value), [value]);
  const read = () => (isText ? value : (JSON.stringify(value, null, 2) ?? 'null'));
  return (
    <section aria-label={label} className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        {views.length === 1 ? null : (
          <Choice
            label={`How ${label} is shown`}
            options={views}
            value={view.id}
            onChange={(id) => {
              if (first === undefined) {
                preferred.clear();
                preferred.add(id);
              }
              setChosen(id);
            }}
          />
        )}
        <span className="tabular text-sm text-muted">{sizeInWords(size)}</span>
        <span className="ml-auto flex items-center">
          <CopyButton text={read} label={copyLabel} />
          <DownloadButton isIcon label="Download" name={fileName(fileParts, isText ? 'txt' : 'json')} content={read} />
        </span>
      </div>
      <Shown view={view} label={label} isText={isText} />
    </section>
  );
}

function Shown({ view, label, isText }: { view: View; label: string; isText: boolean }) {
  switch (view.id) {
    case 'content':
      return <McpContentView result={view.result} label={`${label}, content`} />;
    case 'table':
      return <TableView list={view.list} label={`${label} as a table`} />;
    case 'tree':
      return <JsonTree value={view.value} label={`${label} as a tree`} />;
    case 'text':
      return <ValueText read={view.read} label={`${label} as text`} isText={isText} />;
  }
}

function ValueText({ read, label, isText }: { read: () => string; label: string; isText: boolean }) {
  const text = useMemo(() => read(), [read]);
  if (isText) return <ReadableText text={text} label={label} />;
  const json = escapeInvisible(text);
  if (json.length > MAX_COLOURED) return <TextView text={json} label={label} />;
  return <CodeBlock code={json} language="json" label={label} copyLabel={null} wrap />;
}
