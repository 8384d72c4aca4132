import type { Locator, Page } from '@playwright/test';
import { entryPointer, isKey } from '#lib/testing/form-cases/filler.ts';
import type { Filler } from '#lib/testing/form-cases/filler.ts';
import { expect } from './expect.ts';

/** Fills the form of a page. */
export interface PageFiller extends Filler {
  /** The control or group of a field. */
  at(pointer: string): Locator;
}

export function createFiller(page: Page): PageFiller {
  const at = (pointer: string) => page.locator(`[data-path=${JSON.stringify(pointer)}]`);
  const keysHere = async (...keys: readonly string[]) => {
    for (const key of keys) await (isKey(key) ? page.keyboard.press(key) : page.keyboard.type(key));
  };
  return {
    at,
    type: (pointer, text) => at(pointer).fill(text),
    async keys(pointer, ...keys) {
      await at(pointer).focus();
      await keysHere(...keys);
    },
    keysHere,
    named: (role, name, text) => page.getByRole(role, { name }).fill(text),
    async pick(pointer, label) {
      await at(pointer).selectOption({ label });
    },
    async suggest(pointer, text, option) {
      await at(pointer).fill(text);
      await page.getByRole('option', { name: option }).click();
    },
    check: (pointer, label) => at(pointer).getByRole('checkbox', { name: label }).check(),
    answer: (pointer, label) => at(pointer).getByRole('radio', { name: label, exact: true }).check(),
    async form(name, title) {
      await page.getByRole('combobox', { name: `Form of ${name}`, exact: true }).selectOption({ label: title });
    },
    press: (name) => page.getByRole('button', { name, exact: true }).click(),
    pressIn: (pointer, name) => at(pointer).getByRole('button', { name }).click(),
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
      await expect(at(entryPointer(pointer, name))).toBeVisible();
    },
  };
}
