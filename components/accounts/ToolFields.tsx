'use client';

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { NameChecklist } from '#components/ui/NameChecklist.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';

export function ToolFields({ value, onChange }: { value: readonly string[] | null; onChange: (tools: readonly string[] | null) => void }) {
  const { data, error } = useQuery(queries.tools());
  const [named, setNamed] = useState<readonly string[]>([]);
  const id = useId();
  const rows = (data?.tools ?? []).map((tool) => ({
    name: tool.name,
    note: tool.annotations.destructiveHint === true ? 'may delete' : tool.available ? null : 'unavailable',
  }));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Allowed tools</legend>
      {(
        [
          [true, 'All tools, including new ones'],
          [false, 'Selected tools only'],
        ] as const
      ).map(([isAny, words]) => (
        <label key={words} className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-10">
          <input
            type="radio"
            name={id}
            checked={(value === null) === isAny}
            onChange={() => onChange(isAny ? null : named)}
            className="size-4 shrink-0 accent-accent"
          />
          {words}
        </label>
      ))}
      {value === null ? null : (
        <div className="flex min-w-0 flex-col gap-2 pl-6">
          {error === null ? null : <p className="foreign text-sm text-failed">The tools could not be read. {messageOf(error)}</p>}
          <NameChecklist
            label="Tools"
            searchLabel="Find a tool"
            placeholder="Find a tool"
            nothing={data === undefined ? 'Loading…' : rows.length === 0 ? 'No tools yet' : 'No matching tools'}
            rows={rows}
            chosen={named}
            onChange={(names) => {
              setNamed(names);
              onChange(names);
            }}
          />
          {named.length === 0 ? <p className="text-sm text-muted">Select at least one tool.</p> : null}
        </div>
      )}
    </fieldset>
  );
}
