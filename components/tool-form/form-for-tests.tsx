import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { expect } from 'vitest';
import { entryPointer, isKey } from '#lib/testing/form-cases/filler.ts';
import type { Filler } from '#lib/testing/form-cases/filler.ts';
import { planForm } from './form-plan.ts';
import { type Issue, atChoices, byPath } from './issues.ts';
import { type Payload, startPayload } from './payload.ts';
import { ToolForm } from './ToolForm.tsx';

interface Tried {
  payload: Payload;
  unsendable: Readonly<Record<string, string>>;
}

export const tried: Tried = { payload: {}, unsendable: {} };

export interface FormPageProps {
  readonly schema: Record<string, unknown>;
  readonly first?: Payload;
  readonly issues?: readonly Issue[];
}

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
    (pointer: string, message: string | null) =>
      setUnchosen((present) => {
        const others = [...present].filter(([path]) => path !== pointer);
        return new Map(message === null ? others : [...others, [pointer, message]]);
      }),
    [],
  );
  useEffect(() => {
    tried.payload = payload;
    tried.unsendable = unsendable;
  }, [payload, unsendable]);
  return (
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
  );
}

function nothing() {
  return undefined;
}

export function at(pointer: string): HTMLElement {
  const control = [...document.querySelectorAll<HTMLElement>('[data-path]')].find(({ dataset }) => dataset['path'] === pointer) ?? null;
  if (control === null) throw new Error(`no control for ${pointer}`);
  return control;
}

/** As in Playwright, a string matches a part of the name. */
const partOf = (name: string | RegExp) => (typeof name === 'string' ? (text: string) => text.includes(name) : name);

export function createFiller(): Filler {
  const user = userEvent.setup();
  const set = (field: HTMLElement, text: string): void => void fireEvent.change(field, { target: { value: text } });
  const select = (field: HTMLElement, label: string) => user.selectOptions(field, within(field).getByRole('option', { name: label }));
  const keysHere = async (...keys: readonly string[]) => {
    for (const key of keys) {
      const [first = '', second] = key.split('+');
      if (!isKey(key)) await user.keyboard(key.replaceAll('{', '{{').replaceAll('[', '[['));
      else await user.keyboard(second === undefined ? `{${first}}` : `{${first}>}{${second}}{/${first}}`);
    }
  };
  return {
    async type(pointer, text) {
      set(at(pointer), text);
    },
    async keys(pointer, ...keys) {
      at(pointer).focus();
      await keysHere(...keys);
    },
    keysHere,
    async named(role, name, text) {
      set(screen.getByRole(role, { name: partOf(name) }), text);
    },
    pick: (pointer, label) => select(at(pointer), label),
    async suggest(pointer, text, option) {
      await user.click(at(pointer));
      set(at(pointer), text);
      await user.click(await screen.findByRole('option', { name: option }));
    },
    check: (pointer, label) => user.click(within(at(pointer)).getByRole('checkbox', { name: label })),
    answer: (pointer, label) => user.click(within(at(pointer)).getByRole('radio', { name: label })),
    form: (name, title) => select(screen.getByRole('combobox', { name: `Form of ${name}` }), title),
    press: (name) => user.click(screen.getByRole('button', { name })),
    async pressIn(pointer, name) {
      await user.click(within(at(pointer)).getByRole('button', { name }));
    },
    async send(name, how) {
      await user.click(screen.getByRole('button', { name: partOf(`How ${name} is sent`) }));
      await user.click(await screen.findByRole('menuitem', { name: partOf(how) }));
    },
    async entry(pointer, name) {
      await user.click(
        within(at(pointer))
          .getAllByRole('button', { name: /^Add a name/ })
          .at(-1) ?? at(pointer),
      );
      const field =
        within(at(pointer))
          .getAllByRole('textbox', { name: /^Name of / })
          .at(-1) ?? at(pointer);
      set(field, name);
      await user.tab();
      await expect.poll(() => at(entryPointer(pointer, name))).toBeDefined();
    },
  };
}
