import type { Page } from '@playwright/test';
import { callSchema } from '#lib/contract/call.ts';
import { API } from '#lib/contract/paths.ts';
import { SERVER_DOWN } from './harness/page-watch.ts';
import { expect, test } from './harness/test.ts';
import { openPage, openTool, runButton } from './harness/navigation.ts';

test.use({ serverOptions: { shipped: ['math'], fixtures: ['workbench'], env: {} } });

async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(
    `(() => {
      const data = new DataTransfer();
      data.setData('text/plain', ${JSON.stringify(text)});
      (document.activeElement ?? document.body).dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    })()`,
  );
}

test('form input survives navigation, a reload, a restart and a change of the tool', async ({ page, server, watch }) => {
  watch.expect(SERVER_DOWN);
  watch.expect(/api\/v1\/events|Failed to load resource/);
  await page.goto('/tools/book_room');
  await expect(runButton(page)).toBeEnabled();
  const guest = page.getByRole('textbox', { name: 'guest (required)' });
  const nights = page.getByRole('textbox', { name: 'nights (required)' });
  await guest.fill('Ada');
  await nights.fill('9');
  await page.getByRole('radiogroup', { name: 'breakfast' }).getByRole('radio', { name: 'false' }).check();

  await test.step('navigation and a reload', async () => {
    await openPage(page, 'Calls');
    await openTool(page, 'book_room');
    await expect(guest).toHaveValue('Ada');
    await page.reload();
    await expect(guest).toHaveValue('Ada');
    await expect(page.getByRole('radiogroup', { name: 'breakfast' }).getByRole('radio', { name: 'false' })).toBeChecked();
  });

  await test.step('a restart of the server', async () => {
    await server.stop();
    await server.start();
    await page.reload();
    await expect(nights).toHaveValue('9');
  });

  await test.step('a change of the tool: invalid values are listed and kept', async () => {
    const text = await server.read('workbench/extension.ts');
    await server.save('workbench/extension.ts', text.replace('maximum: 14', 'maximum: 7').replace('breakfast: {', 'meal: {'));
    const note = page.getByRole('region', { name: 'Invalid values' });
    await expect(note).toContainText('nights (9) Enter 7 or less.');
    await expect(note).toContainText('breakfast (false)');
    await expect(guest).toHaveValue('Ada');
    await page.reload();
    await expect(note).toContainText('breakfast (false)');
    await note.getByRole('button', { name: 'Remove breakfast' }).click();
    await nights.fill('5');
    await expect(note).toHaveCount(0);
    await runButton(page).click();
    await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('"guest": "Ada"');
  });
});

test('the JSON preview is sent as shown, and a pasted object fills the form', async ({ page }) => {
  await page.goto('/tools/book_room');
  await expect(runButton(page)).toBeEnabled();
  const json = page.getByRole('textbox', { name: 'As JSON' });
  const guest = page.getByRole('textbox', { name: 'guest (required)' });

  await page.getByRole('heading', { name: 'Arguments' }).click();
  await paste(page, '{"guest": "Grace", "nights": 2, "contact": {"email": "g@example.org"}}');
  await expect(guest).toHaveValue('Grace');
  await expect(page.getByRole('textbox', { name: 'email' })).toHaveValue('g@example.org');

  await page.getByRole('heading', { name: 'Arguments' }).click();
  await paste(page, '[{"guest": "Ada"}]');
  const refusal = page.getByText('The pasted text is a list.');
  await expect(refusal).toBeInViewport();
  await expect(guest).toHaveValue('Grace');

  await json.focus();
  await paste(page, '{"guest": "Ada", "nights": 3}');
  await expect(guest).toHaveValue('Ada');
  await expect(refusal).toHaveCount(0);
  await page.getByRole('button', { name: 'Restore input' }).click();
  await expect(guest).toHaveValue('Grace');

  await guest.focus();
  await paste(page, '{"guest": "no"}');
  await expect(guest).toHaveValue('Grace');

  await page.getByRole('textbox', { name: 'nights (required)' }).fill('4');
  const shown = await json.inputValue();
  const request = page.waitForRequest(`**${API.callTool('book_room')}`);
  await runButton(page).click();
  expect((await request).postData()).toBe(`{"arguments":${shown}}`);
});

test('invalid input survives a reload, and input replaced by a link can be restored', async ({ page }) => {
  await page.goto('/tools/book_room');
  const guest = page.getByRole('textbox', { name: 'guest (required)' });
  const nights = page.getByRole('textbox', { name: 'nights (required)' });
  await guest.fill('Grace');
  await nights.fill('2 or 3');
  await page.reload();
  await expect(nights).toHaveValue('2 or 3');
  await runButton(page).click();
  await expect(nights).toBeFocused();
  await page.getByRole('button', { name: 'Reset' }).click();
  await expect(nights).toHaveValue('');

  await guest.fill('Grace');
  await nights.fill('2');
  const answer = page.waitForResponse((response) => response.url().endsWith(API.callTool('book_room')));
  await runButton(page).click();
  const { id } = callSchema.parse(await (await answer).json());
  await guest.fill('Ada');
  await page.goto(`/tools/book_room?from=${id}`);
  await expect(guest).toHaveValue('Grace');
  await page.reload();
  await page.getByRole('button', { name: 'Restore input' }).click();
  await expect(guest).toHaveValue('Ada');
});
