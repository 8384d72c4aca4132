import { expect } from './expect.ts';
import type { Page } from '@playwright/test';
import { PAGES } from '#lib/contract/paths.ts';
import { runButton } from './navigation.ts';

/** Opens a tool by client-side navigation; resolves when its empty form is ready. */
export async function openEmptyForm(page: Page, tool: string): Promise<void> {
  const show = page.getByRole('button', { name: 'Show the list of tools' });
  if (await show.isVisible()) await show.click();
  await page
    .locator(`a[href="${PAGES.tool(tool)}"]`)
    .first()
    .click();
  await expect(page.getByRole('heading', { name: tool, level: 1, exact: true })).toBeVisible();
  await expect(runButton(page)).toBeEnabled();
  const reset = page.getByRole('button', { name: 'Reset' });
  if (await reset.isVisible()) await reset.click();
}
