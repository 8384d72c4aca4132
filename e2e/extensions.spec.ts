import { expect, test } from './harness/test.ts';
import { connection, openExtension } from './harness/walk.ts';

test.use({ boardOptions: { fixtures: ['workbench', 'broken'], env: {} } });

test('extensions are searched and narrowed, and the address keeps it', async ({ page }) => {
  await page.goto('/extensions');
  const rows = page
    .getByRole('region', { name: 'Extensions' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });
  await expect(rows).toHaveCount(6);
  await expect(rows.first(), 'what is broken stands first').toContainText('broken');
  await page.getByRole('textbox', { name: 'Search extensions' }).fill('book_room');
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('workbench');
  await expect(page).toHaveURL(/[?&]q=book_room/);
  await page.reload();
  await expect(rows).toHaveCount(1);
  await page.getByRole('textbox', { name: 'Search extensions' }).press('Escape');
  await page.getByRole('group', { name: 'State' }).getByRole('button', { name: 'Failed' }).click();
  await expect(page).toHaveURL(/[?&]state=failed/);
  await expect(rows).toHaveCount(1);
  await page.getByRole('textbox', { name: 'Search extensions' }).fill('nothing is called so');
  await expect(page.getByText('No extension fits')).toBeVisible();
  await page.getByRole('button', { name: 'Show all 6' }).click();
  await expect(rows).toHaveCount(6);
});

test('an extension that fails when it is imported shows its own frames, what it printed, and the way out', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('main').getByRole('link', { name: 'broken', exact: true }).first().click();
  const failure = page.getByRole('region', { name: 'Failure' });
  await expect(failure.getByRole('heading')).toContainText(['Revision 1 was not loaded; nothing serves']);
  await expect(failure).toContainText('The list of guests cannot be read');
  await expect(failure.getByText(/^broken\/extension\.ts:13:\d+$/)).toBeVisible();
  await expect(failure.getByRole('region', { name: 'Stack' })).toContainText('broken/extension.ts:13');
  await expect(failure.getByRole('region', { name: 'What it printed' })).toContainText('Reading the list of guests');
  await expect(failure.getByText('import_error', { exact: true })).toBeVisible();
});

test('a helper that is saved reloads the extension that reaches it, and no other', async ({ page, board, watch }) => {
  await page.goto('/');
  await expect(connection(page)).toHaveText('Live');
  await openExtension(page, 'broken');
  const entry = await board.read('broken/extension.ts');
  await board.save('broken/extension.ts', entry.replace(/\nthrow .*/, '\n'));
  await expect(page.getByText('serving 2', { exact: true }).first()).toBeVisible();
  await board.save('broken/guests.ts', "export const guests = ['Ada'];\n");
  await expect(page.getByText('serving 3', { exact: true }).first()).toBeVisible();
  expect((await board.call('count_guests')).result).toBe(1);
  await openExtension(page, 'workbench');
  await expect(page.getByText('serving 1', { exact: true }).first()).toBeVisible();

  await test.step('an older revision is taken back into service', async () => {
    await openExtension(page, 'broken');
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await page.getByRole('button', { name: 'Roll back to 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await expect(page.getByText(/^serving 2/).first()).toBeVisible();
    expect((await board.call('count_guests')).result).toBe(2);
  });

  await test.step('a removed folder withdraws it at once', async () => {
    watch.expect(/(answer|status of) 404.*/);
    await board.discard('broken');
    await expect(page.getByText('broken is not here any more')).toBeVisible();
  });
});

test('what an extension says of itself, printed and does is a tab away', async ({ page }) => {
  await page.goto('/extensions/workbench');
  await expect(connection(page)).toHaveText('Live');
  await page.getByRole('tab', { name: 'Status' }).click();
  await expect(page).toHaveURL(/tab=status/);
  await expect(page.getByRole('tabpanel')).toContainText('rooms');
  await page.getByRole('tab', { name: 'About' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('workbench/extension.ts');
  await expect(page.getByRole('tabpanel')).toContainText('use the network');
});
