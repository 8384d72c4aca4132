import { expect } from './expect.ts';
import type { Locator, Page } from '@playwright/test';

/** Fills a form as a person does, finding each field by the part of the arguments that it edits. */
export interface Filler {
  readonly page: Page;
  /** The control or group of a field. */
  at(pointer: string): Locator;
  /** Types into a field what a keyboard can type. */
  type(pointer: string, text: string): Promise<void>;
  /** Picks an entry of a list by what it says. */
  pick(pointer: string, label: string): Promise<void>;
  /** Chooses one of the answers that stand side by side. */
  answer(pointer: string, label: string): Promise<void>;
  /** Chooses the form of a value that may have several. */
  form(name: string, title: string): Promise<void>;
  press(name: string): Promise<void>;
  /** Chooses how a field is sent: "Send null", "Do not send", "Send empty text". */
  send(name: string, how: string): Promise<void>;
  /** Adds an entry to an object with names of the person's choice. */
  entry(pointer: string, name: string): Promise<void>;
}

export function createFiller(page: Page): Filler {
  const at = (pointer: string) => page.locator(`[data-path=${JSON.stringify(pointer)}]`);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  return {
    page,
    at,
    type: (pointer, text) => at(pointer).fill(text),
    async pick(pointer, label) {
      await at(pointer).selectOption({ label });
    },
    answer: (pointer, label) => at(pointer).getByRole('radio', { name: label, exact: true }).check(),
    async form(name, title) {
      await page.getByRole('combobox', { name: `Form of ${name}`, exact: true }).selectOption({ label: title });
    },
    press,
    async send(name, how) {
      await page.getByRole('button', { name: `How ${name} is sent` }).click();
      await page.getByRole('menuitem', { name: how }).click();
    },
    async entry(pointer, name) {
      const group = at(pointer);
      await group
        .getByRole('button', { name: /^Add a name/ })
        .last()
        .click();
      const field = group.getByRole('textbox', { name: /^Name of / }).last();
      await field.fill(name);
      await field.press('Tab');
      await expect(at(`${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)).toBeVisible();
    },
  };
}
