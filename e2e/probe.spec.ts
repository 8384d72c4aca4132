import { expect, test } from './harness/test.ts';
import { openTool } from './harness/navigation.ts';

test.use({ serverOptions: { fixtures: ['probing'], env: {} } });

test('a tool is probed, and a finding is saved as a check that does not pass', async ({ page }) => {
  await page.goto('/');
  await openTool(page, 'count_rooms');
  await page.getByRole('button', { name: 'Probe this tool' }).click();
  await page.getByRole('alertdialog', { name: 'Probe count_rooms?' }).getByRole('button', { name: 'Probe', exact: true }).click();

  const finding = page.getByRole('list', { name: 'Findings' }).getByRole('listitem');
  await expect(finding).toContainText('Result does not match the output schema');
  await expect(finding).toContainText('"most": 42');
  await finding.getByRole('button', { name: 'Save as a check' }).click();
  await expect(finding).toContainText('Saved as “Result does not match the output schema');

  await page.getByRole('button', { name: 'Run the check' }).click();
  await expect(page.getByRole('list', { name: 'Saved calls' })).toContainText('Did not pass');
});

test('a destructive tool is probed only after an explicit confirmation', async ({ page }) => {
  await page.goto('/');
  await openTool(page, 'clear_rooms');
  await page.getByRole('button', { name: 'Probe this tool' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Probe clear_rooms?' });
  await expect(dialog).toContainText('is marked as destructive');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole('button', { name: 'Probe this tool' }).click();
  await dialog.getByRole('button', { name: 'Probe clear_rooms' }).click();
  await expect(page.getByText('No findings.')).toBeVisible();
});
