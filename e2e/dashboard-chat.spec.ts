import { expect, test } from './harness/test.ts';
import { connection, openPlace } from './harness/walk.ts';

test.use({ serverOptions: { fixtures: [], env: {} } });

test('the chat of the dashboard answers what people write under their name', async ({ page }) => {
  await page.addInitScript(`localStorage.setItem('switchboard.name', 'Ada')`);
  await page.goto('/channels/web');
  await expect(connection(page)).toHaveText('Live');
  const messages = page.getByRole('list', { name: 'Messages, newest last' }).locator('> li');
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await expect(send, 'what does nothing yet is not drawn like what does').not.toHaveCSS('opacity', '1');
  await page.getByRole('textbox', { name: 'Write a message' }).fill('/help');
  await expect(send).toHaveCSS('opacity', '1');
  await page.keyboard.press('Enter');
  await expect(messages.first()).toContainText('Ada');
  await expect(messages.first()).not.toContainText('Test');
  await expect(messages.nth(1)).toContainText('/calculate_expression');
  await page.getByRole('textbox', { name: 'Write a message' }).fill('/run_shell_command command=ls');
  await page.keyboard.press('Enter');
  await expect(messages.nth(3)).toContainText('it must be named');
});

test('a message that is not sent yet stays in its box, and what is typed while one is sent stays, too', async ({ page }) => {
  await page.addInitScript(`localStorage.setItem('switchboard.name', 'Ada')`);
  await page.goto('/channels/web');
  const box = page.getByRole('textbox', { name: 'Write a message' });
  await box.fill('half a thought');
  await openPlace(page, 'Calls');
  await page.goBack();
  await expect(box).toHaveValue('half a thought');
  await page.reload();
  await expect(box).toHaveValue('half a thought');

  let pass: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (pass = resolve));
  let isAsked = false;
  await page.route('**/api/v1/channels/web/**', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    isAsked = true;
    await passed;
    await route.continue();
  });
  await box.fill('/help');
  await box.press('Enter');
  await expect.poll(() => isAsked).toBe(true);
  await box.press('End');
  await box.pressSequentially(' and more');
  pass();
  await expect(box).toHaveValue('and more');
});

test('Enter that ends the composition of an input method sends nothing', async ({ page }) => {
  await page.goto('/channels/web');
  await expect(connection(page)).toHaveText('Live');
  const box = page.getByRole('textbox', { name: 'Write a message' });
  await box.click();
  const session = await page.context().newCDPSession(page);
  await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
  await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 });
  await session.send('Input.insertText', { text: '日本' });
  // Safari's order: the keydown follows the end of the composition.
  await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 });
  await expect(box).toHaveValue('日本');
  await box.press('Enter');
  await expect(page.getByRole('list', { name: 'Messages, newest last' })).toContainText('日本');
});
