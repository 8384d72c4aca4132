'use client';

import { toFieldPathId } from '@rjsf/utils';
import type { FieldProps, RJSFSchema } from '@rjsf/utils';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Input } from '#components/ui/Field.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import type { ControlProps } from './controls.ts';
import { fieldIdOf, useFormView } from './form-view.ts';
import { isJsonObject } from './json-text.ts';
import { blankFor } from './payload.ts';
import { pointerOf } from './pointer.ts';

/** Names that the person chooses, each with a value of the same kind. */
export function MapControl({ plan, pointer, value, onChange, field }: ControlProps & { field: FieldProps<unknown, RJSFSchema> }) {
  const { disabled } = useFormView();
  const all = isJsonObject(value) ? value : {};
  const entries = Object.entries(all);
  const { SchemaField } = field.registry.fields;
  const { path } = field.fieldPathId;
  const schema = plan.values;
  if (SchemaField === undefined || schema === null) return null;

  function rename(from: string, to: string) {
    onChange(Object.fromEntries(Object.entries(all).map(([name, each]) => [name === from ? to : name, each])));
  }

  function remove(name: string) {
    onChange(Object.fromEntries(Object.entries(all).filter(([each]) => each !== name)));
  }

  function add() {
    let name = 'name';
    for (let count = 2; Object.hasOwn(all, name); count += 1) name = `name${count}`;
    onChange({ ...all, [name]: blankFor(schema ?? undefined) ?? null });
  }

  return (
    <div id={fieldIdOf(pointer)} data-path={pointer} tabIndex={-1} className="flex min-w-0 flex-col gap-2 rounded">
      {/* By place, so that a renamed entry keeps its fields and the focus in them. */}
      {[...entries.entries()].map(([place, [name, member]]) => (
        <div key={place} className="flex min-w-0 items-start gap-2">
          <NameField pointer={pointer} name={name} taken={Object.keys(all)} onRename={(to) => rename(name, to)} />
          <div className="min-w-0 flex-1">
            <SchemaField
              name={name}
              schema={schema}
              uiSchema={{ 'ui:options': { bare: true } }}
              formData={member}
              required
              fieldPathId={toFieldPathId(name, field.registry.globalFormOptions, path)}
              registry={field.registry}
              onBlur={field.onBlur}
              onFocus={field.onFocus}
              onChange={(next: unknown, at: (string | number)[]) =>
                field.onChange(next === undefined && at.length === path.length + 1 ? (blankFor(schema) ?? null) : next, at)
              }
            />
          </div>
          <IconButton label={`Remove ${name}`} disabled={disabled} onClick={() => remove(name)}>
            <X aria-hidden />
          </IconButton>
        </div>
      ))}
      <Button size="sm" icon={<Plus aria-hidden />} disabled={disabled} onClick={add} className="self-start">
        Add a name
      </Button>
    </div>
  );
}

function NameField({
  pointer,
  name,
  taken,
  onRename,
}: {
  pointer: string;
  name: string;
  taken: readonly string[];
  onRename: (to: string) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? name;
  const clash = typed !== null && typed !== name && taken.includes(typed);
  const refused = typed === '__proto__';
  const id = `${fieldIdOf(`${pointer}${pointerOf([name])}`)}-name`;
  return (
    <span className="flex w-36 max-w-[40%] shrink-0 flex-col gap-1">
      <Input
        id={id}
        aria-label={`Name of ${name}`}
        aria-invalid={clash || refused || undefined}
        aria-describedby={`${id}-problem`}
        value={text}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => {
          if (typed !== null && typed !== name && !clash && !refused) onRename(typed);
          if (!clash && !refused) setTyped(null);
        }}
      />
      <span id={`${id}-problem`} className="text-xs font-medium text-failed">
        {clash ? 'This name is taken.' : refused ? 'This name is refused.' : ''}
      </span>
    </span>
  );
}
