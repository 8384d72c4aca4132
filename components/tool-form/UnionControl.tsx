'use client';

import type { FieldProps, RJSFSchema } from '@rjsf/utils';
import { useState } from 'react';
import { Select } from '#components/ui/Field.tsx';
import type { ControlProps } from './controls.ts';
import { useFormView, fieldIdOf } from './form-view.ts';
import { matchOption, valueForOption } from './union-option.ts';

const NONE = -1;

/** A value that may have one of several forms: which one, then the fields of that one. */
export function UnionControl({
  plan,
  pointer,
  name,
  value,
  required,
  onChange,
  field,
}: ControlProps & { field: FieldProps<unknown, RJSFSchema> }) {
  const { onVisit } = useFormView();
  const [chosen, setChosen] = useState(NONE);
  const matched = matchOption(plan.options, value, chosen);
  const open = matched === NONE && value !== undefined ? chosen : matched;
  const option = plan.options[open];
  const { SchemaField } = field.registry.fields;
  const id = fieldIdOf(pointer);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Select
        id={`${id}-form`}
        aria-label={`Form of ${name}`}
        value={open === NONE ? '' : String(open)}
        onBlur={() => onVisit(pointer)}
        onChange={(event) => {
          const next = event.target.value === '' ? NONE : Number(event.target.value);
          const wanted = plan.options[next];
          setChosen(next);
          onChange(wanted === undefined ? undefined : valueForOption(wanted, value));
        }}
        {...(option === undefined ? { 'data-path': pointer } : {})}
      >
        <option value="">{required ? 'Choose a form…' : 'not sent'}</option>
        {[...plan.options.entries()].map(([place, each]) => (
          <option key={place} value={place}>
            {each.title}
          </option>
        ))}
      </Select>
      {option === undefined || SchemaField === undefined ? null : (
        <SchemaField key={open} {...field} schema={option.schema} uiSchema={{ 'ui:options': { bare: true } }} required />
      )}
    </div>
  );
}
