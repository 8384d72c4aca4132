import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

// components/playground/ProbePanel.test.tsx asks for confirmation of a destructive tool.
test('a tool is probed, and a finding is saved as a check that does not pass', async ({ page }) => {
  await page.goto('/tools/count_rooms');
  await expect(runButton(page)).toBeEnabled();
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
