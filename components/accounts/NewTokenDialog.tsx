'use client';

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Field, Input, Select } from '#components/ui/Field.tsx';
import { NameChecklist } from '#components/ui/NameChecklist.tsx';
import { useMakeToken } from '#lib/client/account-queries.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Role } from '#lib/contract/roles.ts';
import { MakeOnceDialog } from './MakeOnceDialog.tsx';
import { RoleFields } from './RoleFields.tsx';
import { TokenMade } from './TokenMade.tsx';

const SPANS = [
  [7, '7 days'],
  [30, '30 days'],
  [LIMITS.tokenDays, `${LIMITS.tokenDays} days`],
  [180, '180 days'],
  [LIMITS.tokenDaysMost, 'A year'],
] as const;

/** Makes a token, and shows it once. */
export function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const make = useMakeToken();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('operator');
  const [tools, setTools] = useState<readonly string[] | null>(null);
  const [days, setDays] = useState<number>(LIMITS.tokenDays);
  const id = useId();
  const made = make.data;
  const isMissingTools = role !== 'viewer' && tools !== null && tools.length === 0;

  return (
    <MakeOnceDialog
      wide
      title={made === undefined ? 'Make a token' : `The token “${made.name}” is made`}
      description={
        made === undefined
          ? 'For a script or an agent. What it does is recorded under its name and yours.'
          : 'Put it where it is needed, and nowhere else.'
      }
      formId={id}
      make="Make the token"
      pending={make.isPending}
      disabled={name.trim() === '' || isMissingTools}
      error={make.error}
      shown={made === undefined ? null : <TokenMade made={made} />}
      onSubmit={() =>
        make.mutate({ name: name.trim(), role, tools: role === 'viewer' || tools === null ? null : [...tools], expires_in_days: days })
      }
      onClose={onClose}
    >
      <div className="grid min-w-0 gap-4 sm:grid-cols-[minmax(0,1fr)_10rem]">
        <Field id={`${id}-name`} label="Name" description="What it is for, so that you know it again.">
          <Input
            id={`${id}-name`}
            value={name}
            required
            autoComplete="off"
            placeholder="nightly import"
            maxLength={LIMITS.personNameLength}
            onChange={(event) => setName(event.target.value)}
            aria-describedby={`${id}-name-description`}
          />
        </Field>
        <Field id={`${id}-days`} label="Runs out after">
          <Select id={`${id}-days`} value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {SPANS.map(([span, words]) => (
              <option key={span} value={span}>
                {words}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <RoleFields legend="Role" value={role} onChange={setRole} />
      {role === 'viewer' ? null : <TokenTools value={tools} onChange={setTools} />}
    </MakeOnceDialog>
  );
}

/** Any tool, or only those that are ticked. */
function TokenTools({ value, onChange }: { value: readonly string[] | null; onChange: (tools: readonly string[] | null) => void }) {
  const { data, error } = useQuery(queries.tools());
  const [named, setNamed] = useState<readonly string[]>([]);
  const id = useId();
  const rows = (data?.tools ?? []).map((tool) => ({
    name: tool.name,
    note: tool.annotations.destructiveHint === true ? 'may delete' : tool.available ? null : 'unavailable',
  }));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Tools it may call</legend>
      {(
        [
          [true, 'Any tool, also new ones'],
          [false, 'Only chosen ones: it then sees and calls these, and nothing else'],
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
            nothing={data === undefined ? 'Reading the tools…' : rows.length === 0 ? 'There are no tools yet.' : 'No tool is called so.'}
            rows={rows}
            chosen={named}
            onChange={(names) => {
              setNamed(names);
              onChange(names);
            }}
          />
          {named.length === 0 ? <p className="text-sm text-muted">Choose at least one.</p> : null}
        </div>
      )}
    </fieldset>
  );
}
