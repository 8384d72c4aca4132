'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AllOrSelected } from '#components/ui/AllOrSelected.tsx';
import { NameChecklist } from '#components/ui/NameChecklist.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { isDestructive } from '#lib/contract/tool-hints.ts';

export function ToolFields({ value, onChange }: { value: readonly string[] | null; onChange: (tools: readonly string[] | null) => void }) {
  const { data, error } = useQuery(queries.tools());
  const [named, setNamed] = useState<readonly string[]>([]);
  const rows = (data?.tools ?? []).map((tool) => ({
    name: tool.name,
    note: isDestructive(tool) ? 'may delete' : tool.available ? null : 'unavailable',
  }));
  return (
    <AllOrSelected
      title="Allowed tools"
      all="All tools, including new ones"
      selected="Selected tools only"
      isAll={value === null}
      onChange={(isAll) => onChange(isAll ? null : named)}
    >
      {value === null ? null : (
        <div className="flex min-w-0 flex-col gap-2 pl-6">
          {error === null ? null : <p className="foreign text-sm text-failed">Could not load the tools. {messageOf(error)}</p>}
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
    </AllOrSelected>
  );
}
