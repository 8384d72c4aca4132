'use client';

import { ArrayControl } from './ArrayControl.tsx';
import type { ControlProps } from './controls.ts';
import { planAt } from './form-plan.ts';
import { fieldIdOf } from './form-view.ts';
import { NestedField } from './NestedField.tsx';

/** A list in which each place has a kind of its own, and after these, where the schema says so, any number of one kind. */
export function TupleControl(props: ControlProps) {
  const { plan, pointer, path, value, required } = props;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const begun = items.length > 0;
  return (
    <div id={fieldIdOf(pointer)} data-path={pointer} tabIndex={-1} className="flex min-w-0 flex-col gap-3 rounded outline-offset-4">
      {[...plan.places.entries()].map(([place, part]) => (
        <NestedField
          key={place}
          part={part}
          path={[...path, place]}
          value={items[place]}
          stays
          required={(required || begun) && place < Math.max(plan.least, items.length - 1)}
          called={planAt(part, items[place]).title ?? `Place ${place + 1}`}
        />
      ))}
      {plan.items !== null && items.length >= plan.places.length ? <ArrayControl {...props} /> : null}
      {items.slice(plan.places.length).length > 0 && plan.items === null ? (
        <p className="text-xs text-muted">Further items stand in the JSON: {JSON.stringify(items.slice(plan.places.length))}</p>
      ) : null}
    </div>
  );
}
