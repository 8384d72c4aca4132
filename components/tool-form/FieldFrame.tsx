'use client';

import type { FieldTemplateProps, RJSFSchema } from '@rjsf/utils';
import { getUiOptions } from '@rjsf/utils';
import type { ReactNode } from 'react';
import { Badge } from '#components/ui/Badge.tsx';
import { cx } from '#components/ui/cx.ts';
import { planOf } from './field-plan.ts';
import type { FieldPlan } from './field-plan.ts';
import { FieldState } from './FieldState.tsx';
import { fieldIdOf, useFormView } from './form-view.ts';
import { canShow } from './payload.ts';
import { pointerOf } from './pointer.ts';
import { Words } from './Words.tsx';

/** One field: its name, whether and how it is sent, its control, its words, and what is wrong with it. */
export function FieldFrame({
  schema,
  uiSchema,
  fieldPathId,
  label,
  required = false,
  formData,
  onChange,
  children,
}: FieldTemplateProps<unknown, RJSFSchema>) {
  const { issues } = useFormView();
  const plan = planOf(schema);
  const { path } = fieldPathId;
  if (plan === null || path.length === 0) return children;

  const pointer = pointerOf(path);
  const id = fieldIdOf(pointer);
  const last = path.at(-1);
  const isItem = typeof last === 'number';
  const name = plan.title ?? (isItem ? `Item ${last + 1}` : String(last ?? label));
  const bare = getUiOptions(uiSchema)['bare'] === true;
  const group = isGroup(plan) && canShow(plan, formData);
  const wrong = issues.get(pointer) ?? [];
  const after = (
    <>
      <Words id={`${id}-words`} description={bare || isItem ? null : plan.description} limits={limitsOf(plan, formData)} />
      <div id={`${id}-issues`} className="empty:hidden">
        {bare && isGroup(plan)
          ? null
          : wrong.map((message) => (
              <p key={message} className="foreign text-xs font-medium text-failed">
                {message}
              </p>
            ))}
      </div>
    </>
  );
  if (bare || isItem) {
    return (
      <div className="flex min-w-0 flex-col gap-1">
        {group ? null : (
          <label id={`${id}-label`} htmlFor={id} className="sr-only">
            {name}
          </label>
        )}
        {group && plan.control !== 'choices' ? (
          <div role="group" aria-label={name}>
            {children}
          </div>
        ) : (
          children
        )}
        {after}
      </div>
    );
  }
  const state = (
    <FieldState plan={plan} name={name} required={required} value={formData} onChange={(value) => onChange(value, [...path])} />
  );
  if (!group) {
    const words = <NameWords plan={plan} name={name} property={String(last)} required={required} />;
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
        <div className="col-span-2 flex min-w-0 flex-col gap-1 empty:hidden">{after}</div>
      </div>
    );
  }
  return (
    <fieldset className="min-w-0" aria-describedby={`${id}-words ${id}-issues`}>
      <legend id={`${id}-label`} className="sr-only">
        {name}
        {required ? ', required' : ''}
      </legend>
      <div className="flex min-h-5 flex-wrap items-center gap-x-2">
        <span aria-hidden className="text-sm font-medium break-words">
          <NameWords plan={plan} name={name} property={String(last)} required={required} />
        </span>
        {state}
      </div>
      <div className="flex flex-col gap-1 pb-1">{after}</div>
      <div className={cx(plan.control !== 'union' && 'border-l-2 border-line pl-3')}>{children}</div>
    </fieldset>
  );
}

function NameWords({
  plan,
  name,
  property,
  required,
}: {
  plan: FieldPlan;
  name: string;
  property: string | null;
  required: boolean;
}): ReactNode {
  return (
    <>
      {name}
      {plan.title !== null && property !== null && plan.title !== property ? (
        <code className="ml-1.5 text-xs font-normal text-muted">{property}</code>
      ) : null}
      {required ? <span className="font-normal text-muted"> (required)</span> : null}
      {plan.deprecated ? <Badge className="ml-1.5 align-middle">deprecated</Badge> : null}
    </>
  );
}

function isGroup(plan: FieldPlan): boolean {
  return (
    plan.control === 'object' ||
    plan.control === 'array' ||
    plan.control === 'map' ||
    plan.control === 'union' ||
    plan.control === 'choices'
  );
}

function limitsOf(plan: FieldPlan, value: unknown): string | null {
  if (plan.fallback !== null && value !== undefined && plan.control !== 'choice' && plan.control !== 'boolean') {
    const text = JSON.stringify(plan.fallback.value);
    if (text !== undefined && text.length <= 60) return [plan.limits, `default ${text}`].filter((part) => part !== null).join(', ');
  }
  return plan.limits;
}
