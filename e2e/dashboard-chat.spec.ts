import { expect, test } from './harness/test.ts';
import { connection, openPage } from './harness/navigation.ts';

test.use({ serverOwner: 'own extensions', serverOptions: { shipped: ['math', 'shell'], fixtures: [], env: {} } });

test('the dashboard chat shows the name of the sender and answers commands', async ({ page }) => {
  await page.addInitScript(`localStorage.setItem('switchboard.name', 'Ada')`);
  await page.goto('/channels/web');
  await expect(connection(page)).toHaveText('Live');
  const messages = page.getByRole('list', { name: 'Messages, newest last' }).locator('> li');
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await expect(send, 'Send looks inactive while the text is empty').not.toHaveCSS('opacity', '1');
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

test('an unsent message survives navigation and a reload, and text typed while sending stays', async ({ page }) => {
  await page.addInitScript(`localStorage.setItem('switchboard.name', 'Ada')`);
  await page.goto('/channels/web');
  const input = page.getByRole('textbox', { name: 'Write a message' });
  await input.fill('half a thought');
  await openPage(page, 'Calls');
  await page.goBack();
  await expect(input).toHaveValue('half a thought');
  await page.reload();
  await expect(input).toHaveValue('half a thought');

  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let isRequested = false;
  await page.route('**/api/v1/channels/web/**', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    isRequested = true;
    await released;
    await route.continue();
  });
  await input.fill('/help');
  await input.press('Enter');
  await expect.poll(() => isRequested).toBe(true);
  await input.press('End');
  await input.pressSequentially(' and more');
  release();
  await expect(input).toHaveValue('and more');
});

test('Enter that ends an input method composition does not send the message', async ({ page }) => {
  await page.goto('/channels/web');
  await expect(connection(page)).toHaveText('Live');
  const input = page.getByRole('textbox', { name: 'Write a message' });
  await input.click();
  const session = await page.context().newCDPSession(page);
  await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
  await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 });
  await session.send('Input.insertText', { text: '日本' });
  // Safari's order: the keydown follows the end of the composition.
  await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 });
  await expect(input).toHaveValue('日本');
  await input.press('Enter');
  await expect(page.getByRole('list', { name: 'Messages, newest last' })).toContainText('日本');
});
