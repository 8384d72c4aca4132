'use client';

import { useQuery } from '@tanstack/react-query';
import { Field, Select } from '#components/ui/Field.tsx';
import { instancesQuery } from '#lib/client/instance-queries.ts';

/** Where several servers share the database. */
export function InstanceField({ value, onChange }: { value: string | null; onChange: (instance: string | null) => void }) {
  const { data } = useQuery(instancesQuery());
  if (data?.shared !== true && value === null) return null;
  const ids = (data?.instances ?? []).map(({ id }) => id);
  return (
    <Field id="calls-instance" label="Instance">
      <Select id="calls-instance" value={value ?? ''} onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}>
        <option value="">All instances</option>
        {(value === null || ids.includes(value) ? ids : [value, ...ids]).map((id) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </Select>
    </Field>
  );
}
