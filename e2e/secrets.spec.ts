import { expectAccessible } from './harness/accessible.ts';
import { expect, test } from './harness/test.ts';
import { openExtension } from './harness/navigation.ts';

test.use({ serverOptions: { shipped: [], fixtures: [], env: {} } });

const READS = `export const SECRETS = ['API_KEY'];
export const TOOL = {
  label: 'Test', name: 'read_key', description: 'Answers with the length of a secret.', parameters: {},
  execute: () => ({ length: process.env.API_KEY.length }),
};
`;

test('a missing secret is added from the failure, replaced and deleted, and its value is never shown', async ({ page, server }) => {
  await server.save('reader/extension.ts', READS);
  await page.goto('/');
  await openExtension(page, 'reader');
  await expect(page.getByRole('region', { name: 'Failure' })).toContainText('The secret API_KEY is not set');
  await page.getByRole('link', { name: 'Add secret' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add secret' });
  await expect(dialog.getByLabel('Name')).toHaveValue('API_KEY');
  await expectAccessible(page);
  await dialog.getByLabel('Value').fill('a-value-that-nobody-sees');
  await dialog.getByRole('button', { name: 'Add secret' }).click();
  await expect(dialog).toBeHidden();
  const row = page.getByRole('list', { name: 'Stored secrets' }).getByRole('listitem').filter({ hasText: 'API_KEY' });
  await expect(row).toContainText('Used by reader');
  await expectAccessible(page);
  await row.getByRole('link', { name: 'reader' }).click();
  await expect(page.getByRole('region', { name: 'Failure' })).toBeHidden();

  await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Secrets' }).click();
  await row.getByRole('button', { name: 'Replace API_KEY' }).click();
  const replace = page.getByRole('dialog', { name: 'Replace API_KEY' });
  await expect(replace.getByLabel('Value')).toHaveValue('');
  await replace.getByLabel('Value').fill('another-value');
  await replace.getByRole('button', { name: 'Replace', exact: true }).click();
  await expect(replace).toBeHidden();
  expect(await page.content()).not.toContain('a-value-that-nobody-sees');

  await row.getByRole('button', { name: 'Delete API_KEY' }).click();
  const ask = page.getByRole('alertdialog');
  await expect(ask).toContainText('reader will stop serving');
  await ask.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('list', { name: 'Missing secrets' })).toContainText('Needed by reader');
});
