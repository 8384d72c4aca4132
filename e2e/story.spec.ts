import { SERVER_DOWN } from './harness/page-watch.ts';
import { expect, test } from './harness/test.ts';
import { callRows, connection, openExtension, openPage, openTool, runButton } from './harness/navigation.ts';

test.use({ serverOptions: { shipped: 'all', fixtures: [], env: {} } });

/** A marker that a page reload would remove. */
const MARK = 'window.markOfThisPageLoad = 1';
const MARKED = 'window.markOfThisPageLoad === 1';

// lib/host/postgres.integration.test.ts restarts on PostgreSQL; instances.spec.ts opens the pages on it.
test('a person browses extensions, calls tools, changes, breaks and fixes a file, and finds every call after a restart', async ({
  page,
  server,
  watch,
}) => {
  const result = page.getByRole('region', { name: 'Result', exact: true });
  /** Heading of an extension's page, not the list beside it. */
  const state = page.locator('header').filter({ has: page.getByRole('heading', { name: 'weather', level: 1 }) });
  const weather = await server.read('weather/extension.ts');

  await test.step('opens the overview, which shows no problems', async () => {
    await page.goto('/');
    await expect(page.getByText(/^All well: \d+ extensions serve \d+ tools/)).toBeVisible();
    await expect(connection(page)).toHaveText('Live');
    await expect(page.getByRole('button', { name: 'show what this version changed' })).toContainText('v1');
    await page.evaluate(MARK);
  });

  await test.step('sees the shipped extensions with their versions', async () => {
    await openPage(page, 'Extensions');
    const list = page.getByRole('region', { name: 'Extensions' });
    for (const id of ['math', 'shell', 'weather']) {
      const row = list.getByRole('row').filter({ has: page.getByRole('link', { name: id, exact: true }) });
      await expect(row).toContainText('Ready');
      await expect(row).toContainText('serving 1');
    }
    await expect(list.getByRole('row').filter({ hasText: 'example' })).toContainText('Excluded');
  });

  await test.step('calls get_weather through its form', async () => {
    await openTool(page, 'get_weather');
    await page.getByRole('textbox', { name: 'city (required)' }).fill('Lisbon');
    await page.getByRole('textbox', { name: 'days' }).fill('2');
    await runButton(page).click();
    await expect(page.getByText('get_weather: Succeeded')).toBeAttached();
    await expect(result).toContainText('"city": "Lisbon"');
    await expect(result).toContainText('not measured');
  });

  await test.step('calls run_shell_command, which asks first', async () => {
    await openTool(page, 'run_shell_command');
    await page.getByRole('textbox', { name: 'command (required)' }).fill('echo "hello from the shell"');
    await runButton(page).click();
    const question = page.getByRole('alertdialog', { name: 'Run run_shell_command?' });
    await expect(question).toContainText('hello from the shell');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByText('No calls yet.')).toBeVisible();

    await runButton(page).click();
    await question.getByRole('button', { name: 'Run run_shell_command' }).click();
    await expect(page.getByText('run_shell_command: Succeeded')).toBeAttached();
    await expect(result).toContainText('"exit_code": 0');
    await expect(result).toContainText('"stdout": "hello from the shell\\n"');
  });

  await test.step('saves a changed file, and the page updates automatically', async () => {
    await openExtension(page, 'weather');
    await expect(state.getByText('serving 1', { exact: true })).toBeVisible();
    await server.save(
      'weather/extension.ts',
      weather.replace('Sample weather, made up', 'Weather of my own, made up').replace('not measured', 'said the second revision'),
    );
    await expect(page.getByRole('main').getByText('Weather of my own, made up')).toBeVisible();
    await expect(state.getByText('serving 2', { exact: true })).toBeVisible();
    await expect(page.getByRole('button', { name: 'show what this version changed' })).toContainText('v2');
  });

  const lines = weather.split('\n');
  const at = lines.findIndex((line) => line.includes('execute({ city'));
  const wrong = '  execute({ city, units, days, date }, ctx {';
  const place = `weather/extension.ts:${at + 1}:${wrong.lastIndexOf('{') + 1}`;
  await test.step('breaks it and sees the failure with file, line and code frame', async () => {
    await server.save('weather/extension.ts', lines.with(at, wrong).join('\n'));
    const failure = page.getByRole('region', { name: 'Failure' });
    await expect(failure.getByRole('heading', { name: 'Revision 3 was not loaded; revision 2 keeps serving' })).toBeVisible();
    await expect(failure.getByText(place, { exact: true })).toBeVisible();
    const frame = failure.getByRole('region', { name: 'Source around the error in weather/extension.ts' });
    await expect(frame).toContainText(wrong);
    await expect(frame).toContainText(String(at + 1));
    await expect(state.getByText(/^serving 2 · 3 failed/)).toBeVisible();
  });

  await test.step('calls the tool, which the last good revision keeps serving', async () => {
    await page.getByRole('main').getByRole('link', { name: 'get_weather' }).click();
    await expect(page.getByRole('main')).toContainText('From weather, revision 2');
    await page.getByRole('textbox', { name: 'city (required)' }).fill('Oslo');
    await runButton(page).click();
    await expect(result).toContainText('"city": "Oslo"');
    await expect(result).toContainText('said the second revision');
  });

  await test.step('fixes it and sees it recover', async () => {
    await openPage(page, 'Overview');
    await expect(page.getByRole('heading', { name: '1 extension needs attention' })).toBeVisible();
    await server.save('weather/extension.ts', weather.replace('not measured', 'said the fixed revision'));
    await expect(page.getByText(/^All well: \d+ extensions serve \d+ tools/)).toBeVisible();
    await openExtension(page, 'weather');
    await expect(state.getByText('serving 4', { exact: true })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Failure' })).toBeHidden();
  });

  await test.step('restarts the server: the page reconnects automatically', async () => {
    watch.expect(SERVER_DOWN);
    watch.expect(/answer 503: GET .*\/api\/v1\//);
    watch.expect(/console error: Failed to load resource: the server responded with a status of 503/);
    await expect(connection(page)).toHaveText('Live');
    await server.stop();
    await expect(connection(page)).toContainText(/Reconnecting|Stale/);
    await server.start();
    await expect(connection(page)).toHaveText('Live');
    expect(await page.evaluate(MARKED), 'the page was never reloaded').toBe(true);
  });

  await test.step('finds every call in the history', async () => {
    await openPage(page, 'Calls');
    const calls = callRows(page);
    await expect(calls).toHaveCount(3);
    await expect(calls.nth(0)).toContainText(/get_weather.*Succeeded.*Dashboard.*city: "Oslo"/);
    await expect(calls.nth(1)).toContainText(/run_shell_command.*Succeeded.*Dashboard.*hello from the shell/);
    await expect(calls.nth(2)).toContainText(/get_weather.*Succeeded.*Dashboard.*city: "Lisbon", days: 2/);
    await calls.first().getByRole('link').press('Enter');
    await expect(page.getByRole('region', { name: 'Arguments' })).toContainText('"city": "Oslo"');
    await expect(result).toContainText('said the second revision');
    await expect(page.getByRole('main')).toContainText('Extensionweather');
    await expect(page.getByRole('main')).toContainText('Revision2');
  });
});
