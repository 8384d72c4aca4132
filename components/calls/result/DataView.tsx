'use client';

import { useMemo, useState } from 'react';
import { Choice } from './Choice.tsx';
import { JsonTree } from './JsonTree.tsx';
import { listIn } from './list-in.ts';
import { TableView } from './TableView.tsx';

const VIEWS = [
  { id: 'tree', label: 'Tree' },
  { id: 'table', label: 'Table' },
] as const;

/** A JSON value that is a part of an answer: as a tree, and where a list is in it as a table as well. */
export function DataView({ value, label }: { value: object; label: string }) {
  const list = useMemo(() => listIn(value), [value]);
  const [chosen, setChosen] = useState<'tree' | 'table' | null>(null);
  if (list === null) return <JsonTree value={value} label={label} />;
  const view = chosen ?? (list.isAll ? 'table' : 'tree');
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Choice label={`How ${label} is shown`} options={VIEWS} value={view} onChange={setChosen} />
      {view === 'tree' ? <JsonTree value={value} label={label} /> : <TableView list={list} label={`${label} as a table`} />}
    </div>
  );
}
