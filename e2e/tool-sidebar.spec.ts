import type { Locator, Page } from '@playwright/test';
import { PAGES } from '#lib/contract/paths.ts';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

const sidebar = (page: Page): Locator => page.getByRole('complementary', { name: 'All tools' });
const link = (page: Page, tool: string): Locator => sidebar(page).locator(`a[href="${PAGES.tool(tool)}"]`);

test('the list shows the open tool, and keeps its scroll position and visibility', async ({ page }) => {
  await page.goto('/tools/tell_words');
  await expect(runButton(page)).toBeEnabled();
  await expect(link(page, 'tell_words')).toBeHidden();
  await page.getByRole('button', { name: 'Show the list of tools' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Hide the list of tools' })).toBeFocused();
  await expect(link(page, 'tell_words')).toHaveAttribute('aria-current', 'page');
  await expect(link(page, 'tell_words')).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('textbox', { name: 'Search tools' })).toBeInViewport({ ratio: 1 });

  const other = link(page, 'suggest_examples');
  const before = await other.boundingBox();
  await other.click();
  await expect(page.getByRole('heading', { name: 'suggest_examples', level: 1 })).toBeVisible();
  await expect(other).toHaveAttribute('aria-current', 'page');
  expect(await other.boundingBox()).toEqual(before);

  await page.goto('/tools/choose_integer');
  await expect(link(page, 'choose_integer')).toBeInViewport({ ratio: 1 });
  await page.getByRole('button', { name: 'Hide the list of tools' }).click();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Show the list of tools' })).toBeVisible();
  await expect(link(page, 'choose_integer')).toBeHidden();
});

test('form and result have the same width until the separator is moved by mouse or keyboard', async ({ page }) => {
  await page.goto('/tools/tell_words');
  await expect(runButton(page)).toBeEnabled();
  const separator = page.getByRole('separator', { name: 'Width of the form' });
  const panel = (name: string) => page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true, level: 2 }) });
  const widthOf = async (name: string) => (await panel(name).boundingBox())?.width ?? 0;
  const difference = async () => (await widthOf('Arguments')) - (await widthOf('Result'));
  expect(Math.abs(await difference())).toBeLessThan(2);

  await separator.press('ArrowRight');
  await expect(separator).toHaveAttribute('aria-valuenow', '52');
  await separator.press('Shift+ArrowLeft');
  await expect(separator).toHaveAttribute('aria-valuenow', '42');
  expect(await difference()).toBeLessThan(-100);
  await separator.press('Home');
  await expect(separator).toHaveAttribute('aria-valuenow', '30');
  await page.reload();
  await expect(separator).toHaveAttribute('aria-valuenow', '30');

  const box = await separator.boundingBox();
  if (box === null) throw new Error('The separator is not on the page.');
  await page.mouse.move(box.x + box.width / 2, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await expect.poll(difference).toBeGreaterThan(50);
  await separator.press('Enter');
  await expect(separator).toHaveAttribute('aria-valuenow', '50');
});
