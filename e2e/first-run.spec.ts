import { expect, test } from './harness/test.ts';

test.use({ serverOptions: { shipped: [], fixtures: [], env: {} } });

test('on an empty server, the overview explains how to write an extension and creates one', async ({ page }) => {
  await page.goto('/tools');
  await expect(page.getByText('No tools yet')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Search tools' })).toHaveCount(0);
  await page.goto('/calls');
  await page.getByRole('main').getByRole('link', { name: 'Show extensions' }).click();
  await expect(page).toHaveURL(/\/extensions$/);
  await page.goto('/');
  await expect(page.getByRole('main').getByRole('link', { name: 'Choose a tool' })).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Write your first extension' })).toBeVisible();
  await page.getByRole('button', { name: 'New extension' }).click();
  const dialog = page.getByRole('dialog', { name: 'New extension' });
  await dialog.getByLabel('Name').fill('repeat_text');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page).toHaveURL(/tools%2Frepeat_text\?tab=source/);
  await expect(page.getByText('Revision 1 serves.')).toBeVisible();
  await page.goto('/');
  await expect(page.getByText(/^All well: 1 extension serves 1 tool\./)).toBeVisible();
});
