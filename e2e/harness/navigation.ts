import { expect } from './expect.ts';
import type { Locator, Page } from '@playwright/test';

/** Common navigations. Each resolves when its target is ready. */

export type PageTitle = 'Overview' | 'Tools' | 'Extensions' | 'Calls' | 'Channels';

export async function openPage(page: Page, title: PageTitle): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: title, exact: true }).click();
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
}

export async function openExtension(page: Page, id: string): Promise<void> {
  await openPage(page, 'Extensions');
  await page.getByRole('region', { name: 'Extensions' }).getByRole('link', { name: id, exact: true }).click();
  await expect(page.getByRole('heading', { name: id, level: 1 })).toBeVisible();
}

/** Resolves when the form is ready. */
export async function openTool(page: Page, tool: string): Promise<void> {
  await openPage(page, 'Tools');
  await page.getByRole('main').getByRole('link', { name: tool }).click();
  await expect(runButton(page)).toBeEnabled();
}

export function runButton(page: Page): Locator {
  return page.getByRole('button', { name: 'Run', exact: true });
}

/** Badge with the connection state. */
export function connection(page: Page): Locator {
  return page.getByRole('status', { name: 'Connection' });
}

/** Rows of the list of calls, newest first. */
export function callRows(page: Page): Locator {
  return page
    .getByRole('table', { name: 'Calls, newest first' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });
}

/** Logs of a call, once its tab is open. */
export function callLog(page: Page): Locator {
  return page.getByRole('region', { name: 'Log of the call' });
}
