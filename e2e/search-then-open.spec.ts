import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';

test('a link found by typing opens, even if its page is slow', async ({ page }) => {
  const slow = Promise.withResolvers<void>();
  await page.route(/\/tools\/open_safe\?.*_rsc=/, async (route) => {
    await slow.promise;
    await route.continue();
  });
  await page.goto('/tools');
  await page.getByRole('textbox', { name: 'Search tools' }).pressSequentially('safe');
  await expect(page).toHaveURL('/tools?q=safe');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('link', { name: 'open_safe' })).toBeFocused();
  await page.keyboard.press('Enter');
  slow.resolve();
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeEnabled();
  await expect(page).toHaveURL(/\/tools\/open_safe\?q=safe$/);
});

test('fast typing loses no letters', async ({ page }) => {
  await page.goto('/tools');
  const search = page.getByLabel('Search tools');
  for (const delay of [0, 10, 15, 25, 40]) {
    await search.fill('');
    await search.pressSequentially('the quick brown fox', { delay });
    await expect(page).toHaveURL('/tools?q=the+quick+brown+fox');
    await expect(search).toHaveValue('the quick brown fox');
  }
});
