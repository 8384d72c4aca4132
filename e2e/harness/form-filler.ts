import { expect } from './expect.ts';
import type { Locator, Page } from '@playwright/test';

/** Fills a form as a person does; fields are found by JSON Pointer. */
export interface Filler {
  readonly page: Page;
  /** The control or group of a field. */
  at(pointer: string): Locator;
  /** Types text into a field. */
  type(pointer: string, text: string): Promise<void>;
  /** Selects a list entry by its text. */
  pick(pointer: string, label: string): Promise<void>;
  /** Selects a radio button or toggle. */
  answer(pointer: string, label: string): Promise<void>;
  /** Selects a form of a union. */
  form(name: string, title: string): Promise<void>;
  press(name: string): Promise<void>;
  /** Selects how a field is sent: "Send null", "Do not send", "Send empty text". */
  send(name: string, how: string): Promise<void>;
  /** Adds an entry with a custom name. */
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
