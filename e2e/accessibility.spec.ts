import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { API } from '#lib/contract/paths.ts';
import { expectAccessible, NARROW, WIDE } from './harness/accessible.ts';
import type { Board } from './harness/board.ts';
import { expect, test } from './harness/test.ts';
import { callLog, callRows, runButton } from './harness/walk.ts';

test.use({ boardOptions: { fixtures: ['workbench', 'broken', 'channels', 'results'], env: {} } });

const PAGES: Readonly<Record<string, { readonly address: string; readonly ready: (page: Page) => Promise<void> }>> = {
  'the overview': { address: '/', ready: (page) => expect(page.getByRole('heading', { name: 'One extension needs you' })).toBeVisible() },
  'the extensions': {
    address: '/extensions',
    ready: (page) => expect(page.getByRole('region', { name: 'Extensions' })).toContainText('workbench'),
  },
  'an extension that is ready': {
    address: '/extensions/workbench',
    ready: (page) => expect(page.getByRole('tabpanel')).toContainText('book_room'),
  },
  'its revisions': {
    address: '/extensions/workbench?tab=revisions',
    ready: (page) => expect(page.getByRole('tabpanel')).toContainText('Serving'),
  },
  'its source': {
    address: '/extensions/workbench?tab=source',
    ready: (page) => expect(page.getByRole('textbox', { name: /^Source of/ })).toContainText('book_room'),
  },
  'its settings': {
    address: '/extensions/workbench?tab=settings',
    ready: (page) => expect(page.getByRole('tabpanel')).toContainText('use the network'),
  },
  'its status': { address: '/extensions/workbench?tab=status', ready: (page) => expect(page.getByRole('tabpanel')).toContainText('rooms') },
  'an extension that failed': {
    address: '/extensions/broken',
    ready: (page) => expect(page.getByRole('region', { name: 'Failure' })).toContainText('guests'),
  },
  'the log of an extension': {
    address: '/extensions/workbench?tab=logs',
    ready: (page) => expect(page.getByRole('tabpanel')).toContainText('The workbench is open'),
  },
  'the tools': { address: '/tools', ready: (page) => expect(page.getByRole('link', { name: 'book_room' })).toBeVisible() },
  'a tool': { address: '/tools/book_room', ready: (page) => expect(runButton(page)).toBeEnabled() },
  'a destructive tool': { address: '/tools/run_shell_command', ready: (page) => expect(runButton(page)).toBeEnabled() },
  'the calls': { address: '/calls', ready: (page) => expect(callRows(page).first()).toBeVisible() },
  'the time line, with a version open': {
    address: '/timeline?version=1',
    ready: (page) => expect(page.getByRole('complementary', { name: 'The selected version' })).toContainText('How it stood'),
  },
  'the channels': {
    address: '/channels',
    ready: (page) => expect(page.getByRole('list', { name: 'Channels' })).toContainText('The front desk'),
  },
  'a channel without messages': { address: '/channels/desk', ready: (page) => expect(page.getByText('No messages yet')).toBeVisible() },
  'the chat of the dashboard': {
    address: '/channels/web',
    ready: (page) => expect(page.getByRole('textbox', { name: 'Write a message' })).toBeVisible(),
  },
  'the calls that no filter lets through': {
    address: '/calls?q=nothing',
    ready: (page) => expect(page.getByText('No call fits')).toBeVisible(),
  },
};

test.beforeAll(async ({ board }) => {
  await board.call('get_weather', { city: 'Lisbon' });
  await board.call('book_room', { guest: 'A', nights: 99 });
  await board.call('open_safe', { room: 1, api_key: 'guess' }, { 'x-actor': 'Ada' });
});

for (const [name, { address, ready }] of Object.entries(PAGES)) {
  test(`${name}: axe finds nothing`, async ({ page }) => {
    await page.goto(address);
    await ready(page);
    await expectAccessible(page);
  });
}

test('failures, one of them with all that is said of it, and what opens over it: axe finds nothing', async ({ page, board }) => {
  const tool = "{ label: 'Test', name: 'move_all', description: 'Moves nothing.', parameters: {}, execute: () => 1 }";
  await board.save('moved/extension.ts', `export const TOOL = ${tool};\n`);
  await expect.poll(async () => (await board.call('move_all').catch(() => null))?.status).toBe('succeeded');
  await board.save('moved/extension.ts', "import './gone.ts';\nconsole.log('on the way');\nthrow new Error('after 15 ms');\n");
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
  await page.getByRole('button', { name: 'Go on without a name' }).click();
  await expect(page.getByRole('region', { name: 'Changes of moved/extension.ts', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Split or merge…' }).click();
  await expect(page.getByRole('button', { name: 'Split off' })).toBeVisible();
  await expectAccessible(page);
  for (const [button, dialog] of [
    ['Ignore…', 'Ignore this failure'],
    ['Take it', 'Who are you?'],
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
  await board.discard('moved');
});

test('calls that went well and wrong: axe finds nothing', async ({ page, board }) => {
  const good = await board.call('get_weather', { city: 'Lisbon', days: 2 });
  const bad = await board.call('book_room', { guest: 'A', nights: 99 });
  await page.goto(`/calls/${good.id}`);
  await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('Lisbon');
  await expectAccessible(page);
  await page.setViewportSize(WIDE);
  await page.getByRole('tab', { name: /^Logs/ }).click();
  await expect(callLog(page)).toBeVisible();
  await expectAccessible(page);
  await page.goto(`/calls/compare?a=${good.id}&b=${bad.id}`);
  await expect(page.getByRole('table', { name: 'Arguments' })).toContainText('nights');
  await expectAccessible(page);
  await page.goto(`/calls/${bad.id}`);
  await expect(page.getByRole('main')).toContainText('/nights');
  await expectAccessible(page);
});

for (const kind of ['tree', 'table', 'markdown', 'terminal', 'content']) {
  test(`a result as ${kind}: axe finds nothing`, async ({ page, board }) => {
    const call = await board.call('show_result', { kind });
    await page.goto(`/calls/${call.id}`);
    await expect(page.getByRole('region', { name: 'Result', exact: true })).toBeVisible();
    await expectAccessible(page);
  });
}

test('what an agent sees of a call: axe finds nothing', async ({ page, board }) => {
  const call = await board.call('show_result', { kind: 'content' });
  await page.goto(`/calls/${call.id}`);
  await page.getByRole('tab', { name: 'What the agent sees' }).click();
  await expect(page.getByRole('region', { name: 'Tool as listed', exact: true })).toBeVisible();
  await expectAccessible(page);
});

/** Messages of all kinds on the desk: a command that ran, one that did not, a long text, one that waits to be sent. */
async function fillDesk(board: Board): Promise<void> {
  const write = (address: string, method: string, body: unknown) =>
    fetch(`${board.address}${address}`, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  await write(API.channel('desk'), 'PATCH', { commands: { enabled: true, tools: ['get_weather'] } });
  for (const text of ['/get_weather city=Lisbon', '/nothing', 'word '.repeat(400)])
    await write(API.injectMessage('desk'), 'POST', { text, sender: 'Ada' });
  await writeFile(path.join(board.workspace, 'no-stamps'), '');
  await write(API.sendMessage('desk'), 'POST', { text: 'The parcel has arrived.', recipient: 'Ada' });
}

test('a conversation, its commands and a test: axe finds nothing', async ({ page, board }) => {
  await fillDesk(board);
  await page.goto('/channels/desk');
  const conversation = page.getByRole('list', { name: 'Messages, newest last' });
  await expect(conversation).toContainText('There are no stamps left.');
  // An answer that comes meanwhile takes whoever is at the end with it.
  await expect(async () => {
    await conversation.locator('> li').first().scrollIntoViewIfNeeded();
    await conversation.getByRole('button', { name: /^Call of get_weather/ }).click({ timeout: 1_000 });
  }).toPass();
  await expect(conversation.getByRole('region', { name: 'Result' })).toContainText('Lisbon');
  await expectAccessible(page);
  for (const tab of [/^Commands/, 'Test']) {
    await page.setViewportSize(WIDE);
    await page.getByRole('tab', { name: tab }).click();
    await expectAccessible(page);
  }
});

test('a test message in a sheet, and a channel in trouble: axe finds nothing', async ({ page, board }) => {
  await fillDesk(board);
  await page.setViewportSize(NARROW);
  await page.goto('/channels/desk');
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('dialog').getByRole('tab', { name: 'Test' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Inject a test message' }).click();
  await expect(page.getByRole('list', { name: 'The way of the test message' })).toContainText('Answered without a call.');
  await expectAccessible(page);
  await page.goto('/channels');
  await expect(page.getByRole('button', { name: 'Retry now' })).toBeVisible();
  await expectAccessible(page);
});

test('a page that is not there: axe finds nothing', async ({ page, watch }) => {
  watch.expect(/answer 404|status of 404/);
  await page.goto('/nothing/here');
  await expect(page.getByText('There is nothing at this address')).toBeVisible();
  await expectAccessible(page);
});

test('a form with everything wrong, and the result of its run: axe finds nothing', async ({ page }) => {
  await page.goto('/tools/book_room');
  await runButton(page).click();
  await expect(page.getByText('2 values need attention:')).toBeVisible();
  await page.getByRole('button', { name: 'Add an item to wishes' }).click();
  await page.getByRole('textbox', { name: 'As JSON' }).click();
  await expect(page.locator('[data-editor]')).toBeVisible();
  await page.getByRole('textbox', { name: 'As JSON' }).fill('{ "guest": ');
  await expect(page.getByRole('button', { name: 'Drop this edit' })).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize(WIDE);
  await page
    .getByRole('textbox', { name: 'As JSON' })
    .fill('{ "guest": "Ada", "nights": 2, "wishes": ["quiet"], "contact": { "email": "ada@example.org" } }');
  await runButton(page).click();
  await expect(page.getByText(/^book_room: Succeeded/)).toBeAttached();
  await expectAccessible(page);
});

test('how to connect an agent: axe finds nothing', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Connect an agent' }).click();
  await expect(page.getByRole('dialog', { name: 'Connect an agent' })).toContainText('tools are available now');
  await expectAccessible(page);
});

test('what opens over a page: axe finds nothing', async ({ page }) => {
  await page.goto('/tools/run_shell_command');
  await page.getByRole('textbox', { name: 'command (required)' }).fill('ls');
  const overlays: Readonly<Record<string, () => Promise<void>>> = {
    'Run run_shell_command?': () => runButton(page).click(),
    Keys: async () => {
      await page.getByRole('heading', { level: 1 }).click();
      await page.keyboard.press('?');
    },
    'Result of the reload': () => page.getByRole('button', { name: 'Reload all extensions' }).click(),
  };
  for (const [name, open] of Object.entries(overlays)) {
    await test.step(name, async () => {
      await page.setViewportSize(WIDE);
      await open();
      await expect(page.getByRole('dialog', { name })).toBeVisible();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    });
  }
  await test.step('the palette', async () => {
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
