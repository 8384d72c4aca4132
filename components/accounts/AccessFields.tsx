'use client';

import { TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { cx } from '#components/ui/cx.ts';
import { NameChecklist } from '#components/ui/NameChecklist.tsx';
import { type Role, ROLE_NAMES } from '#lib/contract/roles.ts';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';

export function RoleFields({
  value,
  onChange,
  roles = ROLE_NAMES,
}: {
  value: Role;
  onChange: (role: Role) => void;
  roles?: readonly Role[];
}) {
  const id = useId();
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1 text-sm font-medium">Role</legend>
      {roles.map((role) => {
        const { name, may, warning } = ROLE_WORDS[role];
        const chosen = role === value;
        return (
          <label
            key={role}
            htmlFor={`${id}-${role}`}
            className={cx(
              'flex min-w-0 gap-2.5 rounded border px-3 py-2 transition-colors',
              chosen ? 'border-accent bg-accent-soft' : 'hover:bg-hover',
            )}
          >
            <input
              id={`${id}-${role}`}
              type="radio"
              name={id}
              value={role}
              checked={chosen}
              onChange={() => onChange(role)}
              aria-describedby={`${id}-${role}-may`}
              aria-label={name}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            <span className="flex min-w-0 flex-col">
              <span className="font-medium">{name}</span>
              <span id={`${id}-${role}-may`} className="text-sm text-muted">
                {may}
                {warning === null ? null : (
                  <span className="mt-0.5 flex gap-1.5 text-degraded">
                    <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
                    {warning}
                  </span>
                )}
              </span>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

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
