import type { Page } from '@playwright/test';
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

test('a large pasted object is shown in the editor and sent, and one over the limit is rejected', async ({ page, watch }) => {
  watch.expect(/413/);
  await page.goto('/tools/keep_anything');
  await expect(runButton(page)).toBeEnabled();
  const large = (items: number) => JSON.stringify({ it: Array.from({ length: items }, (_, at) => ({ at, name: `item ${at}` })) });
  const json = page.getByRole('region', { name: 'Arguments as JSON' });

  await page.getByRole('heading', { name: 'Arguments', exact: true }).click();
  await paste(page, large(40_000));
  await expect(json.locator('[data-editor]')).toContainText('"name": "item 0"');
  await runButton(page).click();
  const tooLarge = page.getByText(/^The body is larger than 1048576 bytes/);
  await expect(tooLarge).toBeVisible();

  await page.getByRole('heading', { name: 'Arguments', exact: true }).click();
  await paste(page, large(20_000));
  await expect(tooLarge).toHaveCount(0);
  await runButton(page).click();
  await expect(page.getByText(/^keep_anything: Succeeded/)).toBeAttached();
});

test('a list of thousands of items is edited as JSON', async ({ page }) => {
  await page.goto('/tools/list_texts');
  await expect(runButton(page)).toBeEnabled();
  await paste(page, JSON.stringify({ it: Array.from({ length: 5_000 }, (_, at) => `item ${at}`) }));
  await expect(page.getByText('These are 5,000 items, too many for fields. Edited as JSON.')).toBeVisible();
  await runButton(page).click();
  await expect(page.getByText(/^list_texts: Succeeded/)).toBeAttached();
});

test.describe('large input', () => {
  const words = JSON.stringify({ it: 'words '.repeat(1_000_000) });
  const note = (page: Page) => page.getByText(/^Browser storage is full/);
  const size = (page: Page) => page.evaluate<number>("document.querySelector('[data-editor]')?.textContent?.length ?? 0");

  test('survives a reload', async ({ page }) => {
    await page.goto('/tools/keep_anything');
    await expect(runButton(page)).toBeEnabled();
    await paste(page, words);
    await expect.poll(() => size(page)).toBeGreaterThan(1_000);
    await expect(note(page)).toHaveCount(0);
    await page.reload();
    await expect(runButton(page)).toBeEnabled();
    await expect.poll(() => size(page)).toBeGreaterThan(1_000);
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.reload();
    await expect(runButton(page)).toBeEnabled();
    await expect(page.getByRole('button', { name: 'Reset' })).toHaveCount(0);
  });

  test('shows a warning when browser storage is full', async ({ page }) => {
    await page.addInitScript("IDBFactory.prototype.open = () => { throw new DOMException('full', 'QuotaExceededError'); }");
    await page.goto('/tools/keep_anything');
    await expect(runButton(page)).toBeEnabled();
    await paste(page, words);
    await expect(note(page)).toBeVisible();
    await page.getByRole('button', { name: 'Reset' }).click();
    await expect(note(page)).toHaveCount(0);
  });
});
