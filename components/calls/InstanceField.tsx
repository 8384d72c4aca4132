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
    <Field label="Instance">
      <Select
        options={[['', 'All instances'], ...(value === null || ids.includes(value) ? ids : [value, ...ids]).map((id) => [id, id] as const)]}
        value={value ?? ''}
        onChange={(id) => onChange(id || null)}
      />
    </Field>
  );
}
