import type { Locator, Page } from '@playwright/test';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

/** Pastes like the keyboard without focus; the page cannot write the clipboard itself. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(
    `(() => {
      const data = new DataTransfer();
      data.setData('text/plain', ${JSON.stringify(text)});
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    })()`,
  );
}

/** More than the server accepts. */
const TOO_LARGE = JSON.stringify({ it: 'words '.repeat(200_000) });

test('large pasted input survives a reload and is sent, and input over the limit is rejected', async ({ page, watch }) => {
  watch.expect(/413/);
  const editor = page.getByRole('region', { name: 'Arguments as JSON' }).locator('[data-editor]');
  const tooLarge = page.getByText(/^The body is larger than 1048576 bytes/);
  await page.goto('/tools/keep_anything');
  await expect(runButton(page)).toBeEnabled();
  await page.getByRole('heading', { name: 'Arguments', exact: true }).click();
  await paste(page, TOO_LARGE);
  await expect(editor).toContainText('words words');
  await expect(storageIsFull(page)).toHaveCount(0);
  await runButton(page).click();
  await expect(tooLarge).toBeVisible();

  await test.step('after a reload', async () => {
    await page.reload();
    await expect(runButton(page)).toBeEnabled();
    await expect(editor).toContainText('words words');
  });

  await test.step('an accepted object', async () => {
    await page.getByRole('heading', { name: 'Arguments', exact: true }).click();
    await paste(page, JSON.stringify({ it: Array.from({ length: 20_000 }, (_, at) => ({ at, name: `item ${at}` })) }));
    await expect(editor).toContainText('"name": "item 0"');
    await runButton(page).click();
    await expect(page.getByText(/^keep_anything: Succeeded/)).toBeAttached();
    await expect(tooLarge).toHaveCount(0);
  });

  await test.step('input that was reset', async () => {
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.reload();
    await expect(runButton(page)).toBeEnabled();
    await expect(page.getByRole('button', { name: 'Reset' })).toHaveCount(0);
  });
});

test('shows a warning when browser storage is full', async ({ page }) => {
  await page.addInitScript("IDBFactory.prototype.open = () => { throw new DOMException('full', 'QuotaExceededError'); }");
  await page.goto('/tools/keep_anything');
  await expect(runButton(page)).toBeEnabled();
  await paste(page, TOO_LARGE);
  await expect(storageIsFull(page)).toBeVisible();
  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(storageIsFull(page)).toHaveCount(0);
});

function storageIsFull(page: Page): Locator {
  return page.getByText(/^Browser storage is full/);
}
