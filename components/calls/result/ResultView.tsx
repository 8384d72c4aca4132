'use client';

import { useMemo, useState } from 'react';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { escapeUnseen } from '#components/ui/visible-text.ts';
import { bytesOfValue, sizeInWords } from '#components/ui/byte-size.ts';
import { Choice } from './Choice.tsx';
import { DownloadButton } from './DownloadButton.tsx';
import { JsonTree } from './JsonTree.tsx';
import { McpContentView } from './McpContentView.tsx';
import { fileName } from './result-file.ts';
import { viewsOf } from './result-views.ts';
import type { ResultView as View } from './result-views.ts';
import { TableView } from './TableView.tsx';
import { ReadableText, TextView } from './TextView.tsx';

/*
 * What a tool returned, in the way that shows it best, and the other ways beside it. What can go wrong: a result of many
 * megabytes (each view draws what is looked at and no more; its text is made when it is wanted), and a result that wants to be more
 * than text (no view makes HTML of it; pictures and sounds are checked by their first bytes).
 */
export interface ResultViewProps {
  value: unknown;
  /** Names the view: "Result". */
  label: string;
  copyLabel: string;
  /** Of what the name of the file is made. */
  fileParts: readonly string[];
  /** The view to begin with, where it matters to what the page says; the best one otherwise. */
  first?: View['id'];
}

const COLOURED_MOST = 60_000;

/** Kept while the page lives: who reads tables goes on reading tables. */
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
        <span className="ml-auto flex flex-wrap items-center gap-2">
          <CopyButton words text={read} label={copyLabel} />
          <DownloadButton label="Download" name={fileName(fileParts, isText ? 'txt' : 'json')} content={read} />
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
  const json = escapeUnseen(text);
  if (json.length > COLOURED_MOST) return <TextView text={json} label={label} />;
  return <CodeBlock code={json} language="json" label={label} copyLabel={null} wrap />;
}
