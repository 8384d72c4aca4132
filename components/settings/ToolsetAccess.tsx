'use client';

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { NameChecklist } from '#components/ui/NameChecklist.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { accountQueries } from '#lib/client/account-queries.ts';
import { messageOf } from '#lib/client/api-problem.ts';

interface ToolsetAccessProps {
  /** Ids; null: everyone. */
  members: readonly string[] | null;
  onChange: (members: readonly string[] | null) => void;
}

const CHOICES = [
  [true, 'Everyone who may call its tools'],
  [false, 'Selected members, with their tokens and clients'],
] as const;

/** Who may use a toolset. */
export function ToolsetAccess({ members, onChange }: ToolsetAccessProps) {
  const { data, error } = useQuery(accountQueries.members());
  const [chosen, setChosen] = useState(members ?? []);
  const id = useId();
  const all = data?.members ?? [];
  return (
    <Panel title="Access">
      <fieldset className="flex min-w-0 flex-col gap-2">
        <legend className="sr-only">Access</legend>
        {CHOICES.map(([isAll, words]) => (
          <label key={words} className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-10">
            <input
              type="radio"
              name={id}
              checked={(members === null) === isAll}
              onChange={() => onChange(isAll ? null : chosen)}
              className="size-4 shrink-0 accent-accent"
            />
            {words}
          </label>
        ))}
        {members === null ? null : (
          <div className="flex min-w-0 flex-col gap-2 pl-6">
            {error === null ? null : <p className="foreign text-sm text-failed">The members could not be read. {messageOf(error)}</p>}
            <NameChecklist
              label="Members"
              searchLabel="Find a member"
              placeholder="Find a member"
              nothing={data === undefined ? 'Loading…' : 'No matching members'}
              rows={all.map(({ name, active }) => ({ name, note: active ? null : 'deactivated' }))}
              chosen={all.filter((member) => members.includes(member.id)).map(({ name }) => name)}
              onChange={(names) => {
                const ids = all.filter(({ name }) => names.includes(name)).map((member) => member.id);
                setChosen(ids);
                onChange(ids);
              }}
            />
            {members.length === 0 ? <p className="text-sm text-muted">Select at least one member.</p> : null}
          </div>
        )}
      </fieldset>
    </Panel>
  );
}
