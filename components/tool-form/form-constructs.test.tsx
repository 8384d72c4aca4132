import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { entryPointer, isKey } from '#lib/testing/form-cases/filler.ts';
import type { Filler } from '#lib/testing/form-cases/filler.ts';
import { NUMBERS, TEXTS, WORDS } from '#lib/testing/form-cases/form-cases.ts';
import { LISTS } from '#lib/testing/form-cases/list-cases.ts';
import { OBJECTS } from '#lib/testing/form-cases/object-cases.ts';
import { UNIONS } from '#lib/testing/form-cases/union-cases.ts';
import { TOOLS } from '../../e2e/fixtures/forms/extension.ts';
import { FormPage, at, tried } from './form-for-tests.tsx';

afterEach(cleanup);

/** Like Playwright: a text matches a part of the name. */
const partOf = (name: string | RegExp) => (typeof name === 'string' ? (text: string) => text.includes(name) : name);

function createFiller(): Filler {
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

describe('a form holds what was filled in', () => {
  it.each([...TEXTS, ...NUMBERS, ...LISTS, ...OBJECTS, ...UNIONS, ...WORDS])(
    '$tool: $sent',
    async ({ tool, fill, sent, filled = sent }) => {
      const schema = TOOLS.find(({ name }) => name === tool)?.parameters;
      render(<FormPage schema={{ ...schema }} />);
      await fill(createFiller());
      expect(tried.unsendable).toEqual({});
      expect(tried.payload).toStrictEqual(filled);
    },
  );
});
