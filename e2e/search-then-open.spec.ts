import type { Page } from '@playwright/test';
import { test } from './harness/form-server.ts';
import { callRows } from './harness/navigation.ts';
import { expect } from './harness/test.ts';

/** Returns a function that lets the page arrive. */
async function holdBack(page: Page, path: string): Promise<() => void> {
  const slow = Promise.withResolvers<void>();
  await page.route(new RegExp(`${path}\\?.*_rsc=`), async (route) => {
    await slow.promise;
    await route.continue();
  });
  return slow.resolve;
}

test('a tool opens right after its name was typed, even if its page is slow', async ({ page }) => {
  const release = await holdBack(page, '/tools/open_safe');
  await page.goto('/tools');
  await page.getByRole('textbox', { name: 'Search tools' }).pressSequentially('safe');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/tools?q=safe');
  release();
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeEnabled();
  await expect(page).toHaveURL(/\/tools\/open_safe\?q=safe$/);
  await page.goBack();
  await expect(page.getByRole('textbox', { name: 'Search tools' })).toHaveValue('safe');
});

test('a call opens right after a search was typed, even if its page is slow', async ({ page, server }) => {
  const { id } = await server.call('book_room', { guest: 'Search then open', nights: 1 });
  const release = await holdBack(page, `/calls/${id}`);
  await page.goto('/calls');
  const link = callRows(page).filter({ hasText: 'Search then open' }).getByRole('link');
  await page.getByRole('textbox', { name: 'Search calls' }).fill('search then');
  await link.press('Enter');
  await expect(page).toHaveURL('/calls?q=search+then');
  release();
  await expect(page).toHaveURL(`/calls/${id}`);
  await page.goBack();
  await expect(page.getByRole('textbox', { name: 'Search calls' })).toHaveValue('search then');
});

test('fast typing loses no letters', async ({ page }) => {
  await page.goto('/tools');
  const search = page.getByLabel('Search tools');
  for (const delay of [0, 15, 40]) {
    await search.fill('');
    await search.pressSequentially('the quick brown fox', { delay });
    await expect(page).toHaveURL('/tools?q=the+quick+brown+fox');
    await expect(search).toHaveValue('the quick brown fox');
  }
});

test('a search without matches offers all tools', async ({ page }) => {
  await page.goto('/tools?q=nothing+is+called+so');
  await expect(page.getByText('No matching tools')).toBeVisible();
  await page.getByRole('button', { name: /^Show all \d+$/ }).click();
  await expect(page.getByRole('link', { name: 'open_safe' })).toBeVisible();
  await expect(page).toHaveURL('/tools');
});
