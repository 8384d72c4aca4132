import type { Request } from '@playwright/test';
import { API } from '#lib/contract/paths.ts';
import { expect, test } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

test.use({ serverOptions: { shipped: [], fixtures: ['workbench'], env: {} } });

test('an invalid value is reported at its field, and the call is not sent', async ({ page }) => {
  const sent: Request[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith(API.callTool('book_room'))) sent.push(request);
  });
  await page.goto('/tools/book_room');
  await expect(runButton(page)).toBeEnabled();
  const guest = page.getByRole('textbox', { name: 'guest (required)' });
  const nights = page.getByRole('textbox', { name: 'nights (required)' });

  await test.step('both required fields report that they are empty', async () => {
    await runButton(page).click();
    await expect(page.getByText('2 values need attention:')).toBeVisible();
    await expect(guest).toBeFocused();
    await expect(guest).toHaveAttribute('aria-invalid', 'true');
    await expect(guest).toHaveAccessibleDescription(/required|missing|needed|fill/i);
    await expect(nights).toHaveAttribute('aria-invalid', 'true');
  });

  await test.step('wrong types, lengths and sizes have different messages', async () => {
    await guest.fill('A');
    await nights.fill('many');
    await runButton(page).click();
    await expect(guest).toHaveAccessibleDescription(/2/);
    await expect(nights).toHaveAccessibleDescription(/number/i);
    await nights.fill('15');
    await nights.blur();
    await expect(nights).toHaveAccessibleDescription(/14/);
  });

  await test.step('invalid JSON is reported with its location', async () => {
    const json = page.getByRole('textbox', { name: 'As JSON' });
    await json.fill('{\n  "guest": "Ada",\n  "nights" 2\n}');
    await expect(page.getByText('Line 3, column 12.')).toBeVisible();
    await runButton(page).click();
    await expect(page.getByText('Invalid JSON. Fix it or discard the edit.')).toBeVisible();
    await json.fill('{ "guest": "Ada", "nights": 2, "brekfast": true }');
    await runButton(page).click();
    await expect(page.getByText('One value needs attention:')).toBeVisible();
    await expect(page.getByRole('main')).toContainText('brekfast');
  });

  expect(sent, 'no call was sent').toHaveLength(0);
  await expect(page.getByText('No calls yet.')).toBeVisible();

  await test.step('valid input runs, and form and JSON stay in sync', async () => {
    const json = page.getByRole('textbox', { name: 'As JSON' });
    await json.fill('{ "guest": "Ada", "nights": 2 }');
    await expect(guest).toHaveValue('Ada');
    await page.getByRole('combobox', { name: 'view' }).selectOption('yard');
    await page.getByRole('radiogroup', { name: 'breakfast' }).getByRole('radio', { name: 'true' }).check();
    await page.getByRole('button', { name: 'Add an item to wishes' }).click();
    await expect(page.locator('[data-path="/wishes/0"]')).toBeFocused();
    await page.keyboard.type('quiet');
    await page.getByRole('textbox', { name: 'email' }).fill('ada@example.org');
    await expect(json).toHaveValue(/"wishes": \[\s*"quiet"\s*\]/);
    await runButton(page).click();
    const result = page.getByRole('region', { name: 'Result', exact: true });
    for (const text of ['"view": "yard"', '"breakfast": true', '"quiet"', '"email": "ada@example.org"', '"runs": 1'])
      await expect(result).toContainText(text);
    expect(sent).toHaveLength(1);
  });
});

test('errors found only by the server are shown at their fields until these change', async ({ page, server, watch }) => {
  // This page gets no events: its form is older than the tool.
  watch.expect(/failed request: GET .*\/api\/v1\/events|console error: Failed to load resource: net::ERR_FAILED/);
  await page.route(`**${API.events}*`, (route) => route.abort());
  await page.goto('/tools/book_room');
  await expect(runButton(page)).toBeEnabled();
  await page.getByRole('textbox', { name: 'guest (required)' }).fill('Ada');
  await page.getByRole('textbox', { name: 'nights (required)' }).fill('9');

  const text = await server.read('workbench/extension.ts');
  await server.save('workbench/extension.ts', text.replace('maximum: 14', 'maximum: 7').replace('minLength: 2', 'minLength: 5'));
  await expect.poll(async () => (await server.call('book_room', { guest: 'Grace', nights: 9 })).status).toBe('failed');

  const request = page.waitForRequest(`**${API.callTool('book_room')}`);
  await runButton(page).click();
  await request;
  await expect(page.getByText(/^book_room: Failed/)).toBeAttached();
  await expect(page.getByText('invalid_parameters')).toBeVisible();
  const nights = page.getByRole('textbox', { name: 'nights (required)' });
  await expect(nights).toHaveAttribute('aria-invalid', 'true');
  await expect(nights).toHaveAccessibleDescription(/7/);
  await expect(page.getByRole('textbox', { name: 'guest (required)' })).toHaveAccessibleDescription(/5/);
  await nights.fill('3');
  await expect(nights).not.toHaveAttribute('aria-invalid', 'true');
  await server.save('workbench/extension.ts', text);
});

test('a secret typed as JSON is visible, and masked when the editor loses the focus', async ({ page }) => {
  await page.goto('/tools/open_safe');
  const json = page.getByRole('textbox', { name: 'As JSON' });
  await json.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('{"table": 7, "api_key": "open sesame"}', { delay: 5 });
  await expect(json).toContainText('open sesame');
  await expect(page.getByLabel('api_key (required)')).toHaveValue('open sesame');
  await page.getByRole('textbox', { name: 'table (required)' }).focus();
  await expect(json).not.toContainText('open sesame');
  await expect(page.getByLabel('api_key (required)')).toHaveValue('open sesame');
});

test('a failed call shows its message and error data, and its secret is redacted', async ({ page }) => {
  await page.goto('/tools/open_safe');
  await page.getByRole('textbox', { name: 'table (required)' }).fill('7');
  await page.getByLabel('api_key (required)').fill('shazam');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alertdialog', { name: 'Run open_safe?' }).getByRole('button', { name: 'Run open_safe' }).click();
  await expect(page.getByRole('main')).toContainText('The tool failed');
  await expect(page.getByRole('main')).toContainText('The safe of table 7 stays shut');
  await expect(page.getByRole('region', { name: 'Error data' })).toContainText('"tries_left": 2');
  await page.getByRole('tab', { name: 'Raw' }).click();
  await expect(page.getByRole('region', { name: 'Call record' })).toContainText('[redacted]');
  await expect(page.getByRole('region', { name: 'Call record' })).not.toContainText('shazam');
});
