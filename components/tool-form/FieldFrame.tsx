'use client';

import type { ReactNode } from 'react';
import { Badge } from '#components/ui/Badge.tsx';
import { cx } from '#components/ui/cx.ts';
import { invisibleIn } from '#components/ui/visible-text.ts';
import type { ControlProps } from './controls.ts';
import { Examples } from './Examples.tsx';
import type { FieldPlan } from './field-plan.ts';
import { FieldState } from './FieldState.tsx';
import { fieldIdOf } from './form-view.ts';
import { Issues } from './Issues.tsx';
import { canShow } from './payload.ts';
import { useLeave } from './use-leave.ts';
import { limitsOf } from './limits-of.ts';
import { Words } from './Words.tsx';

interface FrameProps {
  readonly control: ControlProps;
  readonly bare: boolean;
  readonly shared: boolean;
  readonly property: string | null;
  readonly because: string | null;
  readonly children: ReactNode;
}

/** One field: its name, whether and how it is sent, its control, its words, and what is wrong with it. */
export function FieldFrame({ control, bare, shared, property, because, children: field }: FrameProps) {
  const { plan, pointer, name, value, required } = control;
  const leave = useLeave(pointer);
  const id = fieldIdOf(pointer);
  const idle = plan.readOnly && !required && value === undefined;
  const children = idle ? (
    <fieldset disabled className="contents">
      {field}
    </fieldset>
  ) : (
    field
  );
  const group = isGroup(plan) && canShow(plan, value);
  const state = idle ? <span className="ml-auto text-xs text-muted">set by the tool</span> : <FieldState control={control} />;
  const after = (
    <>
      <Words
        id={`${id}-words`}
        description={bare ? null : plan.description}
        limits={limitsOf(control)}
        because={because}
        invisible={typeof value === 'string' && !plan.secret ? invisibleIn(value) : []}
      />
      {shared ? null : <Issues pointer={pointer} />}
    </>
  );
  const examples = idle ? null : <Examples control={control} />;
  const isEmpty = value === undefined || value === null || value === '';
  if (bare) {
    return (
      <div className="flex min-w-0 flex-col gap-1">
        {group ? null : (
          <label id={`${id}-label`} htmlFor={id} className="sr-only">
            {name}
          </label>
        )}
        {group ? (
          <div role="group" aria-label={name} ref={leave}>
            {children}
          </div>
        ) : (
          children
        )}
        {plan.nullable && plan.control !== 'choice' && plan.control !== 'union' && plan.control !== 'boolean' ? (
          <div className="flex justify-end">{state}</div>
        ) : null}
        {after}
        {isEmpty ? examples : null}
      </div>
    );
  }
  const words = <NameWords plan={plan} name={name} property={property} required={required} />;
  if (!group) {
    // The state stands beside the name for the eye, and after the control for the Tab key.
    return (
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-2 gap-y-1">
        {plan.control === 'boolean' ? (
          <span id={`${id}-label`} className="min-h-5 text-sm font-medium break-words">
            {words}
          </span>
        ) : (
          <label id={`${id}-label`} htmlFor={id} className="min-h-5 text-sm font-medium break-words">
            {words}
          </label>
        )}
        <div className="col-span-2 row-start-2 flex min-w-0 flex-col gap-1">{children}</div>
        <div className="col-start-2 row-start-1 flex">{state}</div>
        <div className="col-span-2 flex min-w-0 flex-col gap-1 empty:hidden">
          {after}
          {examples}
        </div>
      </div>
    );
  }
  return (
    <fieldset className="min-w-0" aria-describedby={`${id}-words ${id}-issues`} ref={leave}>
      <legend id={`${id}-label`} className="sr-only">
        {name}
        {required ? ', required' : ''}
      </legend>
      <div className="flex min-h-5 flex-wrap items-center gap-x-2">
        <span aria-hidden className="text-sm font-medium break-words">
          {words}
        </span>
        {state}
      </div>
      <div className="flex flex-col gap-1 pb-1">
        {after}
        {examples}
      </div>
      <div className={cx(plan.control !== 'union' && 'border-l-2 border-line pl-3')}>{children}</div>
    </fieldset>
  );
}

function NameWords({ plan, name, property, required }: { plan: FieldPlan; name: string; property: string | null; required: boolean }) {
  return (
    <>
      <bdi>{name === '' ? '(empty name)' : name}</bdi>
      {plan.title !== null && property !== null && plan.title !== property ? (
        <code className="ml-1.5 text-xs font-normal text-muted">
          <bdi>{property}</bdi>
        </code>
      ) : null}
      {required ? <span className="font-normal text-muted"> (required)</span> : null}
      {plan.deprecated ? <Badge className="ml-1.5 align-middle">deprecated</Badge> : null}
      {plan.readOnly ? <Badge className="ml-1.5 align-middle">read only</Badge> : null}
    </>
  );
}

function isGroup(plan: FieldPlan): boolean {
  return ['object', 'array', 'tuple', 'union', 'choices'].includes(plan.control);
}
