import { Buffer } from 'node:buffer';
import { expectAccessible } from './harness/accessible.ts';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

test('a file is chosen by keyboard, sent and replaced, and a too large one is rejected', async ({ page }) => {
  await page.goto('/tools/attach');
  await expect(runButton(page)).toBeEnabled();
  const field = page.getByRole('textbox', { name: /^file/ });
  await test.step('by keyboard', async () => {
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a file for file' }).press('Enter');
    await (await choosing).setFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Grüße') });
    await expect(field).toHaveValue('notes.txt, 7 bytes');
    await expect(page.getByRole('textbox', { name: 'As JSON' })).toContainText('"file": "R3LDvMOfZQ=="');
    await expectAccessible(page);
    await runButton(page).click();
    await expect(page.getByRole('region', { name: 'Result' })).toContainText('"bytes": 7');
  });

  await test.step('the largest accepted file', async () => {
    const files = page.locator('input[type=file]');
    await files.setInputFiles({ name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(774_145) });
    await expect(page.getByText('large.bin (756 KiB) is larger than 756 KiB, the most that can be sent.')).toBeVisible();
    await expect(field).toHaveValue('notes.txt, 7 bytes');
    await files.setInputFiles({ name: 'fits.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(774_144) });
    await expect(field).toHaveValue('fits.bin, 756 KiB');
    await runButton(page).click();
    await expect(page.getByRole('region', { name: 'Result' })).toContainText('"bytes": 774144');
  });

  await test.step('typed as Base64', async () => {
    await page.getByRole('button', { name: 'Clear file' }).press('Enter');
    await expect(page.getByRole('button', { name: 'Choose a file for file' })).toBeFocused();
    await field.fill('YWI=');
    await runButton(page).click();
    await expect(page.getByRole('region', { name: 'Result' })).toContainText('"bytes": 2');
  });
});

test('every format of Copy as can be pasted back', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const note = `it's "é" $(x)\n\\`;
  await page.goto('/tools/attach');
  await expect(runButton(page)).toBeEnabled();
  const noteField = page.locator('[data-path="/note"]');
  await page.getByRole('textbox', { name: /^file/ }).fill('YWI=');
  await page.getByRole('textbox', { name: 'As JSON' }).fill(JSON.stringify({ file: 'YWI=', note }));
  for (const form of ['curl', 'MCP request', 'TypeScript (fetch)', 'Python', 'Command line']) {
    await page.getByRole('button', { name: 'Copy as' }).first().click();
    await page.getByRole('menuitem', { name: form, exact: true }).click();
    await expect(page.getByText(`Copied: ${form}.`).first()).toBeVisible();
    await page.getByRole('button', { name: 'Reset' }).click();
    await expect(noteField).toHaveValue('');
    await page.locator('body').press('Control+v');
    await expect(noteField).toHaveValue(note);
  }
});
