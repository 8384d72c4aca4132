import { expectAccessible, WIDE } from './harness/accessible.ts';
import { test } from './harness/accessibility-server.ts';
import { expect } from './harness/test.ts';

test.describe.configure({ mode: 'parallel' });

test('the list of failures, a failure with a comment, and its dialogs are accessible', async ({ page, server }) => {
  const tool = "{ label: 'Test', name: 'move_all', description: 'Moves nothing.', parameters: {}, execute: () => 1 }";
  await server.save('moved/extension.ts', `export const TOOL = ${tool};\n`);
  await expect.poll(async () => (await server.call('move_all').catch(() => null))?.status).toBe('succeeded');
  await server.save('moved/extension.ts', "import './gone.ts';\nconsole.log('on the way');\nthrow new Error('after 15 ms');\n");
  await page.goto('/failures');
  const moved = page.locator('[data-failure]').filter({ hasText: 'moved' });
  await expect(moved).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize(WIDE);
  await moved.getByRole('link').click();
  await expect(page.getByRole('complementary', { name: 'The selected failure' })).toContainText('What changed since it worked');
  await expectAccessible(page);
  await page.setViewportSize(WIDE);
  await moved.getByRole('link').press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('gone.ts');
  await page.getByRole('textbox', { name: 'Comment' }).fill('**Gone**:\n\n> see [the log](https://example.org)\n\n```\nls\n```');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.getByRole('button', { name: 'Continue without a name' }).click();
  await expect(page.getByRole('region', { name: 'Changes of moved/extension.ts', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Split or merge…' }).click();
  await expect(page.getByRole('button', { name: 'Split off' })).toBeVisible();
  await expectAccessible(page);
  for (const [button, dialog] of [
    ['Ignore…', 'Ignore this failure'],
    ['Assign to me', 'Who are you?'],
    ['Open source', 'moved/extension.ts:1'],
  ] as const) {
    await test.step(dialog, async () => {
      await page.setViewportSize(WIDE);
      await page.getByRole('button', { name: button }).click();
      await expect(page.getByRole('dialog', { name: dialog })).toBeVisible();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    });
  }
  await server.removeFile('moved');
});
