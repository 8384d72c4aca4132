import { OFFICIAL_CLIENTS } from '#lib/mcp/clients-for-tests.ts';
import { expect, test } from './harness/test.ts';
import { callRows } from './harness/navigation.ts';

test.use({ serverOptions: { shipped: [], fixtures: ['workbench'], env: {} } });

test('agents connect with the shown URL, and the dialog links to their calls', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/');
  await page.getByRole('button', { name: 'Connect an agent' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect an agent' });
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect(dialog.getByRole('button', { name: 'Copied', exact: true })).toBeVisible();
  const url = await page.evaluate<string>('navigator.clipboard.readText()');
  await expect(dialog.getByRole('code').first()).toHaveText(url);

  for (const official of OFFICIAL_CLIENTS) {
    const client = await official.connect(url);
    const { tools } = await client.listTools();
    await expect(dialog).toContainText(`${tools.length} tools are available now`);
    await client.callTool('book_room', {});
    await client.close();
  }

  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
  await page.keyboard.type('goose');
  await page.getByRole('option', { name: 'Connect an agent' }).click();
  await dialog.getByRole('tab', { name: 'Cursor' }).click();
  await expect(dialog.getByRole('region', { name: 'For Cursor' })).toContainText(`"url": "${url}"`);
  await dialog.getByRole('link', { name: 'Calls by agents' }).click();
  await expect(page).toHaveURL(/\/calls\?source=mcp$/);
  await expect(dialog).toBeHidden();
  await expect(callRows(page)).toHaveCount(OFFICIAL_CLIENTS.length);
  await expect(callRows(page).first()).toContainText('official client');
});
