'use client';

import type { FieldProps, RJSFSchema } from '@rjsf/utils';
import { BooleanControl, ChoiceControl, ChoicesControl } from './ChoiceControl.tsx';
import type { ControlProps } from './controls.ts';
import { DateControl, MomentControl } from './DateControl.tsx';
import { planOf } from './field-plan.ts';
import { JsonControl } from './JsonControl.tsx';
import { MapControl } from './MapControl.tsx';
import { NumberControl } from './NumberControl.tsx';
import { canShow } from './payload.ts';
import { pointerOf } from './pointer.ts';
import { PasswordControl, TextControl } from './TextControl.tsx';
import { UnionControl } from './UnionControl.tsx';

/** Every field that is not an object or a list with fields of its own. */
export function LeafField(props: FieldProps<unknown, RJSFSchema>) {
  const plan = planOf(props.schema);
  if (plan === null) return null;
  const { path } = props.fieldPathId;
  const control: ControlProps = {
    plan,
    pointer: pointerOf(path),
    name: props.name,
    value: props.formData,
    required: props.required === true,
    onChange: (value) => props.onChange(value, path),
  };
  if (!canShow(plan, props.formData)) return <JsonControl {...control} why="The field cannot show the value that stands here." />;
  switch (plan.control) {
    case 'text':
    case 'multiline':
      return <TextControl {...control} />;
    case 'password':
      return <PasswordControl {...control} />;
    case 'date':
      return <DateControl {...control} />;
    case 'date-time':
      return <MomentControl {...control} />;
    case 'number':
    case 'integer':
      return <NumberControl {...control} />;
    case 'boolean':
      return <BooleanControl {...control} />;
    case 'choice':
      return <ChoiceControl {...control} />;
    case 'choices':
      return <ChoicesControl {...control} />;
    case 'union':
      return <UnionControl {...control} field={props} />;
    case 'map':
      return <MapControl {...control} field={props} />;
    case 'object':
    case 'array':
    case 'json':
      return <JsonControl {...control} />;
  }
}
