import { API } from '#lib/contract/paths.ts';
import { savedCallSchema } from '#lib/contract/saved-call.ts';
import { expect, test } from './harness/test.ts';
import { openExtension, runButton } from './harness/navigation.ts';

test.use({ serverOptions: { shipped: ['math'], fixtures: [], env: { EXTENSIONS_ADMIN_TOKEN: 'the token of this server' } } });

test('admin actions ask for the admin token once per tab, and calls never do', async ({ page, server, watch }) => {
  watch.expect(/answer 403: POST .*\/extensions\//);
  watch.expect(/console error: Failed to load resource: the server responded with a status of 403/);
  const question = page.getByRole('dialog', { name: 'Admin token' });
  const token = question.getByLabel('Token');
  const result = page.getByRole('dialog', { name: 'Result of the reload' });

  await test.step('a tool is called without the token', async () => {
    await page.goto('/tools/calculate_expression');
    await expect(runButton(page)).toBeEnabled();
    await page.getByRole('textbox', { name: 'expression (required)' }).fill('6 * 7');
    await runButton(page).click();
    await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('"result": 42');
  });

  await test.step('cancelling the dialog reloads nothing, and the result says so', async () => {
    await page.getByRole('button', { name: 'Reload all extensions' }).click();
    await expect(token).toBeFocused();
    await expect(token).toHaveAttribute('type', 'password');
    await expect(question).toContainText('Reloading extensions needs the admin token of this server.');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(result).toContainText('Not reloaded');
    await result.getByRole('button', { name: 'Close the result' }).click();
  });

  await test.step('a wrong token is reported at its field, and the right one starts the reload', async () => {
    await page.getByRole('button', { name: 'Reload all extensions' }).click();
    await token.fill('a guess');
    await question.getByRole('button', { name: 'Continue' }).click();
    await expect(question).toContainText('Wrong token. Enter the admin token of this server.');
    await expect(token).toHaveAttribute('aria-invalid', 'true');
    await token.fill('the token of this server');
    await token.press('Enter');
    await expect(question).toBeHidden();
    await expect(result).toContainText('v1: nothing changed');
    await result.getByRole('button', { name: 'Close the result' }).click();
  });

  await test.step('this tab does not ask for the token again, and another tab does', async () => {
    await openExtension(page, 'math');
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('alertdialog', { name: 'Disable math?' }).getByRole('button', { name: 'Disable' }).click();
    await expect(page.getByRole('main').getByText('disabled').first()).toBeVisible();
    await page.getByRole('button', { name: 'Enable' }).click();
    await expect(page.locator('header').filter({ has: page.getByRole('heading', { name: 'math', level: 1 }) })).toContainText('Ready');
    await expect(question).toBeHidden();
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('the token of this server');

    const other = await page.context().newPage();
    await other.goto(`${server.address}/extensions/math`);
    await other.getByRole('button', { name: 'Restart' }).click();
    await expect(other.getByRole('dialog', { name: 'Admin token' })).toBeVisible();
    await other.close();
  });
});

test('changing whether a channel runs commands needs the admin token, and sending a message does not', async ({ page, watch }) => {
  watch.expect(/answer 403: PATCH .*\/channels\/web/);
  watch.expect(/console error: Failed to load resource: the server responded with a status of 403/);
  const question = page.getByRole('dialog', { name: 'Admin token' });
  await page.goto('/channels/web');
  await page.getByRole('textbox', { name: 'Write a message' }).fill('hello');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('list', { name: 'Messages, newest last' })).toContainText('hello');
  await page.getByRole('tab', { name: /^Commands/ }).click();
  const commands = page.getByRole('switch', { name: 'Run commands' });
  await commands.click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('Not saved:')).toBeVisible();
  await expect(commands).toBeChecked();
  await commands.click();
  await question.getByLabel('Token').fill('the token of this server');
  await question.getByRole('button', { name: 'Continue' }).click();
  await expect(commands).not.toBeChecked();
  await expect(page.getByText('Not saved:')).toBeHidden();
});

test('anyone can save a check, and making it required or changing a required check needs the admin token', async ({ request }) => {
  const check = { tool: 'calculate_expression', name: 'Sum', arguments: { expression: '1 + 1' }, expectation: { status: 'succeeded' } };
  const headers = { 'x-admin-token': 'the token of this server' };
  const created = await request.post(API.savedCalls, { data: check });
  const { id } = savedCallSchema.parse(await created.json());
  const change = async (data: object, more: Record<string, string> = {}) =>
    (await request.patch(API.savedCall(id), { data, headers: more })).status();

  expect((await request.post(API.savedCalls, { data: { ...check, name: 'Other', required: true } })).status()).toBe(403);
  expect(await change({ name: 'The sum' })).toBe(200);
  expect(await change({ required: true })).toBe(403);
  expect(await change({ required: true }, { 'x-admin-token': 'wrong' })).toBe(403);
  expect(await change({ required: true }, headers)).toBe(200);
  expect(await change({ expectation: { status: 'failed' } })).toBe(403);
  expect(await change({ required: false })).toBe(403);
  expect(await change({ required: false }, headers)).toBe(200);
  expect(await change({ name: 'Sum' })).toBe(200);
});
