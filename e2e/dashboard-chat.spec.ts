import { expect, test } from './harness/test.ts';
import { connection } from './harness/walk.ts';

test.use({ boardOptions: { fixtures: [], env: {} } });

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
