'use client';

import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { RadioGroup } from '#components/ui/Field.tsx';
import { NameChecklist } from '#components/ui/NameChecklist.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import { ROLE_NAMES, type Role } from '#lib/contract/actions.ts';
import { isDestructive } from '#lib/contract/tool-hints.ts';

export function RoleFields({
  value,
  onChange,
  roles = ROLE_NAMES,
}: {
  value: Role;
  onChange: (role: Role) => void;
  roles?: readonly Role[];
}) {
  const options = roles.map((role) => {
    const { name, may, warning } = ROLE_WORDS[role];
    return { value: role, words: name, note: warning === null ? may : <RoleNote may={may} warning={warning} /> };
  });
  return <RadioGroup title="Role" options={options} value={value} onChange={onChange} />;
}

function RoleNote({ may, warning }: { may: string; warning: string }) {
  return (
    <>
      {may}
      <span className="flex gap-2 text-degraded">
        <TriangleAlert className="h-lh w-3.5 shrink-0" />
        {warning}
      </span>
    </>
  );
}

const TOOL_CHOICES = [
  { value: 'all', words: 'All tools, including new ones' },
  { value: 'selected', words: 'Selected tools only' },
] as const;

/** Null: all tools. */
export function ToolFields({ value, onChange }: { value: readonly string[] | null; onChange: (tools: readonly string[] | null) => void }) {
  const { data, error } = useQuery(queries.tools());
  const [named, setNamed] = useState<readonly string[]>([]);
  const rows = (data?.tools ?? []).map((tool) => ({
    name: tool.name,
    note: isDestructive(tool) ? 'may delete' : tool.available ? null : 'unavailable',
  }));
  return (
    <RadioGroup
      title="Allowed tools"
      options={TOOL_CHOICES}
      value={value === null ? 'all' : 'selected'}
      onChange={(choice) => onChange(choice === 'all' ? null : named)}
    >
      {value === null ? null : (
        <div className="flex min-w-0 flex-col gap-2 pl-6">
          {error === null ? null : <p className="foreign text-sm text-failed">Could not load the tools. {messageOf(error)}</p>}
          <NameChecklist
            label="Tools"
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
    </RadioGroup>
  );
}
