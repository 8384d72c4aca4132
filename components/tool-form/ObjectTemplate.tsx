'use client';

import type { ObjectFieldTemplateProps, RJSFSchema } from '@rjsf/utils';
import { Button } from '#components/ui/Button.tsx';
import { planOf } from './field-plan.ts';
import { fieldIdOf, useFormView } from './form-view.ts';
import { isJsonObject } from './json-text.ts';
import { pointerOf } from './pointer.ts';

/** The fields of an object, and what stands in it beside them. */
export function ObjectTemplate({ schema, properties, fieldPathId, formData }: ObjectFieldTemplateProps<unknown, RJSFSchema>) {
  const { issues, onRemove } = useFormView();
  const plan = planOf(schema);
  const { path } = fieldPathId;
  const pointer = pointerOf(path);
  const value = isJsonObject(formData) ? formData : {};
  const known = properties.map((property) => property.name);
  const further = Object.keys(value).filter((name) => !known.includes(name));
  return (
    <div
      {...(pointer === '' ? {} : { id: fieldIdOf(pointer), 'data-path': pointer })}
      tabIndex={-1}
      className="flex min-w-0 flex-col gap-4 rounded outline-offset-4"
    >
      {properties.map((property) => property.content)}
      {further.map((name) => {
        const at = `${pointer}${pointerOf([name])}`;
        return (
          <div
            key={name}
            id={fieldIdOf(at)}
            data-path={at}
            tabIndex={-1}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded bg-subtle px-3 py-1.5 text-sm"
          >
            <span className="min-w-0 flex-1">
              <code className="break-all">{name}</code> <span className="text-muted">is in the JSON and has no field here.</span>
              {(issues.get(at) ?? []).map((message) => (
                <span key={message} className="foreign block text-xs font-medium text-failed">
                  {message}
                </span>
              ))}
            </span>
            <Button size="sm" variant="quiet" onClick={() => onRemove(at)} aria-label={`Remove ${name}`}>
              Remove
            </Button>
          </div>
        );
      })}
      {plan?.values === null || plan?.values === undefined ? null : (
        <p className="text-xs text-muted">Further names are accepted; write them in the JSON.</p>
      )}
    </div>
  );
}
