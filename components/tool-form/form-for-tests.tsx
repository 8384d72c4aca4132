import { useCallback, useEffect, useMemo, useState } from 'react';
import { TooltipProvider } from '#components/ui/Tooltip.tsx';
import { planForm } from './form-plan.ts';
import { type Issue, atChoices, byPath } from './issues.ts';
import { type Payload, startPayload } from './payload.ts';
import { ToolForm } from './ToolForm.tsx';

interface Tried {
  payload: Payload;
  /** What keeps the form from being run, by the place that says so. */
  unsendable: Readonly<Record<string, string>>;
}

/** What the form on the page would send just now. */
export const tried: Tried = { payload: {}, unsendable: {} };

export interface FormPageProps {
  readonly schema: Record<string, unknown>;
  readonly first?: Payload;
  readonly issues?: readonly Issue[];
}

/** A form on a page of its own; what cannot be sent is said at once. */
export function FormPage({ schema, first, issues = [] }: FormPageProps) {
  const [form] = useState(() => planForm(schema));
  const [payload, setPayload] = useState(first ?? startPayload(form));
  const [unsendable, setUnsendable] = useState<Readonly<Record<string, string>>>({});
  const [unchosen, setUnchosen] = useState<ReadonlyMap<string, string>>(new Map());
  const shown = useMemo(
    () => byPath([...atChoices(issues, unchosen), ...Object.entries(unsendable).map(([path, message]) => ({ path, message }))]),
    [issues, unsendable, unchosen],
  );
  const onUnsendable = useCallback(
    (pointer: string, problem: string | null) =>
      setUnsendable((present) => {
        const others = Object.entries(present).filter(([path]) => path !== pointer);
        return Object.fromEntries(problem === null ? others : [...others, [pointer, problem]]);
      }),
    [],
  );
  const onUnchosen = useCallback(
    (pointer: string, asked: string | null) =>
      setUnchosen((present) => {
        const others = [...present].filter(([path]) => path !== pointer);
        return new Map(asked === null ? others : [...others, [pointer, asked]]);
      }),
    [],
  );
  useEffect(() => {
    tried.payload = payload;
    tried.unsendable = unsendable;
  }, [payload, unsendable]);
  return (
    <TooltipProvider>
      <ToolForm
        form={form}
        payload={payload}
        onChange={setPayload}
        issues={shown}
        disabled={false}
        onVisit={nothing}
        onTouch={nothing}
        onUnsendable={onUnsendable}
        onUnchosen={onUnchosen}
      />
    </TooltipProvider>
  );
}

function nothing() {
  return undefined;
}

/** The control or group that edits a part of the arguments. */
export function at(pointer: string): HTMLElement {
  const control = [...document.querySelectorAll<HTMLElement>('[data-path]')].find(({ dataset }) => dataset['path'] === pointer) ?? null;
  if (control === null) throw new Error(`no control for ${pointer}`);
  return control;
}
