import { expectAccessible, WIDE } from './harness/accessible.ts';
import { test } from './harness/accessibility-server.ts';
import { expect } from './harness/test.ts';
import { callLog } from './harness/navigation.ts';

test.describe.configure({ mode: 'parallel' });

test('successful and failed calls, their logs and comparison are accessible', async ({ page, server }) => {
  const good = await server.call('get_weather', { city: 'Lisbon', days: 2 });
  const bad = await server.call('book_room', { guest: 'A', nights: 99 });
  await page.goto(`/calls/${good.id}`);
  await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('Lisbon');
  await expectAccessible(page);
  await page.setViewportSize(WIDE);
  await page.getByRole('tab', { name: /^Logs/ }).click();
  await expect(callLog(page)).toBeVisible();
  await expectAccessible(page);
  await page.goto(`/calls/compare?a=${good.id}&b=${bad.id}`);
  await expect(page.getByRole('table', { name: 'Arguments' })).toContainText('nights');
  await expectAccessible(page);
  await page.goto(`/calls/${bad.id}`);
  await expect(page.getByRole('main')).toContainText('Invalid arguments');
  await expectAccessible(page);
});

// The successful call above has a tree.
test('results of every kind and the agent view of a call are accessible', async ({ page, server }) => {
  for (const kind of ['table', 'markdown', 'terminal', 'content']) {
    await test.step(kind, async () => {
      const call = await server.call('show_result', { kind });
      await page.setViewportSize(WIDE);
      await page.goto(`/calls/${call.id}`);
      await expect(page.getByRole('region', { name: 'Result', exact: true })).toBeVisible();
      await expectAccessible(page);
    });
  }
  await test.step('the agent view', async () => {
    await page.setViewportSize(WIDE);
    await page.getByRole('tab', { name: 'What the agent sees' }).click();
    await expect(page.getByRole('region', { name: 'Tool as listed', exact: true })).toBeVisible();
    await expectAccessible(page);
  });
});
