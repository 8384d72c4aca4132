import type { Page } from '@playwright/test';
import { API, PAGES } from '#lib/contract/paths.ts';
import { savedCallListSchema, savedCallSchema } from '#lib/contract/saved-call.ts';
import { expect, test } from './harness/test.ts';
import { callLog, runButton } from './harness/navigation.ts';

test.use({ serverOptions: { shipped: [], fixtures: ['workbench'], env: {} } });

test('a call is saved as a check, run, seen by another browser, changed, shared by link and deleted', async ({ page, server, browser }) => {
  const list = page.getByRole('list', { name: 'Saved calls' });
  const row = list.getByRole('listitem').filter({ hasText: 'Two nights' });
  await openFirst(page);

  await test.step('the call is saved with an assertion', async () => {
    await page.getByRole('textbox', { name: 'guest (required)' }).fill('Ada');
    await page.getByRole('textbox', { name: 'nights (required)' }).fill('2');
    await runButton(page).click();
    await expect(page.getByText(/^book_room: Succeeded/)).toBeAttached();
    await page.getByRole('button', { name: 'Save this call' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save this call' });
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(dialog).toContainText('Enter a name');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Two nights');
    await dialog.getByRole('combobox', { name: 'Assertion' }).selectOption('Succeeds');
    await dialog.getByRole('textbox', { name: 'Result contains (JSON)' }).fill('{"booked": {"guest": "Ada"');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(dialog).toContainText('This is not JSON yet.');
    await dialog.getByRole('textbox', { name: 'Result contains (JSON)' }).fill('{"booked": {"guest": "Ada"}}');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(row).toContainText('Not checked yet');
  });

  const other = await browser.newPage();
  await other.goto(`${server.address}/tools/book_room`);
  const otherRow = other.getByRole('list', { name: 'Saved calls' }).getByRole('listitem').filter({ hasText: 'Two nights' });

  await test.step('one click runs it, and both browsers show the result', async () => {
    await expect(otherRow).toContainText('Not checked yet');
    await row.getByRole('button', { name: 'Run Two nights' }).click();
    await expect(row).toContainText('Passed');
    await expect(otherRow).toContainText('Passed');
    await expect(page.getByText('1 of 1 check passed')).toBeVisible();
  });

  await test.step('with another assertion it does not pass, and says why', async () => {
    await row.getByRole('button', { name: 'Actions for Two nights' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change Two nights' });
    await dialog.getByRole('textbox', { name: 'Result contains (JSON)' }).fill('{"booked": {"guest": "Bea"}}');
    await dialog.getByRole('textbox', { name: 'Result matches JSON Schema' }).fill('{"required": ["runs"]}');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(row).toContainText('Not checked yet');
    await page.getByRole('button', { name: 'Run the check' }).click();
    await expect(row).toContainText('Did not pass');
    await expect(row).toContainText('result/booked/guest is "Ada", not "Bea".');
    await expect(otherRow).toContainText('Did not pass');
  });

  await test.step('its link opens the tool with its arguments', async () => {
    const answer = savedCallListSchema.parse(await (await page.request.get(`${API.savedCalls}?tool=book_room`)).json());
    await other.goto(`${server.address}/tools/book_room?saved=${answer.saved_calls[0]?.id}`);
    await expect(other.getByRole('textbox', { name: 'guest (required)' })).toHaveValue('Ada');
    await expect(other.getByRole('textbox', { name: 'nights (required)' })).toHaveValue('2');
  });

  await test.step('one click loads its arguments, and it can be deleted', async () => {
    await page.getByRole('textbox', { name: 'guest (required)' }).fill('Somebody');
    await row.getByRole('button', { name: /^Two nights/ }).click();
    await expect(page.getByRole('textbox', { name: 'guest (required)' })).toHaveValue('Ada');
    await row.getByRole('button', { name: 'Actions for Two nights' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(row).toHaveCount(0);
    await expect(otherRow).toHaveCount(0);
  });
  await other.close();
});

test('a call of the history is saved without its secret, and each run asks for it', async ({ page, server }) => {
  const call = await server.call('open_safe', { table: 4, api_key: 'open sesame' });
  await page.goto(`/calls/${call.id}`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Save this call' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Safe 4');
  await dialog.getByRole('combobox', { name: 'Assertion' }).selectOption('Succeeds');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('link', { name: 'Safe 4' }).click();

  await expect(page.getByRole('textbox', { name: 'table (required)' })).toHaveValue('4');
  const row = page.getByRole('list', { name: 'Saved calls' }).getByRole('listitem');
  await expect(row).toContainText('Saved without api_key');
  await row.getByRole('button', { name: 'Run Safe 4' }).click();
  await page.getByRole('dialog', { name: 'Secrets for Safe 4' }).getByLabel('api_key').fill('open sesame');
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
  // The tool is destructive.
  const question = page.getByRole('alertdialog', { name: 'Run Safe 4?' });
  await expect(question).not.toContainText('open sesame');
  await question.getByRole('button', { name: 'Run open_safe' }).click();
  await expect(row).toContainText('Passed');
});

test('a long saved call runs with its saved timeout, and shows its log while it runs', async ({ page }) => {
  await page.goto('/tools/follow_steps');
  await page.getByRole('textbox', { name: 'Timeout (s)' }).fill('45');
  await page.getByRole('button', { name: 'Save this call' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save this call' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Steps');
  await expect(dialog.getByRole('textbox', { name: 'Timeout (s)' })).toHaveValue('45');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  const row = page.getByRole('list', { name: 'Saved calls' }).getByRole('listitem').filter({ hasText: 'Steps' });
  await expect(row).toContainText('Ended after 45.0 s.');
  await page.getByRole('textbox', { name: 'Timeout (s)' }).fill('');
  await row.getByRole('button', { name: /^Steps/ }).click();
  await expect(page.getByRole('textbox', { name: 'Timeout (s)' })).toHaveValue('45');
  await row.getByRole('button', { name: 'Run Steps' }).click();
  await page.getByRole('tab', { name: /^Logs/ }).click();
  await expect(callLog(page)).toContainText('Waiting for the first step');
  await expect(row).toContainText('Running');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(row).toContainText('Cancelled');
});

test('a required check blocks a save and shows why, and the save is served once the check expects it', async ({
  page,
  server,
  browser,
}) => {
  const greet = (word: string) =>
    `export const TOOL = { label: 'T', name: 'greet_guest', description: 'Greets a guest.', parameters: {}, execute: () => ({ word: '${word}' }) };\n`;
  await server.save('greeter/extension.ts', greet('Welcome'));
  await expect(async () => expect((await server.call('greet_guest')).status).toBe('succeeded')).toPass();
  await page.goto('/tools/greet_guest');
  const row = page.getByRole('list', { name: 'Saved calls' }).getByRole('listitem');
  const expected = (dialog: ReturnType<typeof page.getByRole>) => dialog.getByRole('textbox', { name: 'Result contains (JSON)' });

  await test.step('the check is marked as required in its dialog, and the list shows it', async () => {
    await page.getByRole('button', { name: 'Save this call' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save this call' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Greets');
    await expect(dialog).toContainText('Set an assertion');
    await dialog.getByRole('combobox', { name: 'Assertion' }).selectOption('Succeeds');
    await expected(dialog).fill('{"word": "Welcome"}');
    await dialog.getByRole('switch', { name: 'Required' }).click();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(row).toContainText('Required');
  });

  const other = await browser.newPage();
  await other.goto(`${server.address}/extensions/greeter`);
  const failure = other.getByRole('region', { name: 'Failure' });
  await expect(other.getByRole('heading', { name: 'greeter', level: 1 })).toBeVisible();

  await test.step('a save with another result is not served, and shows the expected and actual result', async () => {
    await server.save('greeter/extension.ts', greet('Go away'));
    await expect(failure).toContainText('result/word is "Go away", not "Welcome".');
    await expect(failure.getByRole('region', { name: 'Actual result of Greets' })).toContainText('Go away');
    expect((await server.call('greet_guest')).result).toEqual({ word: 'Welcome' });
  });

  await test.step('its link opens the check, and changing the assertion serves the save', async () => {
    await failure.getByRole('link', { name: 'Greets' }).click();
    await other.getByRole('button', { name: 'Actions for Greets' }).click();
    await other.getByRole('menuitem', { name: 'Edit…' }).click();
    const dialog = other.getByRole('dialog', { name: 'Change Greets' });
    await expect(dialog.getByRole('switch', { name: 'Required' })).toBeChecked();
    await expected(dialog).fill('{"word": "Go away"}');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(async () => expect((await server.call('greet_guest')).result).toEqual({ word: 'Go away' })).toPass();
    await row.getByRole('button', { name: 'Run Greets' }).click();
    await expect(row).toContainText('Passed');
  });
  await other.close();
});

test('a link to a saved call of a removed tool shows the saved call, and fills the form once the tool is back', async ({
  page,
  server,
  watch,
}) => {
  watch.expect(/answer 404|status of 404/);
  const saved = { tool: 'book_room', name: 'For Ada', arguments: { guest: 'Ada', nights: 2 } };
  const answer = await page.request.post(`${server.address}${API.savedCalls}`, { data: saved });
  const { id } = savedCallSchema.parse(await answer.json());
  const text = await server.read('workbench/extension.ts');
  await server.save('workbench/extension.ts', text.replace("'book_room'", "'book_flat'"));
  await expect(async () => expect((await page.request.get(`${server.address}${API.tool('book_room')}`)).status()).toBe(404)).toPass();

  await page.goto(PAGES.savedCall('book_room', id));
  await expect(page.getByText('Tool not found')).toBeVisible();
  const row = page.getByRole('list', { name: 'Saved calls' }).getByRole('listitem').filter({ hasText: 'For Ada' });
  await expect(row).toContainText('guest: "Ada", nights: 2');
  await expect(row.getByRole('button', { name: 'Run For Ada' })).toBeDisabled();

  await server.save('workbench/extension.ts', text);
  const guest = page.getByRole('textbox', { name: 'guest (required)' });
  await expect(guest).toHaveValue('Ada');

  await test.step('form input is restored, too', async () => {
    await guest.fill('Grace');
    await server.save('workbench/extension.ts', text.replace("'book_room'", "'book_flat'"));
    await expect(page.getByText('This tool was removed')).toBeVisible();
    await page.reload();
    await expect(page.getByText('Your input in this tab is kept.')).toBeVisible();
    await server.save('workbench/extension.ts', text);
    await expect(guest).toHaveValue('Grace');
  });
});

test('an invalid result schema and a taken name are reported at their fields, however long the arguments are', async ({ page, watch }) => {
  watch.expect(/422|409/);
  await openFirst(page);
  await page.getByRole('textbox', { name: 'guest (required)' }).fill('long '.repeat(1_500));
  const dialog = page.getByRole('dialog', { name: 'Save this call' });
  const open = () => page.getByRole('button', { name: 'Save this call' }).click();
  const save = () => dialog.getByRole('button', { name: 'Save', exact: true }).click();
  const name = dialog.getByRole('textbox', { name: 'Name' });

  await test.step('the schema, which gets the focus, until it is changed', async () => {
    const schema = dialog.getByRole('textbox', { name: 'Result matches JSON Schema' });
    await open();
    await dialog.getByRole('combobox', { name: 'Assertion' }).selectOption('Succeeds');
    await schema.fill('{"type": "banana"}');
    await save();
    await expect(name).toBeFocused();
    await name.fill('A long one');
    await save();
    await expect(schema).toBeFocused();
    await expect(schema).toHaveAccessibleDescription(/The schema at \/type is "banana"; a type is one of string/);
    await schema.fill('{"type": "object"}');
    await expect(schema).not.toHaveAttribute('aria-invalid');
    await save();
    await expect(dialog).toBeHidden();
  });

  await test.step('the name', async () => {
    await open();
    await name.fill('A long one');
    await save();
    await expect(name).toHaveAccessibleDescription(/already has a saved call named “A long one”/);
    await expect(name).toBeInViewport();
    await expect(name).toBeFocused();
    await name.fill('Another long one');
    await expect(name).toHaveAccessibleDescription('');
    await save();
    await expect(dialog).toBeHidden();
  });
});

async function openFirst(page: Page): Promise<void> {
  await page.goto('/tools/book_room');
  await expect(runButton(page)).toBeEnabled();
}
