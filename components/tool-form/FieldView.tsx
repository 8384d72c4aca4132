'use client';

import { memo, useContext, useMemo } from 'react';
import { inThousands } from '#components/ui/in-thousands.ts';
import { ArrayControl } from './ArrayControl.tsx';
import { BytesControl } from './BytesControl.tsx';
import { BooleanControl, ChoiceControl, ChoicesControl } from './ChoiceControl.tsx';
import type { ControlProps, FieldProps } from './controls.ts';
import { DateControl } from './DateControl.tsx';
import type { FormSchema } from './field-plan.ts';
import { planAt } from './form-plan.ts';
import { useFormView } from './form-view.ts';
import { FieldFrame } from './FieldFrame.tsx';
import { JsonControl } from './JsonControl.tsx';
import { NumberControl } from './NumberControl.tsx';
import { ObjectControl } from './ObjectControl.tsx';
import { canShow, FIELDS_MOST } from './payload.ts';
import { pointerOf } from './pointer.ts';
import { sameJson } from './same-json.ts';
import { listOf } from './schema-node.ts';
import { SecretCover, WithinSecret } from './SecretCover.tsx';
import { asSecret, isLegible, isNamedSecret } from './secrets.ts';
import { PasswordControl, TextControl } from './TextControl.tsx';
import { TupleControl } from './TupleControl.tsx';
import { UnionControl } from './UnionControl.tsx';

/** The field of one place in the arguments: the control that its schema asks for, in its frame. Drawn anew only when it changes. */
export const FieldView = memo(Field, isSame);

function Field({
  part,
  path,
  value,
  required,
  bare = false,
  shared = false,
  stays = false,
  mark = null,
  because = null,
  called,
}: FieldProps) {
  const { onEdit } = useFormView();
  const within = useContext(WithinSecret);
  const planned = planAt(part, value);
  const plan = within || isNamedSecret(path.at(-1), planned.control, value) ? asSecret(planned) : planned;
  const pointer = pointerOf(path);
  const name = plan.title ?? called ?? String(path.at(-1) ?? '');
  const control = useMemo<ControlProps>(
    () => ({ plan, pointer, path, name, value, required, stays, mark, onChange: (next) => onEdit(path, next) }),
    // The path is the same as long as the pointer is.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
    [plan, pointer, name, value, required, stays, mark, onEdit],
  );
  return (
    <FieldFrame
      control={control}
      bare={bare}
      shared={shared}
      because={because}
      property={typeof path.at(-1) === 'string' ? String(path.at(-1)) : null}
    >
      <WithinSecret value={plan.secret}>{hiddenOr(control, part)}</WithinSecret>
    </FieldFrame>
  );
}

function hiddenOr(control: ControlProps, part: FormSchema) {
  const { plan, value } = control;
  if (!isLegible(plan) && (!plan.secret || canShow(plan, value))) return controlOf(control, part);
  return <SecretCover control={control} show={(inner) => controlOf(inner, part)} />;
}

function controlOf(control: ControlProps, part: FormSchema) {
  const { plan, value } = control;
  if (!canShow(plan, value)) return <JsonControl {...control} part={part} why={whyJson(value)} />;
  switch (plan.control) {
    case 'text':
      return plan.secret ? <PasswordControl {...control} /> : <TextControl {...control} />;
    case 'multiline':
      return <TextControl {...control} />;
    case 'bytes':
      return plan.secret ? <PasswordControl {...control} /> : <BytesControl {...control} />;
    case 'password':
      return <PasswordControl {...control} />;
    case 'date':
    case 'time':
    case 'date-time':
      return <DateControl {...control} kind={plan.control} />;
    case 'number':
    case 'integer':
      return <NumberControl {...control} />;
    case 'boolean':
      return <BooleanControl {...control} />;
    case 'choice':
      return <ChoiceControl {...control} />;
    case 'choices':
      return isChosenOnce(control) ? <ChoicesControl {...control} /> : <ArrayControl {...control} />;
    case 'union':
      return <UnionControl {...control} />;
    case 'object':
      return <ObjectControl {...control} />;
    case 'array':
      return <ArrayControl {...control} />;
    case 'tuple':
      return <TupleControl {...control} />;
    case 'json':
      return <JsonControl {...control} part={part} />;
  }
}

function whyJson(value: unknown): string {
  if (Array.isArray(value) && value.length > FIELDS_MOST) return `These are ${inThousands(value.length)} items, too many for fields.`;
  return 'The field cannot show the value that stands here.';
}

/** Boxes can be ticked once; a list with repetitions, or with something else in it, is shown row by row. */
function isChosenOnce({ plan, value }: ControlProps): boolean {
  const list = listOf(value);
  return list.every(
    (item, index) =>
      plan.choices.some((choice) => sameJson(choice.value, item)) && list.findIndex((other) => sameJson(other, item)) === index,
  );
}

function isSame(one: FieldProps, other: FieldProps): boolean {
  return (
    one.part.schema === other.part.schema &&
    one.part.root === other.part.root &&
    Object.is(one.value, other.value) &&
    one.required === other.required &&
    one.bare === other.bare &&
    one.shared === other.shared &&
    one.stays === other.stays &&
    one.mark === other.mark &&
    one.because === other.because &&
    one.called === other.called &&
    pointerOf(one.path) === pointerOf(other.path)
  );
}
