'use client';

import { Plus, Search } from 'lucide-react';
import { createContext, useContext, useMemo, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Input } from '#components/ui/Field.tsx';
import { awaitsInWords } from './awaited-names.ts';
import type { ControlProps } from './controls.ts';
import { fieldIdOf, IssuesContext, useFormView } from './form-view.ts';
import { planAt } from './form-plan.ts';
import { FurtherFields } from './FurtherFields.tsx';
import { isJsonObject } from './json-text.ts';
import { isWithin, pointerOf } from './pointer.ts';
import type { SchemaNode } from './schema-node.ts';
import { NestedField } from './NestedField.tsx';
import { isSaid } from './union-option.ts';

const MANY = 16;
const DEEP = 8;

/** The schemas of the objects around this one: what stands among them contains itself. */
const Around = createContext<readonly SchemaNode[]>([]);

/** The fields of an object, and what stands in it beside them. */
export function ObjectControl({ plan, pointer, path, name, value, required, mark }: ControlProps) {
  const { disabled } = useFormView();
  const around = useContext(Around);
  const within = useMemo(() => [...around, plan.node], [around, plan.node]);
  const wrong = [...useContext(IssuesContext).keys()];
  const [opened, setOpened] = useState(false);
  const [wanted, setWanted] = useState('');
  const endless = around.includes(plan.node);
  const closed = !opened && !isJsonObject(value) && (endless || (!required && around.length >= DEEP));
  const shown = isJsonObject(value) ? value : {};
  const search = wanted.trim().toLowerCase();
  // What is wrong is in sight, whatever is searched for.
  const isWrong = (at: string) => wrong.some((each) => isWithin(each, at));
  const fields = plan.fields.filter(
    (field) =>
      isWrong(pointerOf([...path, field.name])) ||
      (!isSaid(field, mark, shown) &&
        (search === '' || field.name.toLowerCase().includes(search) || JSON.stringify(field.part.schema).toLowerCase().includes(search))),
  );
  const titleOf = (called: string) => {
    const field = plan.fields.find((each) => each.name === called);
    return (field === undefined ? null : planAt(field.part, shown[called]).title) ?? called;
  };
  const frame = {
    tabIndex: -1,
    className: 'flex min-w-0 flex-col gap-4 rounded outline-offset-4',
    id: fieldIdOf(pointer),
    'data-path': pointer,
  };
  if (closed) {
    return (
      <div {...frame}>
        <Button size="sm" icon={<Plus aria-hidden />} disabled={disabled} onClick={() => setOpened(true)} className="self-start">
          Fill in {name}
        </Button>
      </div>
    );
  }
  return (
    <Around value={within}>
      <div {...frame}>
        {plan.fields.length > MANY ? (
          <div className="relative">
            <Search aria-hidden className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted" />
            <Input
              type="search"
              aria-label={pointer === '' ? 'Find a field' : `Find a field of ${name}`}
              placeholder={`Find one of ${plan.fields.length} fields`}
              value={wanted}
              onChange={(event) => setWanted(event.target.value)}
              className="pl-8"
            />
          </div>
        ) : null}
        {fields.map((field) => (
          <div
            key={field.name}
            className={plan.fields.length > MANY ? 'min-w-0 [contain-intrinsic-size:auto_4rem] [content-visibility:auto]' : 'contents'}
          >
            <NestedField
              part={field.part}
              path={[...path, field.name]}
              value={Object.hasOwn(shown, field.name) ? shown[field.name] : undefined}
              required={plan.required.includes(field.name)}
              because={awaitsInWords(field.awaits, titleOf)}
            />
          </div>
        ))}
        {search !== '' && fields.length === 0 ? (
          <p role="status" className="text-sm text-muted">
            No field is called “{wanted.trim()}”.
          </p>
        ) : null}
        <FurtherFields plan={plan} path={path} name={name} value={shown} />
      </div>
    </Around>
  );
}
