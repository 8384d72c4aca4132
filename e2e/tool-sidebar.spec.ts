import type { Locator, Page } from '@playwright/test';
import { PAGES } from '#lib/contract/paths.ts';
import { expect, test } from './harness/test.ts';
import { runButton } from './harness/walk.ts';

test.use({ boardOptions: { shipped: [], fixtures: ['forms'], env: {} } });

const beside = (page: Page): Locator => page.getByRole('complementary', { name: 'All tools' });
const link = (page: Page, tool: string): Locator => beside(page).locator(`a[href="${PAGES.tool(tool)}"]`);

test('beside a tool it stands in sight among all others, and the list stays where it was left', async ({ page }) => {
  await page.goto('/tools/tell_words');
  await expect(runButton(page)).toBeEnabled();
  await expect(link(page, 'tell_words')).toHaveAttribute('aria-current', 'page');
  await expect(link(page, 'tell_words')).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('textbox', { name: 'Search the tools' })).toBeInViewport({ ratio: 1 });

  const other = link(page, 'suggest_examples');
  const before = await other.boundingBox();
  await other.click();
  await expect(page.getByRole('heading', { name: 'suggest_examples', level: 1 })).toBeVisible();
  await expect(other).toHaveAttribute('aria-current', 'page');
  expect(await other.boundingBox()).toEqual(before);

  await page.goto('/tools/choose_integer');
  await expect(link(page, 'choose_integer')).toBeInViewport({ ratio: 1 });
});
