'use client';

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { NameChecklist } from '#components/ui/NameChecklist.tsx';
import type { ListedTool } from '#lib/client/listed-tools.ts';
import { queries } from '#lib/client/queries.ts';

const EVERY_TOOL = '*';

export interface ToolChoiceProps {
  /** Names, and `*` for every tool that deletes nothing. */
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
}

/** Which tools: every one, or those that are ticked. What may delete something is never meant by "every": it must be ticked. */
export function ToolChoice({ value, onChange }: ToolChoiceProps) {
  const { data } = useQuery(queries.tools());
  const [named, setNamed] = useState<readonly string[]>(value.filter((name) => name !== EVERY_TOOL));
  const id = useId();
  const every = value.includes(EVERY_TOOL);
  const tools = data?.tools ?? [];
  const gone = data === undefined ? [] : named.filter((name) => !tools.some((tool) => tool.name === name));
  const rows = [...(every ? tools.filter(isDestructive) : tools).map(rowOf), ...gone.map((name) => ({ name, note: 'not here now' }))];

  function choose(isEvery: boolean, names: readonly string[]) {
    setNamed(names);
    onChange(isEvery ? [EVERY_TOOL, ...names.filter((name) => !tools.some((tool) => tool.name === name && !isDestructive(tool)))] : names);
  }

  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Allowed tools</legend>
      {(
        [
          [true, 'Every tool that deletes nothing, also new ones'],
          [false, 'Only chosen ones'],
        ] as const
      ).map(([isEvery, words]) => (
        <label key={words} className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-10">
          <input
            type="radio"
            name={id}
            checked={every === isEvery}
            onChange={() => choose(isEvery, named)}
            className="size-4 shrink-0 accent-accent"
          />
          {words}
        </label>
      ))}
      {data?.tools.length === 0 ? <p className="text-sm text-muted">There are no tools yet.</p> : null}
      {rows.length === 0 ? null : (
        <div className="flex min-w-0 flex-col gap-2 pl-6">
          {every ? <p className="text-sm text-muted">And of those that may delete something:</p> : null}
          <NameChecklist
            label="Tools"
            searchLabel="Find a tool to allow"
            placeholder="Find a tool"
            nothing="No tool is called so."
            rows={rows}
            chosen={named}
            onChange={(names) => choose(every, names)}
          />
        </div>
      )}
    </fieldset>
  );
}

function isDestructive(tool: ListedTool): boolean {
  return tool.annotations.destructiveHint === true;
}

function rowOf(tool: ListedTool): { name: string; note: string | null } {
  return { name: tool.name, note: isDestructive(tool) ? 'may delete' : tool.available ? null : 'unavailable' };
}
