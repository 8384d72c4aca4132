import type { Page } from '@playwright/test';
import { expectAccessible, WIDE } from './harness/accessible.ts';
import { test } from './harness/accessibility-server.ts';
import { expect } from './harness/test.ts';
import { callRows, runButton } from './harness/navigation.ts';

test.describe.configure({ mode: 'parallel' });

/** A page is opened by its address, or by a tab of the page before it. */
type Pages = Readonly<Record<string, { readonly address?: string; readonly tab?: RegExp; readonly ready: (page: Page) => Promise<void> }>>;

/** Pages of a group are opened in one browser, which caches their scripts. */
const PAGES: Readonly<Record<string, Pages>> = {
  'pages of the overview, tools, calls and timeline': {
    'the overview': {
      address: '/',
      ready: (page) => expect(page.getByRole('heading', { name: '1 extension needs attention' })).toBeVisible(),
    },
    'the tools': { address: '/tools', ready: (page) => expect(page.getByRole('link', { name: 'book_room' })).toBeVisible() },
    'a destructive tool': { address: '/tools/run_shell_command', ready: (page) => expect(runButton(page)).toBeEnabled() },
    'a tool beside the list of tools': {
      address: '/tools/book_room',
      ready: async (page) => {
        await page.getByRole('button', { name: 'Show the list of tools' }).click();
        const list = page.getByRole('complementary', { name: 'All tools' });
        await expect(list.getByRole('link', { name: 'book_room' })).toBeVisible();
      },
    },
    'the calls': { address: '/calls', ready: (page) => expect(callRows(page).first()).toBeVisible() },
    'a filter without matching calls': {
      address: '/calls?q=nothing',
      ready: (page) => expect(page.getByText('No matching calls')).toBeVisible(),
    },
    'the timeline, with a version open': {
      address: '/timeline?version=1',
      ready: (page) => expect(page.getByRole('complementary', { name: 'The selected version' })).toContainText('State of all extensions'),
    },
  },
  'pages of extensions': {
    'the extensions': {
      address: '/extensions',
      ready: (page) => expect(page.getByRole('region', { name: 'Extensions' })).toContainText('workbench'),
    },
    'an extension that is ready': {
      address: '/extensions/workbench',
      ready: (page) => expect(page.getByRole('tabpanel')).toContainText('book_room'),
    },
    'its revisions': {
      tab: /^Revisions/,
      ready: (page) => expect(page.getByRole('tabpanel')).toContainText('Serving'),
    },
    'its source': {
      tab: /^Source/,
      ready: (page) => expect(page.getByRole('textbox', { name: /^Source of/ })).toContainText('book_room'),
    },
    'its settings': {
      tab: /^Settings/,
      ready: (page) => expect(page.getByRole('tabpanel')).toContainText('use the network'),
    },
    'its status': {
      tab: /^Status/,
      ready: (page) => expect(page.getByRole('tabpanel')).toContainText('tables'),
    },
    'the log of an extension': {
      tab: /^Logs/,
      ready: (page) => expect(page.getByRole('tabpanel')).toContainText('The workbench is open'),
    },
    'an extension that failed': {
      address: '/extensions/broken',
      ready: (page) => expect(page.getByRole('region', { name: 'Failure' })).toContainText('guests'),
    },
  },
  'pages of channels': {
    'the channels': {
      address: '/channels',
      ready: (page) => expect(page.getByRole('list', { name: 'Channels' })).toContainText('A front desk'),
    },
    'a channel without messages': { address: '/channels/quiet', ready: (page) => expect(page.getByText('No messages yet')).toBeVisible() },
    'the chat of the dashboard': {
      address: '/channels/web',
      ready: (page) => expect(page.getByRole('textbox', { name: 'Write a message' })).toBeVisible(),
    },
  },
};

for (const [group, pages] of Object.entries(PAGES)) {
  test(`${group} are accessible`, async ({ page }) => {
    for (const [name, { address, tab, ready }] of Object.entries(pages)) {
      await test.step(name, async () => {
        await page.setViewportSize(WIDE);
        if (address !== undefined) await page.goto(address);
        if (tab !== undefined) await page.getByRole('tab', { name: tab }).click();
        await ready(page);
        await expectAccessible(page);
      });
    }
  });
}

test('not-found pages say what was not found, with a link to the list, and are accessible', async ({ page, watch }) => {
  watch.expect(/answer 404|status of 404/);
  for (const [address, title, list] of [
    ['/calls/none', 'Call not found', 'Show calls'],
    ['/failures/none', 'Failure not found', 'Show failures'],
    ['/channels/none', 'Channel not found', 'Show channels'],
    ['/tools/none', 'Tool not found', 'Show extensions'],
    ['/extensions/none', 'Extension not found', 'Show extensions'],
    ['/nothing/here', 'Page not found', 'Show extensions'],
  ] as const) {
    await test.step(address, async () => {
      await page.setViewportSize(WIDE);
      await page.goto(address);
      await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
      await expect(page.getByRole('link', { name: list })).toBeVisible();
      // The others consist of the same component as the last.
      if (/tools|extensions|nothing/.test(address)) await expectAccessible(page);
    });
  }
});

test('pages that need accounts have the title of the not-found page without them', async ({ request }) => {
  const answer = await request.get('/profile');
  expect(answer.status()).toBe(404);
  expect(await answer.text()).toMatch(/<title>Not found/);
});

test('selected items stay highlighted in forced-colors mode', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto('/extensions/workbench?tab=revisions');
  const navigation = page.getByRole('navigation', { name: 'Main' }).first();
  for (const [selected, other] of [
    [navigation.getByRole('link', { name: 'Extensions' }), navigation.getByRole('link', { name: 'Calls' })],
    [page.getByRole('tab', { name: /Revisions/ }), page.getByRole('tab', { name: /Source/ })],
  ] as const) {
    await expect(selected).toHaveCSS('forced-color-adjust', 'none');
    await expect(other).toHaveCSS('forced-color-adjust', 'auto');
  }
});
