import type { Locator, Page } from '@playwright/test';
import { API } from '#lib/contract/paths.ts';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

/** Text of the editor, which is not a form control. */
const textOf = async (editor: Locator) => (await editor.innerText()).trimEnd();

const completions = (page: Page) => page.getByRole('listbox').getByRole('option');

/** Sets the cursor and waits until the text area has become an editor. */
async function enter(page: Page, field: Locator): Promise<void> {
  await field.click();
  await expect(page.locator('[data-editor]')).toBeVisible();
  await expect(field).toBeFocused();
}

/** Accepts a completion with Enter, once the list matches the typed text. Until then the editor accepts none. */
async function acceptCompletion(page: Page): Promise<void> {
  await expect(completions(page).first()).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.cm-tooltip-autocomplete-disabled')).toHaveCount(0);
  await page.keyboard.press('Enter');
}

test('JSON typed while the editor loads is kept, and completed from the schema by keyboard', async ({ page }) => {
  await page.goto('/tools/book_room');
  await expect(runButton(page)).toBeEnabled();
  const json = page.getByRole('textbox', { name: 'As JSON' });
  const guest = page.getByRole('textbox', { name: 'guest (required)' });

  await test.step('a text area becomes an editor on focus, and no typed text is lost', async () => {
    await expect(page.locator('textarea[data-payload]')).toBeVisible();
    await json.focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{"guest": "Ada Lovelace", "nights": 2}');
    await expect(page.locator('[data-editor]')).toBeVisible();
    await expect(json).toBeFocused();
    await expect(guest).toHaveValue('Ada Lovelace');
    expect(JSON.parse(await textOf(json))).toEqual({ guest: 'Ada Lovelace', nights: 2 });
  });

  await test.step('names and values are completed with Enter', async () => {
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type(', "vi');
    await expect(completions(page)).toHaveCount(1);
    await expect(completions(page).first()).toContainText('"view"');
    await acceptCompletion(page);
    await expect(completions(page).filter({ hasText: '"yard"' })).toBeVisible();
    await page.keyboard.type('ya');
    await expect(completions(page)).toHaveCount(1);
    await acceptCompletion(page);
    await expect.poll(() => textOf(json)).toContain('"view": "yard"');
    await expect(page.getByRole('combobox', { name: 'view' })).toHaveValue('yard');
  });

  await test.step('the form and the editor stay in sync', async () => {
    await guest.fill('Grace');
    await expect.poll(() => textOf(json)).toContain('"guest": "Grace"');
  });

  await test.step('errors are marked at their location', async () => {
    await json.fill('{"guest": "Ada", "nights": 99}');
    await runButton(page).click();
    await expect(page.locator('.cm-lintRange-error')).toHaveText('99');
    await json.fill('{"guest": "Ada" "nights": 2}');
    await page.getByRole('button', { name: 'Go there' }).click();
    await expect(json).toBeFocused();
    await expect(page.locator('.cm-lintRange-error')).toHaveCount(1);
  });

  await test.step('Escape and Tab leave the editor, and Control+Enter runs without changing the text', async () => {
    await json.fill('{"guest": "Ada", "nights": 2}');
    await json.press('Escape');
    await page.keyboard.press('Tab');
    await expect(json).not.toBeFocused();
    await json.focus();
    const request = page.waitForRequest(`**${API.callTool('book_room')}`);
    await page.keyboard.press('Control+Enter');
    expect((await request).postDataJSON()).toEqual({ arguments: { guest: 'Ada', nights: 2 } });
    expect(await textOf(json)).toBe('{"guest": "Ada", "nights": 2}');
  });
});

test('an argument of any JSON value has its own labelled editor', async ({ page }) => {
  await page.goto('/tools/keep_free_object');
  await expect(runButton(page)).toBeEnabled();
  const field = page.locator('[data-path="/it"]');
  await enter(page, field);
  await page.keyboard.type('{"a": [1, {"b": null');
  await expect.poll(() => textOf(field)).toBe('{"a": [1, {"b": null}]}');
  await expect(field).toHaveAttribute('aria-labelledby', /-label$/);
  const request = page.waitForRequest(`**${API.callTool('keep_free_object')}`);
  await runButton(page).click();
  expect((await request).postDataJSON()).toEqual({ arguments: { it: { a: [1, { b: null }] } } });
});
