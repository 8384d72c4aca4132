'use client';

import type { FocusEvent } from 'react';
import { Checkbox } from '#components/ui/Checkbox.tsx';
import { Select } from '#components/ui/Field.tsx';
import { cx } from '#components/ui/cx.ts';
import { inShort, labelAmong } from './controls.ts';
import type { ControlProps } from './controls.ts';
import { useControlNames, useFormView } from './form-view.ts';
import { SearchChoice } from './SearchChoice.tsx';
import { sameJson } from './same-json.ts';

const MANY = 40;

/** One of a closed list: in the platform's own control, or found by typing where the list is long. */
export function ChoiceControl(props: ControlProps) {
  return props.plan.choices.length > MANY ? <SearchChoice {...props} /> : <SelectChoice {...props} />;
}

function SelectChoice({ plan, pointer, value, required, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const values = plan.choices.map((choice, index) =>
    optionValue(
      choice.value,
      index,
      plan.choices.map((each) => each.value),
    ),
  );
  const at = plan.choices.findIndex((choice) => sameJson(choice.value, value));
  const nullChosen = value === null && at === -1;
  const words = plan.choices[at]?.description ?? null;
  return (
    <>
      <Select
        {...names}
        value={nullChosen ? NULL : (values[at] ?? '')}
        onBlur={() => onVisit(pointer)}
        onChange={(event) => {
          const index = values.indexOf(event.target.value);
          onChange(event.target.value === NULL ? null : plan.choices[index]?.value);
        }}
      >
        <option value="">
          {required
            ? 'Choose…'
            : plan.fallback === null
              ? 'not sent'
              : `not sent (default: ${labelAmong(plan.choices, plan.fallback.value)})`}
        </option>
        {plan.choices.map((choice, index) => (
          <option key={values[index]} value={values[index]}>
            {choice.label}
          </option>
        ))}
        {plan.nullable ? <option value={NULL}>null</option> : null}
      </Select>
      {words === null || words === plan.description ? null : <p className="foreign text-xs text-muted">{words}</p>}
    </>
  );
}

const NULL = '\u0000null';

/** The value itself where it is a text that stands for nothing else, so that it can also be chosen by its text. */
function optionValue(value: unknown, index: number, all: readonly unknown[]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const alone = all.filter((other) => (typeof other === 'string' ? other : JSON.stringify(other)) === text).length === 1;
  return text !== '' && alone ? text : `\u0000${index}`;
}

/** Any of a closed list, sent in the order in which they were chosen. */
export function ChoicesControl({ plan, pointer, value, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <div
      id={names.id}
      data-path={pointer}
      role="group"
      tabIndex={-1}
      aria-labelledby={`${names.id}-label`}
      aria-describedby={names['aria-describedby']}
      className="flex flex-wrap gap-x-4 gap-y-1 rounded"
    >
      {plan.choices.map((choice) => {
        const on = chosen.some((each) => sameJson(each, choice.value));
        return (
          <label key={JSON.stringify(choice.value)} className="inline-flex min-h-7 items-center gap-2 pointer-coarse:min-h-10">
            <Checkbox
              checked={on}
              onBlur={(event) => {
                if (leavesField(event)) onVisit(pointer);
              }}
              onChange={() => {
                const next = on ? chosen.filter((one) => !sameJson(one, choice.value)) : [...chosen, choice.value];
                onChange(next.length === 0 ? undefined : next);
              }}
            />
            {choice.label}
          </label>
        );
      })}
    </div>
  );
}

/** True, false and, where it may be left out, not sent: three choices side by side. */
export function BooleanControl({ plan, pointer, value, required, onChange }: ControlProps) {
  const names = useControlNames(pointer);
  const { onVisit } = useFormView();
  const choices: { label: string; value: boolean | null | undefined }[] = [
    { label: 'true', value: true },
    { label: 'false', value: false },
  ];
  if (plan.nullable) choices.push({ label: 'null', value: null });
  if (!required)
    choices.push({ label: plan.fallback === null ? 'not sent' : `not sent (${inShort(plan.fallback.value)})`, value: undefined });
  return (
    <div
      id={names.id}
      data-path={pointer}
      role="radiogroup"
      tabIndex={-1}
      aria-labelledby={`${names.id}-label`}
      aria-describedby={names['aria-describedby']}
      aria-required={required}
      className={cx(
        'inline-flex max-w-full flex-wrap self-start rounded border border-control-line bg-panel',
        names['aria-invalid'] === true && 'border-failed',
      )}
    >
      {choices.map((choice) => {
        const chosen = value === choice.value;
        return (
          <label
            key={choice.label}
            className={cx(
              'relative inline-flex h-7.5 items-center border-l border-line px-3 text-base first:rounded-l-[5px] first:border-l-0 last:rounded-r-[5px] has-[:focus-visible]:z-10 has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-accent pointer-coarse:h-10',
              chosen
                ? choice.value === undefined
                  ? 'bg-subtle text-muted'
                  : 'bg-accent-soft font-medium text-fg'
                : 'text-muted hover:bg-hover hover:text-fg',
            )}
          >
            <input
              type="radio"
              name={names.id}
              checked={chosen}
              onChange={() => onChange(choice.value)}
              onBlur={(event) => {
                if (leavesField(event)) onVisit(pointer);
              }}
              className="absolute inset-0 cursor-pointer appearance-none rounded-[5px] outline-none"
            />
            {choice.label}
          </label>
        );
      })}
    </div>
  );
}

/** Going from one choice of a field to the next does not leave it. */
function leavesField(event: FocusEvent): boolean {
  return event.currentTarget.closest('[data-path]')?.contains(event.relatedTarget) !== true;
}
