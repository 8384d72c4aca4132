import { expect, test } from './harness/test.ts';
import { openExtension, openPage } from './harness/navigation.ts';

test.use({ serverOptions: { fixtures: ['broken'], env: { WATCH: 'off' } } });

test('a reload serves saved files and lists changes and failures', async ({ page, server }) => {
  const weather = await server.read('weather/extension.ts');
  const result = page.getByRole('dialog', { name: 'Result of the reload' });
  const reload = page.getByRole('button', { name: 'Reload all extensions' });

  await test.step('the page says that saved files wait for a reload', async () => {
    await page.goto('/');
    await page.getByRole('button', { name: 'Not watching' }).click();
    await expect(page.getByText('Press Reload to serve saved files.')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('heading', { name: '1 extension needs attention' })).toBeVisible();
  });

  await test.step('a reload without changes reports only the old failure', async () => {
    await reload.click();
    await expect(result.getByText('v1: 1 failed')).toBeVisible();
    await expect(result).toContainText('The list of guests cannot be read');
    await result.getByRole('button', { name: 'Close the result' }).click();
    await expect(result).toBeHidden();
  });

  await test.step('a saved change, a new extension and a fixed one are served together', async () => {
    await server.save('weather/extension.ts', weather.replace('Sample weather, made up', 'Weather after a reload, made up'));
    await server.save('added/extension.mjs', newExtension('added_tool'));
    const broken = await server.read('broken/extension.ts');
    await server.save('broken/extension.ts', broken.replace(/\nthrow .*/, '\n'));
    await openExtension(page, 'weather');
    await expect(page.getByRole('main').getByText('Sample weather, made up')).toBeVisible();

    await reload.click();
    await expect(result.getByText('v2: 3 changed')).toBeVisible();
    for (const id of ['added', 'broken', 'weather']) await expect(result.getByRole('link', { name: id, exact: true })).toBeVisible();
    await expect(result).toContainText('5 extensions loaded, 7 tools');
    await expect(page.getByRole('main').getByText('Weather after a reload, made up')).toBeVisible();
  });

  await test.step('a failure in the result links to its extension', async () => {
    await result.getByRole('button', { name: 'Close the result' }).click();
    await server.save('added/extension.mjs', 'export const TOOL = {');
    await reload.click();
    await expect(result.getByText('v3: 1 failed')).toBeVisible();
    await result.getByRole('link', { name: 'added', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Revision 2 was not loaded; revision 1 keeps serving' })).toBeVisible();
    await result.getByRole('button', { name: 'Close the result' }).click();
  });

  await test.step('one extension is reloaded alone, from its page', async () => {
    await server.save('added/extension.mjs', newExtension('another_tool'));
    await page.getByRole('button', { name: 'Reload extension' }).click();
    await expect(result.getByText('v4: 1 changed')).toBeVisible();
    await expect(page.getByRole('link', { name: 'another_tool' })).toBeVisible();
    await result.getByRole('button', { name: 'Close the result' }).click();
  });

  await test.step('the version shows its changes', async () => {
    await openPage(page, 'Overview');
    await page.getByRole('button', { name: 'show what this version changed' }).click();
    const change = page.getByRole('dialog', { name: 'Changes in version 4' });
    await expect(change).toContainText('Version 4: reload');
    await expect(change.getByRole('listitem').filter({ hasText: 'Recovered' }).getByRole('link', { name: 'added' })).toBeVisible();
  });
});

function newExtension(tool: string): string {
  return `export const TOOL = { label: 'test', name: '${tool}', description: 'Answers yes.', parameters: {}, execute: () => 'yes' };\n`;
}
