import { startLocalIndex } from '#lib/testing/local-index.ts';
import type { LocalIndex } from '#lib/testing/local-index.ts';
import { expectAccessible } from './harness/accessible.ts';
import { expect, test as base } from './harness/test.ts';
import { openExtension } from './harness/navigation.ts';

const test = base.extend<{ index: LocalIndex }>({
  index: async ({}, give) => {
    const index = await startLocalIndex();
    await give(index);
    await index.close();
  },
  serverOptions: ({ index }, give) => give({ shipped: [], fixtures: [], env: index.environment }),
});

const TOOL = `import { colour } from 'colour-names';
export const TOOL = { label: 'Colour', name: 'name_colour', description: 'Answers with a colour.', parameters: {}, execute: () => colour };
`;
const LONG = { timeout: 60_000 };

test('an undeclared package is added, installed with live output, cancelled and updated', async ({ page, server, index }) => {
  test.setTimeout(240_000);
  const addVersion = (version: string): void =>
    index.addTarball({
      name: 'colour-names',
      version,
      files: { 'index.js': `exports.colour = '${version}';` },
      manifest: { main: 'index.js' },
    });
  addVersion('1.0.0');
  await server.save('colours/extension.ts', TOOL);
  await page.goto('/');
  await openExtension(page, 'colours');
  await expect(page.getByRole('region', { name: 'Failure' })).toContainText('add "colour-names": "*" to colours/package.json');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Add to package.json' }).click();

  const planned = page.getByRole('region', { name: 'Packages to install' });
  await expect(planned.getByRole('row').filter({ hasText: 'colour-names' })).toContainText(/1\.0\.0.*bytes/, LONG);
  await expect(page.getByText(/^1 package, \d+ bytes to download$/)).toBeVisible();
  await expectAccessible(page);

  const go = index.pause();
  await page.getByRole('button', { name: 'Install', exact: true }).click(LONG);
  await expect(page.getByRole('heading', { name: 'Installing packages' })).toBeVisible(LONG);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('Cancelled')).toBeVisible(LONG);
  go();

  await page.getByRole('button', { name: 'Install', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Failure' })).toBeHidden(LONG);
  await page.getByRole('tab', { name: 'Packages' }).click();
  const installed = page.getByRole('region', { name: 'Installed packages' });
  await expect(installed.getByRole('row').filter({ hasText: 'colour-names' })).toContainText('1.0.0');
  await expect(page.getByRole('region', { name: 'Install output' })).toContainText('added 1 package');
  await expectAccessible(page);

  addVersion('1.1.0');
  await page.getByRole('button', { name: 'Update packages' }).click();
  await expect(installed.getByRole('row').filter({ hasText: 'colour-names' })).toContainText('1.1.0', LONG);
  await page.getByRole('tab', { name: 'Revisions' }).click();
  await expect(page.getByRole('list', { name: 'Packages' }).first()).toContainText('colour-names 1.1.0', LONG);
});
