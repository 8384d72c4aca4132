import { expectAccessible, NARROW, WIDE } from './harness/accessible.ts';
import { test } from './harness/accessibility-server.ts';
import { expect } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

test.describe.configure({ mode: 'parallel' });

test('a form with errors and the result of a run are accessible', async ({ page }) => {
  await page.goto('/tools/book_room');
  await runButton(page).click();
  await expect(page.getByText('2 values need attention:')).toBeVisible();
  await page.getByRole('button', { name: 'Add an item to wishes' }).click();
  await page.getByRole('textbox', { name: 'As JSON' }).click();
  await expect(page.locator('[data-editor]')).toBeVisible();
  await page.getByRole('textbox', { name: 'As JSON' }).fill('{ "guest": ');
  await expect(page.getByRole('button', { name: 'Discard edit' })).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize(WIDE);
  await page
    .getByRole('textbox', { name: 'As JSON' })
    .fill('{ "guest": "Ada", "nights": 2, "wishes": ["quiet"], "contact": { "email": "ada@example.org" } }');
  await runButton(page).click();
  await expect(page.getByText(/^book_room: Succeeded/)).toBeAttached();
  await expectAccessible(page);
});

test('the dialog for connecting an agent is accessible', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Connect an agent' }).click();
  await expect(page.getByRole('dialog', { name: 'Connect an agent' })).toContainText('tools are available now');
  await expectAccessible(page);
});

test('dialogs, the command palette and the state of the server are accessible', async ({ page }) => {
  await page.goto('/tools/run_shell_command');
  await page.getByRole('textbox', { name: 'command (required)' }).fill('ls');
  const overlays: Readonly<Record<string, () => Promise<void>>> = {
    'Run run_shell_command?': () => runButton(page).click(),
    'Keyboard shortcuts': async () => {
      await page.getByRole('heading', { level: 1 }).click();
      await page.keyboard.press('?');
    },
    'Result of the reload': () => page.getByRole('button', { name: 'Reload all extensions' }).click(),
  };
  for (const [name, open] of Object.entries(overlays)) {
    const role = name.endsWith('?') ? 'alertdialog' : 'dialog';
    await test.step(name, async () => {
      await page.setViewportSize(WIDE);
      await open();
      await expect(page.getByRole(role, { name })).toBeVisible();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await expect(page.getByRole(role)).toBeHidden();
    });
  }
  await test.step('the command palette', async () => {
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
    await page.keyboard.type('weather');
    await expect(page.getByRole('option').first()).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
  });
  await test.step('the state of the server on a phone', async () => {
    await page.setViewportSize(NARROW);
    await page.getByRole('button', { name: 'Show the state of the server' }).click();
    await expect(page.getByRole('dialog', { name: 'State of the server' })).toBeVisible();
    await expectAccessible(page);
  });
});
