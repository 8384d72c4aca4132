'use client';

import { createContext, memo, type ReactNode, useCallback, useContext, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Eye, EyeOff } from 'lucide-react';
import { Input } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { inThousands } from '#components/ui/numbers.ts';
import {
  type ControlProps,
  FieldContext,
  fieldIdOf,
  type FieldProps,
  type FormView,
  FormViewContext,
  IssuesContext,
  useControlNames,
  useFormView,
} from './form-view.tsx';
import { canShow, editPayload, FIELDS_MOST, type Path, type Payload } from './payload.ts';
import type { FormSchema } from './field-plan.ts';
import { FieldFrame, Issues } from './FieldFrame.tsx';
import { planAt } from './form-plan.ts';
import { IncompleteInputContext } from './incomplete-input.ts';
import { type IssueMap, pointerOf } from './issues.ts';
import { FurtherFields } from './FurtherFields.tsx';
import { ArrayControl, ObjectControl, TupleControl, UnionControl } from './NestedControls.tsx';
import { BytesControl } from './BytesControl.tsx';
import { BooleanControl, ChoiceControl, ChoicesControl } from './ChoiceControl.tsx';
import { DateControl, NumberControl, PasswordControl, TextControl } from './TextControl.tsx';
import { JsonControl } from './JsonText.tsx';
import { sameJson } from './json-text.ts';
import { listOf } from './schema-node.ts';
import { asSecret, isLegible, isNamedSecret } from './secrets.ts';

interface ToolFormProps extends Omit<FormView, 'onEdit'> {
  readonly form: FormSchema;
  readonly payload: Payload;
  readonly onChange: (payload: Payload) => void;
  readonly issues: IssueMap;
}

const ROOT: Path = [];
const drawField = (props: FieldProps) => <FieldView {...props} />;

/**
 * What is not in `payload` is not sent. A field changes only its own place; what it needs of the form is stable while typing,
 * so that a form of 500 fields is as fast as one of 5.
 */
export function ToolForm({ form, payload, onChange, issues, disabled, onVisit, onTouch, onUnsendable, onUnchosen }: ToolFormProps) {
  const incomplete = useContext(IncompleteInputContext);
  const latest = useRef({ payload, onChange, form });
  useLayoutEffect(() => {
    latest.current = { payload, onChange, form };
  });
  const onEdit = useCallback(
    (path: Path, value: unknown) => {
      const { current } = latest;
      onTouch(pointerOf(path));
      incomplete.forgetWithin(pointerOf(path));
      const next = editPayload(current.form, current.payload, path, value);
      latest.current = { ...current, payload: next };
      current.onChange(next);
    },
    [onTouch, incomplete],
  );
  const view = useMemo<FormView>(
    () => ({ disabled, onEdit, onVisit, onTouch, onUnsendable, onUnchosen }),
    [disabled, onEdit, onVisit, onTouch, onUnsendable, onUnchosen],
  );
  const plan = planAt(form, payload);
  return (
    <FormViewContext value={view}>
      <FieldContext value={drawField}>
        <IssuesContext value={issues}>
          <fieldset disabled={disabled} className="min-w-0">
            <legend className="sr-only">Arguments</legend>
            {plan.control === 'object' || plan.control === 'union' ? (
              <FieldView part={form} path={ROOT} value={payload} required bare called="" />
            ) : (
              <div id={fieldIdOf('')} data-path="" tabIndex={-1} className="flex min-w-0 flex-col gap-4 rounded outline-offset-4">
                <FurtherFields plan={plan} path={ROOT} name="" value={payload} />
                <Issues pointer="" />
              </div>
            )}
          </fieldset>
        </IssuesContext>
      </FieldContext>
    </FormViewContext>
  );
}

/** Memoized per place: typing re-renders only the field that changes. */
const FieldView = memo(Field, isSame);

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
    // The path changes only with the pointer.
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
  return 'This field cannot show its value.';
}

/** Checkboxes cannot repeat a value: other lists are shown as rows. */
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

const WithinSecret = createContext(false);

/** Hides a secret in a control that cannot mask it, except while it is typed. */
function SecretCover({ control, show }: { control: ControlProps; show: (control: ControlProps) => ReactNode }) {
  const { pointer, name, value } = control;
  const names = useControlNames(pointer);
  const [shown, setShown] = useState(false);
  const [typed, setTyped] = useState<{ readonly value: unknown } | null>(null);
  const visible = shown || value === undefined || (typed !== null && sameJson(typed.value, value));

  function change(next: unknown) {
    setTyped({ value: next });
    control.onChange(next);
  }

  return (
    <span className="flex min-w-0 items-start gap-1">
      <span className="flex min-w-0 grow flex-col gap-1">
        {visible ? (
          show({ ...control, onChange: change })
        ) : (
          <Input {...names} type="text" aria-label={`${name}, hidden`} readOnly value="hidden" />
        )}
      </span>
      {value === undefined ? null : (
        <IconButton
          size="sm"
          label={visible ? `Hide ${name}` : `Show ${name}`}
          aria-pressed={visible}
          onClick={() => {
            setShown(!visible);
            setTyped(null);
          }}
        >
          {visible ? <EyeOff /> : <Eye />}
        </IconButton>
      )}
    </span>
  );
}
