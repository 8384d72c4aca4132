import type { Page } from '@playwright/test';
import { SERVER_DOWN, watchPage } from './harness/page-watch.ts';
import { expect, test } from './harness/test.ts';
import { callRows, connection, openPage, runButton } from './harness/navigation.ts';

test.use({ serverOptions: { fixtures: [], env: {} } });

test('pages show how long the server has been unreachable and fit the window, and update when it is back', async ({
  page,
  server,
  watch,
  context,
}) => {
  const chat = await context.newPage();
  const form = await context.newPage();
  const watches = [watch, await watchPage(chat, server.address), await watchPage(form, server.address)];
  for (const each of watches) {
    each.expect(SERVER_DOWN);
    each.expect(/answer 503: GET .*\/api\/v1\/|console error: Failed to load resource: the server responded with a status of 503/);
  }
  await page.goto('/calls');
  await expect(connection(page)).toHaveText('Live');
  await expect(page.getByText('No calls yet')).toBeVisible();

  const below = () => chat.evaluate<number>('document.documentElement.scrollHeight - innerHeight');
  await chat.setViewportSize({ width: 390, height: 844 });
  await chat.goto('/channels/web');
  await expect(chat.getByText('No messages yet')).toBeVisible();
  expect(await below()).toBe(0);

  await form.goto('/tools/calculate_expression');
  await form.getByRole('textbox', { name: 'expression (required)' }).fill('6 * 7');
  await expect(connection(form)).toHaveText('Live');

  await server.stop();
  await expect(connection(page)).toContainText(/Reconnecting|Stale/);
  await expect(connection(page)).toContainText('Stale');
  await expect(page.getByText(/No connection to the server for .+ This page may be outdated/)).toBeVisible();

  await test.step('an action reports that the server cannot be reached', async () => {
    await page.getByRole('button', { name: 'Reload all extensions' }).click();
    const result = page.getByRole('dialog', { name: 'Result of the reload' });
    await expect(result).toContainText('The server could not be reached.');
    await result.getByRole('button', { name: 'Close the result' }).click();
  });

  await test.step('Connect now changes nothing while the server is down', async () => {
    await page.getByRole('button', { name: 'Connect now' }).click();
    await expect(connection(page)).toContainText('Stale');
  });

  await test.step('a conversation fits the window, also with the banner', async () => {
    await expect(chat.getByText(/No connection to the server for/)).toBeVisible();
    expect(await below()).toBe(0);
  });

  const unreached = form.getByText('The server could not be reached.');
  await test.step('a call reports that the server cannot be reached', async () => {
    await runButton(form).click();
    await expect(unreached).toBeVisible();
  });

  await server.start();
  await server.call('calculate_expression', { expression: '1 + 1' });
  await expect(connection(page)).toHaveText('Live');
  await expect(callRows(page)).toHaveCount(1);
  await expect(page.getByText(/No connection to the server/)).toBeHidden();
  await expect(chat.getByText(/No connection to the server for/)).toBeHidden();

  await test.step('the error of the call disappears, and it can be run', async () => {
    await expect(connection(form)).toHaveText('Live');
    await expect(unreached).toBeHidden();
    await runButton(form).click();
    await expect(form.getByText('Succeeded').first()).toBeVisible();
  });
  for (const each of watches) expect(each.problems()).toEqual([]);
});

test('a link followed while the server is down keeps the page, and opens when the server is back', async ({
  page,
  server,
  watch,
  context,
}) => {
  watch.expect(SERVER_DOWN);
  watch.expect(/answer 503: GET .*\/api\/v1\/|console error: Failed to load resource: the server responded with a status of 503/);
  await page.goto('/tools/calculate_expression');
  await expect(runButton(page)).toBeEnabled();
  const expression = page.getByRole('textbox', { name: 'expression (required)' });
  const navigation = page.getByRole('navigation', { name: 'Main' });
  const note = page.getByText('The server cannot be reached. Your input on this page is kept.');
  await expression.fill('6 * 7');
  await expect(connection(page)).toHaveText('Live');
  await server.stop();

  await test.step('opened by keyboard: the page stays and can be edited', async () => {
    await navigation.getByRole('link', { name: 'Calls', exact: true }).press('Enter');
    await expect(note).toBeVisible();
    await page.getByRole('button', { name: 'Try now' }).click();
    await expect(note).toBeVisible();
    await expect(expression).toHaveValue('6 * 7');
    await expression.fill('6 * 7 + 1');
  });

  await test.step('Stay here cancels the navigation, also after a second link', async () => {
    await navigation.getByRole('link', { name: 'Channels', exact: true }).click();
    await expect(note).toBeVisible();
    await page.getByRole('button', { name: 'Stay here' }).click();
    await expect(note).toBeHidden();
    await expect(navigation.locator('.spinner')).toHaveCount(0);
  });

  await test.step('a link opened in a new tab shows no notice', async () => {
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      navigation.getByRole('link', { name: 'Tools', exact: true }).click({ modifiers: ['ControlOrMeta'] }),
    ]);
    await tab.close();
    await expect(note).toBeHidden();
  });

  await test.step('the pending page opens automatically', async () => {
    await navigation.getByRole('link', { name: 'Extensions', exact: true }).click();
    await expect(note).toBeVisible();
    await expect(page).toHaveURL(/calculate_expression/);
    await server.start();
    await expect(page.getByRole('heading', { name: 'Extensions', level: 1 })).toBeVisible();
    await expect(note).toBeHidden();
    await page.goBack();
    await expect(expression).toHaveValue('6 * 7 + 1');
  });
});

test('the link to a slow page shows a spinner, and its row fades', async ({ page }) => {
  await page.goto('/');
  await expect(connection(page)).toHaveText('Live');
  const timeline = await delayPages(page);
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Timeline', exact: true });
  await link.click();
  await expect(link.locator('.spinner')).toBeVisible();
  timeline();
  await expect(page.getByRole('heading', { name: 'Timeline', level: 1 })).toBeVisible();
  await expect(link.locator('.spinner')).toHaveCount(0);

  await openPage(page, 'Extensions');
  await page.unrouteAll();
  const extension = await delayPages(page);
  const row = page.getByRole('main').getByRole('link', { name: 'weather', exact: true });
  await expect(row).toHaveCSS('opacity', '1');
  await row.click();
  await expect(row).toHaveCSS('opacity', '0.6');
  extension();
  await expect(page.getByRole('heading', { name: 'weather', level: 1 })).toBeVisible();
});

test('two tabs show the same change at once', async ({ page, server, context }) => {
  const other = await context.newPage();
  await Promise.all([page.goto('/'), other.goto(`${server.address}/extensions`)]);
  await expect(connection(page)).toHaveText('Live');
  await expect(connection(other)).toHaveText('Live');
  const math = await server.read('math/extension.ts');
  await server.save('math/extension.ts', `${math}\nthrow new Error('not today');\n`);
  await expect(page.getByRole('heading', { name: '1 extension needs attention' })).toBeVisible();
  await expect(other.getByRole('row').filter({ hasText: 'not today' })).toContainText('Degraded');
  await server.save('math/extension.ts', math);
  await expect(page.getByText(/^All well: 3 extensions serve 5 tools/)).toBeVisible();
  await expect(other.getByText('not today')).toBeHidden();
});

/** Delays page navigations until the returned function is called. */
async function delayPages(page: Page): Promise<() => void> {
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  await page.route(/_rsc=/, async (route) => {
    await asked;
    await route.continue();
  });
  return answer;
}
