import type { Page } from '@playwright/test';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { callLog } from './harness/navigation.ts';

const NAME_OF_FOCUSED = `(({ activeElement: element }) =>
  element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent)(document)`;

/** Presses Tab until an element has the focus; fails if it is unreachable. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let pressed = 0; pressed < 80; pressed += 1) {
    await page.keyboard.press('Tab');
    if (name.test(await page.evaluate<string>(NAME_OF_FOCUSED))) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

test('a tool is found, filled in, confirmed and run with the keyboard alone', async ({ page }) => {
  await test.step('opens the list of tools and one of them', async () => {
    await page.goto('/');
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused();
    await tabTo(page, /^Tools$/);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Tools', level: 1 })).toBeVisible();
    await page.keyboard.press('/');
    await expect(page.getByRole('textbox', { name: 'Search tools' })).toBeFocused();
    await page.keyboard.type('safe');
    await expect(page).toHaveURL('/tools?q=safe');
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('link', { name: 'open_safe' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeEnabled();
  });

  await test.step('reports a missing value at its field', async () => {
    await page.keyboard.press('f');
    await expect(page.getByRole('textbox', { name: 'table (required)' })).toBeFocused();
    await page.keyboard.type('12');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByText('One value needs attention:')).toBeVisible();
    await expect(page.getByLabel('api_key (required)')).toBeFocused();
    await expect(page.getByLabel('api_key (required)')).toHaveAttribute('aria-invalid', 'true');
  });

  await test.step('fills it in and cancels the confirmation', async () => {
    await page.keyboard.type('open sesame');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('alertdialog', { name: 'Run open_safe?' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('alertdialog')).toBeHidden();
    await expect(page.getByLabel('api_key (required)')).toBeFocused();
  });

  await test.step('confirms and reads the result', async () => {
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('alertdialog', { name: 'Run open_safe?' })).toBeVisible();
    await tabTo(page, /^Run open_safe$/);
    await page.keyboard.press('Enter');
    await expect(page.getByText('open_safe: Succeeded')).toBeAttached();
    await tabTo(page, /^Result$/);
    await expect(page.getByRole('tab', { name: 'Result' })).toBeFocused();
    await page.keyboard.press('ArrowRight');
    await expect(callLog(page)).toContainText('Turning the knob');
  });

  await test.step('opens the copy menu and selects a call', async () => {
    await page.keyboard.press('c');
    await expect(page.getByRole('menu')).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('menuitem').first()).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('menu')).toHaveCount(0);
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await expect(page.getByRole('heading', { name: 'Calls', level: 1 })).toBeVisible();
    await expect(page.locator('[data-call]').first()).toBeVisible();
    await page.keyboard.press('j');
    await expect(page.locator('[data-call]').first()).toBeFocused();
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Next and previous row');
  });

  await test.step('opens a call with two quick key presses', async () => {
    await page.goto('/calls');
    await expect(page.getByRole('status', { name: 'Connection' })).toHaveText('Live');
    await expect(page.locator('[data-call]').first()).toBeVisible();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/calls\/[0-9a-f-]{36}/);
  });

  await test.step('goes back, and the focus is on the row of the call', async () => {
    await page.goBack();
    await expect(page.locator('[data-call]').first()).toBeFocused();
  });
});

// components/shell/Keys.test.tsx tests the keys. On this page, letters are shortcuts.
test('the command palette finds a tool whose name is typed before the palette has loaded', async ({ page }) => {
  await page.goto('/calls');
  await expect(page.getByRole('status', { name: 'Connection' })).toHaveText('Live');
  const typed = Promise.withResolvers<void>();
  await page.route('**/_next/static/chunks/**', async (route) => {
    await typed.promise;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('book_r');
  typed.resolve();
  const field = page.getByRole('dialog').getByRole('combobox');
  await expect(field, 'it contains the text typed while it loaded').toHaveValue('book_r');
  await expect(field).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'book_room', level: 1 })).toBeVisible();
});

test('the second Tab on the page of a tool focuses the link to its form', async ({ page }) => {
  await page.goto('/tools/book_room');
  const guest = page.getByRole('textbox', { name: 'guest (required)' });
  await expect(guest).toBeVisible();
  await expect(guest).toHaveAttribute('dir', 'auto');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the form' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(guest).toBeFocused();
});

test('a tab shows the focus ring after a key, not after a click', async ({ page }) => {
  await page.goto('/extensions/workbench');
  const tab = page.getByRole('tab', { name: 'Revisions' });
  await tab.click();
  await expect(tab).toBeFocused();
  await expect(page.locator('[role=tab]:focus-visible')).toHaveCount(0);
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('[role=tab]:focus-visible')).toHaveText('Failures');
});
