'use client';

import { TriangleAlert } from 'lucide-react';
import { useId } from 'react';
import { cx } from '#components/ui/cx.ts';
import { ROLE_NAMES } from '#lib/contract/actions.ts';
import type { Role } from '#lib/contract/actions.ts';
import { ROLE_WORDS } from '#lib/client/role-words.ts';

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
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Role</legend>
      {roles.map((role) => {
        const { name, may, warning } = ROLE_WORDS[role];
        const chosen = role === value;
        return (
          <label
            key={role}
            htmlFor={`${id}-${role}`}
            className={cx(
              'flex min-w-0 gap-2 rounded border px-3 py-2 transition-colors',
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
                  <span className="mt-0.5 flex gap-2 text-degraded">
                    <TriangleAlert className="h-lh w-3.5 shrink-0" />
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
