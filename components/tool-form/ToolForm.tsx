'use client';

import { useCallback, useContext, useLayoutEffect, useMemo, useRef } from 'react';
import { FieldContext, type FieldProps, type FormView, FormViewContext, IssuesContext, fieldIdOf } from './form-view.tsx';
import { type Path, type Payload, editPayload } from './payload.ts';
import type { FormSchema } from './field-plan.ts';
import { FieldView } from './FieldView.tsx';
import { Issues } from './FieldFrame.tsx';
import { planAt } from './form-plan.ts';
import { IncompleteInputContext } from './incomplete-input.ts';
import { type IssueMap, pointerOf } from './issues.ts';
import { FurtherFields } from './FurtherFields.tsx';

export interface ToolFormProps extends Omit<FormView, 'onEdit'> {
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
