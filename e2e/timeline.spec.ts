import { expect, test } from './harness/test.ts';

test.use({ serverOptions: { shipped: ['math'], fixtures: [], env: {} } });

const greeting = (name: string) => `export const TOOL = {
  label: 'Greeting', name: '${name}', description: 'Greets who is there.', parameters: {}, execute: () => 'hello',
};
`;

test('the timeline shows cause and changes of each version, with links', async ({ page, server }) => {
  await page.goto('/');
  await page.getByRole('link', { name: 'Timeline' }).first().click();
  await expect(page.getByRole('heading', { name: 'Timeline', level: 1 })).toBeVisible();
  const versions = page
    .getByRole('region', { name: 'Versions' })
    .getByRole('listitem')
    .filter({ has: page.locator('a[href*="version="]') });
  await expect(versions).toHaveCount(1);
  await expect(versions.first()).toContainText(/start of the server/i);

  await test.step('a saved file creates a version at once', async () => {
    await server.save('greeter/extension.ts', greeting('greet_people'));
    await expect(versions).toHaveCount(2);
    await expect(versions.first()).toContainText(/saved greeter\/extension\.ts/i);
    await expect(versions.first()).toContainText('Added');
    await expect(versions.first()).toContainText('greet_people');
  });

  await test.step('a broken file is shown as a failure, its fix as a recovery', async () => {
    await server.save('greeter/extension.ts', 'export const TOOL = {');
    await expect(versions.first()).toContainText('Failed');
    await server.save('greeter/extension.ts', greeting('greet_guests'));
    await expect(versions.first()).toContainText('Recovered');
    await expect(versions.first()).toContainText('Removed tools');
    await expect(versions).toHaveCount(4);
  });

  await test.step('versions are filtered by extension', async () => {
    await page.getByRole('combobox', { name: 'Extension' }).selectOption('greeter');
    await expect(versions).toHaveCount(3);
    await expect(page).toHaveURL(/extension=greeter/);
  });

  await test.step('a version shows all extensions, and links to its calls', async () => {
    await versions
      .first()
      .getByRole('link', { name: /^v\d+$/ })
      .click();
    const detail = page.getByRole('complementary', { name: 'The selected version' });
    await expect(detail).toContainText('State of all extensions');
    await expect(detail.getByRole('listitem').filter({ hasText: 'greeter' }).last()).toContainText('revision 3');
    await server.call('greet_guests');
    await detail.getByRole('link', { name: 'Show calls on this version' }).click();
    await expect(page.getByRole('heading', { name: 'Calls', level: 1 })).toBeVisible();
    await page
      .getByRole('link', { name: /greet_guests/ })
      .first()
      .click();
    await expect(page).toHaveURL(/call=|\/calls\//);
  });

  await test.step('a call links to its version', async () => {
    const call = await server.call('greet_guests');
    await page.goto(`/calls/${call.id}`);
    await page.getByRole('link', { name: `v${call.snapshot_version}`, exact: true }).click();
    await expect(page.getByRole('heading', { name: `Version ${call.snapshot_version}` })).toBeVisible();
  });
});

test('a removed extension is restored from the timeline', async ({ page, server, watch }) => {
  await server.save('greeter/extension.ts', greeting('greet_people'));
  await expect.poll(async () => (await server.call('greet_people').catch(() => null))?.status ?? null).toBe('succeeded');
  watch.expect(/(answer|status of) 404/);
  await server.removeFile('greeter');
  await page.goto('/timeline');
  const removed = page.getByText('Removed', { exact: true });
  const removal = page.getByRole('region', { name: 'Versions' }).getByRole('listitem').filter({ has: removed }).first();
  await removal.getByRole('link', { name: 'greeter' }).click();
  await page.getByRole('button', { name: 'Restore…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('greeter/extension.ts does not exist and will be created');
  await dialog.getByRole('button', { name: 'Write 1 file back' }).click();
  await expect(page.getByRole('heading', { name: 'greeter', level: 1 })).toBeVisible();
  await expect.poll(async () => (await server.call('greet_people').catch(() => null))?.status ?? null).toBe('succeeded');
});

test('an unknown version is reported as not found', async ({ page, watch }) => {
  watch.expect(/answer 404|status of 404/);
  await page.goto('/timeline?version=999');
  await expect(page.getByText('Version not found')).toBeVisible();
});

test('on a phone the timeline is in the More menu', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Timeline' }).click();
  await expect(page.getByRole('heading', { name: 'Timeline', level: 1 })).toBeVisible();
});
