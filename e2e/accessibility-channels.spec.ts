import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { API } from '#lib/contract/paths.ts';
import { expectAccessible, NARROW, WIDE } from './harness/accessible.ts';
import { test } from './harness/accessibility-server.ts';
import type { TestServer } from './harness/test-server.ts';
import { expect } from './harness/test.ts';

test.describe.configure({ mode: 'parallel' });

/** Adds messages of all kinds: a command that runs, an unknown one, a long text and a queued message. */
async function fillDesk(server: TestServer): Promise<void> {
  const write = (address: string, method: string, body: unknown) =>
    fetch(`${server.address}${address}`, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  await write(API.channel('desk'), 'PATCH', { commands: { enabled: true, tools: ['get_weather'] } });
  for (const text of ['/get_weather city=Lisbon', '/nothing', 'word '.repeat(400)])
    await write(API.injectMessage('desk'), 'POST', { text, sender: 'Ada' });
  await writeFile(path.join(server.workspace, 'no-stamps'), '');
  await write(API.sendMessage('desk'), 'POST', { text: 'The parcel has arrived.', recipient: 'Ada' });
}

test('a conversation and the Commands and Test tabs are accessible', async ({ page, server }) => {
  await fillDesk(server);
  await page.goto('/channels/desk');
  const conversation = page.getByRole('list', { name: 'Messages, newest last' });
  await expect(conversation).toContainText('There are no stamps left.');
  const call = conversation.getByRole('button', { name: /^Call of get_weather/ });
  // At the end of the list, a new reply keeps the view at the end.
  await expect(async () => {
    // A call loads when scrolled into view.
    await conversation.locator('> li').first().scrollIntoViewIfNeeded();
    if ((await call.getAttribute('aria-expanded', { timeout: 2_000 })) !== 'true') await call.click({ timeout: 2_000 });
    await expect(call).toHaveAttribute('aria-expanded', 'true', { timeout: 1_000 });
  }).toPass();
  await expect(conversation.getByRole('region', { name: 'Result' })).toContainText('Lisbon');
  await expectAccessible(page);
  for (const tab of [/^Commands/, 'Test']) {
    await page.setViewportSize(WIDE);
    await page.getByRole('tab', { name: tab }).click();
    await expectAccessible(page);
  }
});

test('a test message in a sheet and a failing channel are accessible', async ({ page, server }) => {
  await fillDesk(server);
  await page.setViewportSize(NARROW);
  await page.goto('/channels/desk');
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('dialog').getByRole('tab', { name: 'Test' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Inject a test message' }).click();
  await expect(page.getByRole('list', { name: 'Trace' })).toContainText('Answered without a call.');
  await expectAccessible(page);
  await page.goto('/channels');
  await expect(page.getByRole('button', { name: 'Retry now' })).toBeVisible();
  await expectAccessible(page);
});
