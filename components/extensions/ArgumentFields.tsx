'use client';

import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Field, Input } from '#components/ui/Field.tsx';
import { type CompletionRef, completionQuery } from '#lib/client/server-queries.ts';

export interface Argument {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
}

export interface ArgumentFieldsProps {
  id: string;
  fields: readonly Argument[];
  values: Readonly<Record<string, string>>;
  onChange: (values: Readonly<Record<string, string>>) => void;
  completes: CompletionRef | null;
}

/** Arguments of a prompt or variables of a template, as texts, with the server's suggestions. */
export function ArgumentFields({ fields, ...rest }: ArgumentFieldsProps) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {fields.map((field) => (
        <ArgumentField key={field.name} field={field} {...rest} />
      ))}
    </div>
  );
}

function ArgumentField({ id, field, values, onChange, completes }: Omit<ArgumentFieldsProps, 'fields'> & { field: Argument }) {
  const control = useId();
  const [isFocused, setFocused] = useState(false);
  const { name, title, description, required = false } = field;
  const { data } = useQuery({
    ...completionQuery(id, completes ?? { type: 'ref/prompt', name: '' }, name, values),
    enabled: isFocused && completes !== null,
  });
  const suggestions = data?.completion.values ?? [];
  const described = description === undefined ? {} : { 'aria-describedby': `${control}-description` };
  return (
    <Field id={control} label={title ?? name} description={description} required={required}>
      <Input
        id={control}
        value={values[name] ?? ''}
        required={required}
        autoComplete="off"
        list={`${control}-suggestions`}
        {...described}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onChange={(event) => onChange({ ...values, [name]: event.target.value })}
      />
      <datalist id={`${control}-suggestions`}>
        {[...new Set(suggestions)].map((value) => (
          <option key={value}>{value}</option>
        ))}
      </datalist>
    </Field>
  );
}

/** Without empty optional ones: absent and empty differ for a server. */
export function givenValues(fields: readonly Argument[], values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap(({ name, required }) => {
      const value = values[name] ?? '';
      return value === '' && required !== true ? [] : [[name, value]];
    }),
  );
}
