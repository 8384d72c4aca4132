import type { Locator, Page } from '@playwright/test';
import { API } from '#lib/contract/paths.ts';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { runButton } from './harness/walk.ts';

/** Text of the editor, which is not a form control. */
const textOf = async (editor: Locator) => (await editor.innerText()).trimEnd();

const offers = (page: Page) => page.getByRole('listbox').getByRole('option');

/** Sets the cursor and waits until the text area has become an editor. */
async function enter(page: Page, field: Locator): Promise<void> {
  await field.click();
  await expect(page.locator('[data-editor]')).toBeVisible();
  await expect(field).toBeFocused();
}

/** Accepts a completion by its key, once the list matches the typed text: before that no completion is accepted. */
async function takeOffer(page: Page): Promise<void> {
  await expect(offers(page).first()).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.cm-tooltip-autocomplete-disabled')).toHaveCount(0);
  await page.keyboard.press('Enter');
}

test('arguments as JSON: what is typed stays while the editor comes, and the schema helps on by keys alone', async ({ page }) => {
  await page.goto('/tools/book_room');
  await expect(runButton(page)).toBeEnabled();
  const json = page.getByRole('textbox', { name: 'As JSON' });
  const guest = page.getByRole('textbox', { name: 'guest (required)' });

  await test.step('a text area until somebody is at it; nothing is lost on the way', async () => {
    await expect(page.locator('textarea[data-payload]')).toBeVisible();
    await json.focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{"guest": "Ada Lovelace", "nights": 2}');
    await expect(page.locator('[data-editor]')).toBeVisible();
    await expect(json).toBeFocused();
    await expect(guest).toHaveValue('Ada Lovelace');
    expect(JSON.parse(await textOf(json))).toEqual({ guest: 'Ada Lovelace', nights: 2 });
  });

  await test.step('names and values are offered, and taken by Enter', async () => {
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type(', "vi');
    await expect(offers(page)).toHaveCount(1);
    await expect(offers(page).first()).toContainText('"view"');
    await takeOffer(page);
    await expect(offers(page).filter({ hasText: '"yard"' })).toBeVisible();
    await page.keyboard.type('ya');
    await expect(offers(page)).toHaveCount(1);
    await takeOffer(page);
    await expect.poll(() => textOf(json)).toContain('"view": "yard"');
    await expect(page.getByRole('combobox', { name: 'view' })).toHaveValue('yard');
  });

  await test.step('the form and the editor go on saying the same', async () => {
    await guest.fill('Grace');
    await expect.poll(() => textOf(json)).toContain('"guest": "Grace"');
  });

  await test.step('faults are marked where they are', async () => {
    await json.fill('{"guest": "Ada", "nights": 99}');
    await runButton(page).click();
    await expect(page.locator('.cm-lintRange-error')).toHaveText('99');
    await json.fill('{"guest": "Ada" "nights": 2}');
    await page.getByRole('button', { name: 'Go there' }).click();
    await expect(json).toBeFocused();
    await expect(page.locator('.cm-lintRange-error')).toHaveCount(1);
  });

  await test.step('Tab leaves, and Control with Enter runs without changing the text', async () => {
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

test('an argument that may be any JSON is edited likewise, under its own name', async ({ page }) => {
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
