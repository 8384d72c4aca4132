import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { messagePageSchema } from '#lib/contract/channel.ts';
import { API } from '#lib/contract/paths.ts';
import type { TestServer } from './harness/test-server.ts';
import { expect, test } from './harness/test.ts';
import { connection, openPage } from './harness/navigation.ts';

test.use({ serverOptions: { shipped: ['math', 'weather'], fixtures: [], env: {} } });

const DESK = await readFile(path.join(import.meta.dirname, 'fixtures', 'channels', 'desk.ts'), 'utf8');

let letters = 0;

/** Writes a file, which the channel receives as a message. */
async function putLetter(server: TestServer, text: string, sender: string): Promise<void> {
  const folder = path.join(server.workspace, 'letters');
  await mkdir(folder, { recursive: true });
  letters += 1;
  const name = path.join(folder, `${String(letters).padStart(6, '0')}`);
  await writeFile(name, JSON.stringify({ text, sender }));
  await rename(name, `${name}.json`);
}

function card(page: Page, name: string): Locator {
  return page
    .getByRole('list', { name: 'Channels' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name, exact: true }) });
}

function messages(page: Page): Locator {
  return page.getByRole('list', { name: 'Messages, newest last' }).locator('> li');
}

function stateOf(message: Locator, word: string): Locator {
  return message.getByText(word, { exact: true });
}

/** Saves the channel and waits until it is connected. */
async function addDesk(server: TestServer): Promise<void> {
  await server.save('channels/desk.ts', DESK);
  await expect.poll(async () => (await fetch(`${server.address}${API.channel('desk')}`)).text()).toContain('"connected"');
}

async function openDesk(page: Page): Promise<void> {
  await page.goto('/channels/desk');
  await expect(connection(page)).toHaveText('Live');
}

test('a channel is added, exchanges messages, runs commands, fails and recovers', async ({ page, server, watch }) => {
  const sendBox = page.getByRole('textbox', { name: 'Message to desk' });
  const side = page.getByRole('complementary', { name: 'About the channel' });

  await test.step('a saved file becomes a connected channel at once', async () => {
    await page.goto('/');
    await expect(connection(page)).toHaveText('Live');
    await openPage(page, 'Channels');
    await expect(page.getByRole('heading', { name: 'Add a channel' })).toBeVisible();
    await server.save('channels/desk.ts', DESK);
    await expect(card(page, 'desk')).toContainText('Connected');
    await expect(card(page, 'desk')).toContainText('A front desk: files in the workspace are inbound letters');
    await expect(card(page, 'desk')).toContainText('TypeScript');
    await expect(page.getByRole('heading', { name: 'Add a channel' })).toBeHidden();
  });

  await test.step('an inbound message appears automatically, and a reply is sent to its sender', async () => {
    await card(page, 'desk').getByRole('link', { name: 'desk', exact: true }).click();
    await expect(page.getByText('No messages yet')).toBeVisible();
    await putLetter(server, 'Is the desk open?\nI am Ada.', 'Ada');
    await expect(messages(page)).toHaveCount(1);
    await expect(messages(page).first()).toContainText('Is the desk open?');
    await messages(page).first().hover();
    await page.getByRole('button', { name: 'Write to Ada' }).click();
    await expect(sendBox).toBeFocused();
    await expect(page.getByRole('combobox', { name: 'To' })).toHaveValue('Ada');
    await page.keyboard.type('It is, until six.');
    await page.keyboard.press('Enter');
    await expect(messages(page).last()).toContainText('to Ada');
    await expect(stateOf(messages(page).last(), 'Sent')).toBeVisible();
    await expect(sendBox).toHaveValue('');
    expect(await readFile(path.join(server.workspace, 'book'), 'utf8')).toBe('Ada: It is, until six.\n');
  });

  await test.step('with commands off, a command is only a message', async () => {
    await putLetter(server, '/calculate_expression expression="6 * 7"', 'Ada');
    await expect(messages(page)).toHaveCount(3);
    await expect(page.getByRole('link', { name: 'Open call' })).toBeHidden();
  });

  await test.step('commands are switched on for one tool', async () => {
    await side.getByRole('tab', { name: /^Commands/ }).click();
    await side.getByRole('switch', { name: 'Run commands' }).click();
    await expect(side.getByRole('switch', { name: 'Run commands' })).toBeChecked();
    await expect(side).toContainText('No tools allowed yet');
    await side.getByRole('checkbox', { name: 'calculate_expression' }).check();
    await side.getByRole('button', { name: 'Save tools' }).click();
    await expect(side.getByRole('button', { name: 'Save tools' })).toBeHidden();
    await expect(side).not.toContainText('No tools allowed yet');
  });

  await test.step('a command runs a call, shown below it, and the result is sent as the reply', async () => {
    await putLetter(server, '/calculate_expression expression="6 * 7"', 'Ada');
    const call = messages(page)
      .nth(3)
      .getByRole('button', { name: /calculate_expression/ });
    await expect(call).toContainText('Succeeded');
    await call.click();
    await expect(messages(page).nth(3).getByRole('region', { name: 'Result' })).toContainText('42');
    const reply = messages(page).nth(4);
    await expect(stateOf(reply, 'Sent')).toBeVisible();
    await expect(reply).toContainText('42');
    await reply.getByRole('button', { name: /^Answers \/calculate_expression/ }).click();
    await expect(messages(page).nth(3)).toBeFocused();
    await putLetter(server, '/get_weather city=Lisbon', 'Ada');
    await page.getByRole('button', { name: '2 new' }).click();
    await expect(messages(page).nth(5)).toContainText('Not run');
    await expect(messages(page).nth(6)).toContainText('get_weather cannot be called from this channel');
  });

  await test.step('a failed delivery is queued with its reason, retried and finally given up', async () => {
    await writeFile(path.join(server.workspace, 'no-stamps'), '');
    await sendBox.fill('The parcel has arrived.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const failing = messages(page).last();
    await expect(stateOf(failing, 'Queued')).toBeVisible();
    await expect(failing).toContainText('There are no stamps left.');
    await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Channels/ })).toContainText('1 message waits');
    await side.getByRole('tab', { name: 'State' }).click();
    await expect(page.getByRole('main')).toContainText(/Retrying (in \d+ s|now)/);
    // It is also retried automatically.
    await side.getByRole('button', { name: 'Retry now' }).click();
    await expect(failing).toContainText(/Tried [2-7] times|Given up after 8 attempts/);
    await expect(async () => {
      if (!(await failing.getByText('Given up').isVisible()))
        await side.getByRole('button', { name: 'Retry now' }).click({ timeout: 1_000 });
      await expect(failing).toContainText('Given up after 8 attempts: Sending failed: There are no stamps left.', { timeout: 500 });
    }).toPass({ intervals: [50] });
    await expect(side).toContainText('Failed deliveries1');
  });

  await test.step('the overview shows the failed delivery and links to the channel', async () => {
    await openPage(page, 'Overview');
    const attention = page.getByRole('main').locator('section').filter({ hasText: '1 channel needs attention' });
    await expect(attention).toContainText('1 message failed to send');
    await attention.getByRole('link', { name: 'desk' }).click();
  });

  await test.step('the message is sent again manually', async () => {
    await rm(path.join(server.workspace, 'no-stamps'));
    await page.getByRole('button', { name: 'Show it' }).click();
    await expect(messages(page).last()).toBeFocused();
    await messages(page).last().getByRole('button', { name: 'Send again' }).click();
    await expect(stateOf(messages(page).last(), 'Sent')).toBeVisible();
    await expect(messages(page).last()).not.toContainText('Given up');
    await expect(page.getByRole('button', { name: 'Show it' })).toBeHidden();
    expect(await readFile(path.join(server.workspace, 'book'), 'utf8')).toContain('The parcel has arrived.');
    await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Channels', exact: true })).toBeVisible();
  });

  await test.step('the trace of a test message ends with its reply', async () => {
    await side.getByRole('tab', { name: 'Test' }).click();
    await side.getByRole('textbox', { name: 'Sender' }).fill('a tester');
    await side.getByRole('textbox', { name: 'Text' }).fill('/calculate_expression expression="1 / 0"');
    await side.getByRole('button', { name: 'Inject a test message' }).click();
    const steps = side.getByRole('list', { name: 'Trace' }).getByRole('listitem');
    await expect(steps).toHaveCount(4);
    await expect(steps.nth(1)).toContainText('Parsed as a call.');
    await expect(steps.nth(2)).toContainText('Failed.');
    await expect(steps.nth(3)).toContainText('Sent');
    const injected = messages(page).filter({ hasText: '1 / 0' }).first();
    await expect(injected).toContainText('Test');
    await steps.nth(2).getByRole('link', { name: 'calculate_expression' }).click();
    await expect(page.getByRole('heading', { name: 'calculate_expression', level: 1 })).toBeVisible();
  });

  await test.step('a disconnected channel shows the reason and the next retry', async () => {
    await openPage(page, 'Channels');
    await writeFile(path.join(server.workspace, 'closed'), '');
    await expect(card(page, 'desk')).toContainText('The desk is closed.');
    await expect(card(page, 'desk')).toContainText('Retrying');
    await rm(path.join(server.workspace, 'closed'));
    await card(page, 'desk').getByRole('button', { name: 'Retry now' }).click();
    await expect(card(page, 'desk')).toContainText('Connected');
  });

  await test.step('a channel with an invalid file shows what is missing and links to its extension', async () => {
    await server.save('channels/broken.ts', 'export function connect() {}\nexport function send() {}\n');
    await expect(card(page, 'broken')).toContainText('recv is missing');
    await card(page, 'broken').getByRole('link', { name: 'Open the extension' }).click();
    await expect(page.getByRole('region', { name: 'Failure' })).toContainText('recv');
    // The open page refetches the removed extension.
    watch.expect(/answer 404.*channels%2Fbroken|status of 404.*channels%2Fbroken/);
    await server.removeFile('channels/broken.ts');
  });

  await test.step('messages of a removed channel can still be read', async () => {
    await openDesk(page);
    watch.expect(/answer 404: GET .*\/channels\/desk$|status of 404 .*\/channels\/desk\)$/);
    await server.removeFile('channels/desk.ts');
    await expect(page.getByText('Channel removed')).toBeVisible();
    await expect(messages(page).filter({ hasText: 'The parcel has arrived.' })).toBeVisible();
    await expect(sendBox).toBeHidden();
  });
});

test('a long conversation opens at its end, loads older messages on scroll, and keeps new ones behind a button', async ({
  page,
  server,
}) => {
  await addDesk(server);
  await openDesk(page);
  const stored = await fetch(`${server.address}${API.channelMessages('desk')}?limit=200`);
  const before = messagePageSchema.parse(await stored.json()).messages.length;
  for (let number = 1; number <= 130; number += 1) await putLetter(server, `Letter ${number}`, 'porter');
  await expect(messages(page).last()).toContainText('Letter 130');
  await page.reload();
  await expect(connection(page)).toHaveText('Live');
  await expect(messages(page)).toHaveCount(50);
  await expect(messages(page).last()).toBeInViewport();

  const conversation = page.getByRole('region', { name: 'Conversation of desk' });
  await conversation.hover();
  await expect(async () => {
    await page.mouse.wheel(0, -3_000);
    await expect(page.getByText('Start of the conversation')).toBeInViewport({ timeout: 300 });
  }).toPass();
  await expect(messages(page)).toHaveCount(before + 130);

  const first = messages(page).nth(before);
  await first.scrollIntoViewIfNeeded();
  const at = (await first.boundingBox())?.y;
  await putLetter(server, 'Letter 131', 'porter');
  await putLetter(server, 'Letter 132', 'porter');
  await expect(page.getByRole('button', { name: '2 new' })).toBeVisible();
  expect((await first.boundingBox())?.y, 'the visible messages do not move').toBe(at);
  await page.getByRole('button', { name: '2 new' }).click();
  await expect(messages(page).last()).toContainText('Letter 132');
  await expect(messages(page).last()).toBeInViewport();
  await putLetter(server, 'Letter 133', 'porter');
  await expect(messages(page).filter({ hasText: 'Letter 133' })).toBeInViewport();
});

test('messages with markup, control characters or long words are shown as plain text', async ({ page, server }) => {
  await addDesk(server);
  await openDesk(page);
  await putLetter(
    server,
    '<img src=x onerror="alert(1)"><b>bold</b>\njavascript:alert(2) https://example.org/',
    '<script>alert(3)</script>\u202Eevil',
  );
  await putLetter(server, `${'unbreakable'.repeat(400)}\nשלום`, 'x'.repeat(250));
  await expect(messages(page).filter({ hasText: 'onerror' })).toContainText('<b>bold</b>');
  const long = messages(page).filter({ hasText: 'unbreakable' });
  await long.getByRole('button', { name: /^Show all/ }).click();
  await expect(long.getByRole('button', { name: 'Show less' })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Messages, newest last' }).locator('b, img, script, a[href*="example"]')).toHaveCount(0);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
});

test('on a phone the details of a channel open in a sheet, and the command palette finds the channel', async ({ page, server }) => {
  await addDesk(server);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/channels');
  await expect(card(page, 'desk')).toContainText('Connected');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
  await page.keyboard.type('channel desk');
  await page.getByRole('option', { name: /^desk/ }).click();
  await expect(page.getByRole('heading', { name: 'desk', level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Details' }).click();
  const sheet = page.getByRole('dialog', { name: 'desk' });
  await sheet.getByRole('tab', { name: 'Test' }).click();
  await sheet.getByRole('textbox', { name: 'Text' }).fill('Good morning');
  await sheet.getByRole('button', { name: 'Inject a test message' }).click();
  await expect(sheet.getByRole('list', { name: 'Trace' })).toContainText('Not a command');
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await expect(messages(page).last()).toContainText('Good morning');
  await expect(page.getByRole('button', { name: 'Details' })).toBeFocused();
});
