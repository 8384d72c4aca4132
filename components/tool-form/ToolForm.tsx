'use client';

import { useCallback, useContext, useLayoutEffect, useMemo, useRef } from 'react';
import type { FieldProps } from './controls.ts';
import { editPayload } from './edit-payload.ts';
import type { Path } from './edit-payload.ts';
import type { FormSchema } from './field-plan.ts';
import { FieldView } from './FieldView.tsx';
import { Issues } from './Issues.tsx';
import { planAt } from './form-plan.ts';
import { fieldIdOf, FormViewContext, IssuesContext } from './form-view.ts';
import type { FormView } from './form-view.ts';
import { HalvesContext } from './half-written.ts';
import type { IssueMap } from './issues.ts';
import { FurtherFields } from './FurtherFields.tsx';
import { FieldContext } from './NestedField.tsx';
import type { Payload } from './payload.ts';
import { pointerOf } from './pointer.ts';

export interface ToolFormProps extends Omit<FormView, 'onEdit'> {
  /** From planForm. */
  readonly form: FormSchema;
  readonly payload: Payload;
  readonly onChange: (payload: Payload) => void;
  readonly issues: IssueMap;
}

const ROOT: Path = [];
const drawField = (props: FieldProps) => <FieldView {...props} />;

/**
 * The arguments of a tool as fields. What is not in `payload` is not sent. A field changes its own place of the payload and no
 * other; what a field needs of the form stays the same while a person types, so that a form of 500 fields is as quick as one of 5.
 */
export function ToolForm({ form, payload, onChange, issues, disabled, onVisit, onTouch, onUnsendable, onUnchosen }: ToolFormProps) {
  const halves = useContext(HalvesContext);
  const latest = useRef({ payload, onChange, form });
  useLayoutEffect(() => {
    latest.current = { payload, onChange, form };
  });
  const onEdit = useCallback(
    (path: Path, value: unknown) => {
      const { current } = latest;
      onTouch(pointerOf(path));
      halves.forgetWithin(pointerOf(path));
      const next = editPayload(current.form, current.payload, path, value);
      latest.current = { ...current, payload: next };
      current.onChange(next);
    },
    [onTouch, halves],
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
