import type { Page } from '@playwright/test';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { callRows, connection } from './harness/navigation.ts';

const failed = (page: Page) => page.getByRole('heading', { name: 'This page could not be shown', level: 1 });

test('a page whose script fails to load says so, and can be reloaded', async ({ page, server, watch }) => {
  watch.expect(/failed request: GET .*\.js|ERR_FAILED|ChunkLoadError|Failed to load chunk/);
  await server.call('calculate_expression', { expression: '6 * 7' });
  await page.setViewportSize({ width: 1500, height: 900 });
  await page.goto('/calls');
  await expect(connection(page)).toHaveText('Live');
  await page.route(/\/_next\/static\/.*\.js/, (route) => route.abort());
  await callRows(page).first().click();
  await expect(failed(page)).toBeFocused();
  await expect(page.getByRole('main')).not.toContainText('Reference');
  await page.unroute(/\/_next\/static\/.*\.js/);

  await page.getByRole('button', { name: 'Reload the page' }).click();
  await expect(page.getByRole('complementary', { name: 'The selected call' })).toContainText('6 * 7');
  await expect(failed(page)).toHaveCount(0);
});

test('a page that fails on the server shows the reference of the error in the server log', async ({ page, watch }) => {
  watch.expect(/React error #441/);
  await page.goto('/');
  await expect(connection(page)).toHaveText('Live');
  // Imitates how React streams a failed component.
  await page.route(/\/calls\?.*_rsc=/, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replaceAll(/^([1-9a-f][0-9a-f]*):\["\$".*$/gm, '$1:E{"digest":"4711230815"}');
    await route.fulfill({ response: answer, body });
  });
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Calls', exact: true }).click();
  await expect(failed(page)).toBeFocused();
  const main = page.getByRole('main');
  await expect(main).toContainText(/See the server log for the error\.\s*Reference 4711230815/);
  await main.getByRole('link', { name: 'Go to Overview' }).click();
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
});
