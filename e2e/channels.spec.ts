import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { messagePageSchema } from '#lib/contract/channel.ts';
import { API } from '#lib/contract/paths.ts';
import type { TestServer } from './harness/test-server.ts';
import { expect, test } from './harness/test.ts';
import { connection, openPlace } from './harness/walk.ts';

test.use({ serverOptions: { fixtures: [], env: {} } });

const DESK = await readFile(path.join(import.meta.dirname, 'fixtures', 'channels', 'desk.ts'), 'utf8');

let letters = 0;

/** Writes a letter, which the channel receives. */
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

/** Resolves when the saved file is a connected channel. */
async function addDesk(server: TestServer): Promise<void> {
  await server.save('channels/desk.ts', DESK);
  await expect.poll(async () => (await fetch(`${server.address}${API.channel('desk')}`)).text()).toContain('"connected"');
}

async function openDesk(page: Page): Promise<void> {
  await page.goto('/channels/desk');
  await expect(connection(page)).toHaveText('Live');
}

test('a channel is dropped in, talks, runs commands, fails and recovers', async ({ page, server, watch }) => {
  const sendBox = page.getByRole('textbox', { name: 'Message to desk' });
  const side = page.getByRole('complementary', { name: 'About the channel' });

  await test.step('a file that is saved is a channel at once, and says that it is connected', async () => {
    await page.goto('/');
    await expect(connection(page)).toHaveText('Live');
    await openPlace(page, 'Channels');
    await expect(page.getByRole('heading', { name: 'Add a channel' })).toBeVisible();
    await server.save('channels/desk.ts', DESK);
    await expect(card(page, 'desk')).toContainText('Connected');
    await expect(card(page, 'desk')).toContainText('A front desk: files in the workspace are inbound letters');
    await expect(card(page, 'desk')).toContainText('TypeScript');
    await expect(page.getByRole('heading', { name: 'Add a channel' })).toBeHidden();
  });

  await test.step('a message arrives automatically, and its sender gets a reply', async () => {
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

  await test.step('commands are off: one that comes is only a message', async () => {
    await putLetter(server, '/calculate_expression expression="6 * 7"', 'Ada');
    await expect(messages(page)).toHaveCount(3);
    await expect(page.getByRole('link', { name: 'Open call' })).toBeHidden();
  });

  await test.step('they are switched on, for one tool', async () => {
    await side.getByRole('tab', { name: /^Commands/ }).click();
    await side.getByRole('switch', { name: 'Run commands' }).click();
    await expect(side.getByRole('switch', { name: 'Run commands' })).toBeChecked();
    await expect(side).toContainText('No tools allowed yet');
    await side.getByRole('checkbox', { name: 'calculate_expression' }).check();
    await side.getByRole('button', { name: 'Save tools' }).click();
    await expect(side.getByRole('button', { name: 'Save tools' })).toBeHidden();
    await expect(side).not.toContainText('No tools allowed yet');
  });

  await test.step('a command becomes a call, folded below it, and its result the answer', async () => {
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

  await test.step('a message that cannot be sent waits, says why, and is given up in the end', async () => {
    await writeFile(path.join(server.workspace, 'no-stamps'), '');
    await sendBox.fill('The parcel has arrived.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const failing = messages(page).last();
    await expect(stateOf(failing, 'Queued')).toBeVisible();
    await expect(failing).toContainText('There are no stamps left.');
    await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Channels/ })).toContainText('1 message waits');
    await side.getByRole('tab', { name: 'State' }).click();
    await expect(side).toContainText(/Retrying (in \d+ s|now)/);
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

  await test.step('the overview says so, and leads back', async () => {
    await openPlace(page, 'Overview');
    const trouble = page.getByRole('main').locator('section').filter({ hasText: '1 channel needs attention' });
    await expect(trouble).toContainText('1 message failed to send');
    await trouble.getByRole('link', { name: 'desk' }).click();
  });

  await test.step('it is sent again by hand', async () => {
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

  await test.step('a test message is followed to its reply', async () => {
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

  await test.step('the desk closes: the channel says why and when it tries again', async () => {
    await openPlace(page, 'Channels');
    await writeFile(path.join(server.workspace, 'closed'), '');
    await expect(card(page, 'desk')).toContainText('The desk is closed.');
    await expect(card(page, 'desk')).toContainText('Retrying');
    await rm(path.join(server.workspace, 'closed'));
    await card(page, 'desk').getByRole('button', { name: 'Retry now' }).click();
    await expect(card(page, 'desk')).toContainText('Connected');
  });

  await test.step('its file is broken: the card stays, says what is missing, and leads there', async () => {
    await server.save('channels/broken.ts', 'export function connect() {}\nexport function send() {}\n');
    await expect(card(page, 'broken')).toContainText('recv is missing');
    await card(page, 'broken').getByRole('link', { name: 'Open the extension' }).click();
    await expect(page.getByRole('region', { name: 'Failure' })).toContainText('recv');
    // Its page is open and refetches what is gone.
    watch.expect(/answer 404.*channels%2Fbroken|status of 404.*channels%2Fbroken/);
    await server.removeFile('channels/broken.ts');
  });

  await test.step('its file is removed: what was written can still be read', async () => {
    await openDesk(page);
    watch.expect(/answer 404: GET .*\/channels\/desk$|status of 404 .*\/channels\/desk\)$/);
    await server.removeFile('channels/desk.ts');
    await expect(page.getByText('Channel removed')).toBeVisible();
    await expect(messages(page).filter({ hasText: 'The parcel has arrived.' })).toBeVisible();
    await expect(sendBox).toBeHidden();
  });
});

test('a long conversation opens at its end, reads older messages as one scrolls up, and holds back what is new', async ({
  page,
  server,
}) => {
  await addDesk(server);
  await openDesk(page);
  const kept = await fetch(`${server.address}${API.channelMessages('desk')}?limit=200`);
  const before = messagePageSchema.parse(await kept.json()).messages.length;
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
  expect((await first.boundingBox())?.y, 'what is read does not move').toBe(at);
  await page.getByRole('button', { name: '2 new' }).click();
  await expect(messages(page).last()).toContainText('Letter 132');
  await expect(messages(page).last()).toBeInViewport();
  await putLetter(server, 'Letter 133', 'porter');
  await expect(messages(page).filter({ hasText: 'Letter 133' })).toBeInViewport();
});

test('what strangers write stays text, in its own direction', async ({ page, server }) => {
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

test('on a phone the state, the commands and the test are in a sheet, and the palette finds the channel', async ({ page, server }) => {
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
