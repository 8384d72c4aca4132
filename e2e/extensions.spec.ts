import type { Page } from '@playwright/test';
import { API } from '#lib/contract/paths.ts';
import { expect, test } from './harness/test.ts';
import { connection, openExtension } from './harness/navigation.ts';

test.use({ serverOptions: { fixtures: ['workbench', 'broken'], env: {} } });

test('extensions are searched and filtered, and the URL stores both', async ({ page }) => {
  await page.goto('/extensions');
  const rows = page
    .getByRole('region', { name: 'Extensions' })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });
  await expect(rows).toHaveCount(6);
  await expect(rows.first(), 'failed extensions come first').toContainText('broken');
  await page.getByRole('textbox', { name: 'Search extensions' }).fill('book_room');
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('workbench');
  await expect(page).toHaveURL(/[?&]q=book_room/);
  await page.reload();
  await expect(rows).toHaveCount(1);
  await page.getByRole('textbox', { name: 'Search extensions' }).press('Escape');
  await page.getByRole('group', { name: 'State' }).getByRole('button', { name: 'Failed' }).click();
  await expect(page).toHaveURL(/[?&]state=failed/);
  await expect(rows).toHaveCount(1);
  await page.getByRole('textbox', { name: 'Search extensions' }).fill('nothing is called so');
  await expect(page.getByText('No matching extensions')).toBeVisible();
  await page.getByRole('textbox', { name: 'Search extensions' }).fill('long'.repeat(100));
  await expect(page.getByText(/^No extension has “(long)+”/)).toBeVisible();
  expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
  await page.getByRole('button', { name: 'Show all 6' }).click();
  await expect(rows).toHaveCount(6);
});

test('an extension that fails on import shows its location, stack, output and error code', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('main').getByRole('link', { name: 'broken', exact: true }).first().click();
  const failure = page.getByRole('region', { name: 'Failure' });
  await expect(failure.getByRole('heading')).toContainText(['Revision 1 was not loaded; not serving']);
  await expect(failure).toContainText('The list of guests cannot be read');
  await expect(failure.getByText(/^broken\/extension\.ts:13:\d+$/)).toBeVisible();
  await expect(failure.getByRole('region', { name: 'Stack' })).toContainText('broken/extension.ts:13');
  await expect(failure.getByRole('region', { name: 'Output' })).toContainText('Reading the list of guests');
  await expect(failure.getByText('import_error', { exact: true })).toBeVisible();
});

test('each count on the overview links to its list', async ({ page, server }) => {
  for (const name of ['Ada', 'Grace']) await server.call('book_room', { guest: name });
  await page.goto('/');
  await expect(connection(page)).toHaveText('Live');
  await expect(page.getByText(/^A probe file was seen after/)).toBeVisible();
  await page.getByRole('button', { name: 'Test again' }).click();
  await expect(page.getByText('Test passed: saved files are detected.')).toBeAttached();
  await expect(page.getByRole('main').getByRole('link', { name: 'web', exact: true })).toBeVisible();
  await page.getByRole('link', { name: '1 failed', exact: true }).first().click();
  await expect(page).toHaveURL(/\/extensions\?state=failed/);
  await page.goBack();
  const panel = page.getByRole('main').locator('section').filter({ hasText: 'Calls of the last hour' }).first();
  await expect(panel.getByRole('link', { name: /UTC: \d+ calls?/ }).last()).toBeVisible();
  await panel
    .getByRole('link', { name: /^\d+ failed$/ })
    .first()
    .click();
  await expect(page).toHaveURL(/\/calls\?status=failed&since=/);
});

test('the list shows calls and failed calls of each extension, and updates automatically', async ({ page, server }) => {
  await server.call('book_room', { guest: 'Ada' });
  await page.goto('/extensions');
  await expect(connection(page)).toHaveText('Live');
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'workbench', exact: true }) });
  const calls = row.getByRole('link', { name: /^\d+ calls?$/ });
  const before = Number.parseInt((await calls.textContent()) ?? '', 10);
  await server.call('book_room', {});
  await expect(calls).not.toHaveText(new RegExp(`^${before} calls?$`));
  await row.getByRole('link', { name: /^\d+ failed$/ }).click();
  await expect(page).toHaveURL(/\/calls\?extension=workbench&since=[^&]+&status=failed(,|%2C)timed_out/);
  await expect(page.getByRole('link', { name: 'book_room' }).first()).toBeVisible();
});

test('saving a helper reloads only the extension that imports it', async ({ page, server, watch }) => {
  await page.goto('/extensions/broken');
  await expect(connection(page)).toHaveText('Live');
  const entry = await server.read('broken/extension.ts');
  await server.save('broken/extension.ts', entry.replace(/\nthrow .*/, '\n'));
  await expect(page.getByText('serving 2', { exact: true }).first()).toBeVisible();
  await server.save('broken/guests.ts', "export const guests = ['Ada'];\n");
  await expect(page.getByText('serving 3', { exact: true }).first()).toBeVisible();
  expect((await server.call('count_guests')).result).toBe(1);
  await openExtension(page, 'workbench');
  await expect(page.getByText('serving 1', { exact: true }).first()).toBeVisible();

  await test.step('an older revision serves again after a rollback', async () => {
    await openExtension(page, 'broken');
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await page.getByRole('button', { name: 'Roll back to 2' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back' }).click();
    await expect(page.getByText(/^serving 2/).first()).toBeVisible();
    expect((await server.call('count_guests')).result).toBe(2);
  });

  await test.step('removing its folder removes the extension at once', async () => {
    watch.expect(/(answer|status of) 404.*/);
    await server.removeFile('broken');
    await expect(page.getByText('broken was removed')).toBeVisible();
  });
});

test('the page of an extension has tabs for status, settings, failures and the overview', async ({ page }) => {
  await page.goto('/extensions/workbench');
  await expect(connection(page)).toHaveText('Live');
  await page.getByRole('tab', { name: 'Status' }).click();
  await expect(page).toHaveURL(/tab=status/);
  await expect(page.getByRole('tabpanel')).toContainText('tables');
  await page.getByRole('tab', { name: 'Settings' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('use the network');
  await expect(page.getByRole('tabpanel')).toContainText('Default: EXTENSION_MEMORY_MB is not set.');
  await page.getByRole('tab', { name: 'Failures' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('No failures yet');
  await page.getByRole('tab', { name: 'Overview' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('workbench/extension.ts');
  await expect(page.getByRole('img', { name: /^Memory over/ })).toBeVisible();
});

const TALKER = `export const TOOL = {
  label: 'Talk', name: 'talk', description: 'Says words.',
  parameters: { words: { type: 'array', items: { type: 'string' } } },
  execute({ words }, ctx) { for (const word of words) ctx.log.warn(word); return words.length; },
};
`;

test('the page of a missing extension updates once it is saved, and its log keeps the scroll position', async ({ page, server, watch }) => {
  watch.expect(/(answer|status of) 404.*/);
  await page.goto('/extensions/talker?tab=logs');
  await expect(page.getByText('Extension not found')).toBeVisible();
  await expect(connection(page)).toHaveText('Live');
  await server.save('talker/extension.js', TALKER);
  await expect(page.getByText('serving 1', { exact: true }).first()).toBeVisible();

  const log = page.getByRole('region', { name: 'Log lines' });
  const say = (...words: string[]) => server.call('talk', { words });
  await say(...Array.from({ length: 60 }, (_, at) => `line ${at}`));
  await expect(log.getByText('line 59', { exact: true })).toBeInViewport();

  await test.step('a log that is scrolled up stays in place, and a button jumps to new lines', async () => {
    await log.getByText('line 5', { exact: true }).scrollIntoViewIfNeeded();
    await say('said meanwhile');
    const jump = page.getByRole('button', { name: 'Jump to latest, 1 new' });
    await expect(jump).toBeVisible();
    await expect(log.getByText('line 5', { exact: true })).toBeInViewport();
    await jump.click();
    await expect(log.getByText('said meanwhile')).toBeInViewport();
  });

  await test.step('new lines wait while the log is paused', async () => {
    await page.getByRole('button', { name: 'Pause' }).click();
    await say('said in the pause');
    await expect(page.getByRole('button', { name: 'Jump to latest, 1 new' })).toBeVisible();
    await expect(log.getByText('said in the pause')).toHaveCount(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect(log.getByText('said in the pause')).toBeInViewport();
  });

  await test.step('lines are searched, and the URL stores the search', async () => {
    const search = page.getByRole('textbox', { name: 'Search log' });
    await search.click();
    await expect(search).toBeFocused();
    await search.fill('SAID pause');
    await expect(log.getByRole('listitem')).toHaveCount(1);
    await expect(page).toHaveURL(/find=SAID/);
  });

  await test.step('lines of a new revision follow those of the old one', async () => {
    await page.getByRole('textbox', { name: 'Search log' }).fill('');
    await server.save('talker/extension.js', `${TALKER}// again\n`);
    await expect(page.getByText('serving 2', { exact: true }).first()).toBeVisible();
    await say('from the second');
    await expect(log.getByText('Revision 2 from here on')).toBeVisible();
    await expect(log.getByText('from the second')).toBeInViewport();
  });
});

test('on a phone the tabs of an extension fade out at the right end until the last one is visible', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/extensions/math');
  const tabs = page.getByRole('tablist', { name: 'Extension details' });
  await expect(tabs).toHaveCSS('--fade-right', '24px');
  await tabs.getByRole('tab', { name: 'Settings' }).click();
  await tabs.hover();
  await page.mouse.wheel(1_000, 0);
  await expect(tabs).toHaveCSS('--fade-right', '0px');
});

test('on a phone an error far to the right is scrolled into view, and the page stays at its top', async ({ page, server }) => {
  await server.save('far/extension.ts', `export const TOOLS = [${' '.repeat(120)}{ name: ];\n`);
  await expect.poll(async () => (await fetch(`${server.address}${API.extension('far')}`)).status).toBe(200);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/extensions/far');
  const frame = page.getByRole('region', { name: 'Source around the error in far/extension.ts' });
  await expect(frame.getByText('^', { exact: true })).toBeInViewport();
  await expect(frame.getByText('fault in line 1', { exact: true }), 'line numbers stay visible').toBeInViewport();
  expect(await page.evaluate('scrollY')).toBe(0);
  await server.removeFile('far');
});

test('the list beside an extension is scrolled to that extension', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 300 });
  await page.goto('/extensions/example');
  const sidebar = page.getByRole('complementary', { name: 'All extensions' });
  await expect(sidebar.getByRole('link', { name: 'example' })).toBeInViewport({ ratio: 1 });
});

test('a folder without an entry file shows which file to rename', async ({ page, server }) => {
  await server.save('nameless/weather.ts', 'export const here = 1;\n');
  await page.goto('/');
  await openExtension(page, 'nameless');
  const failure = page.getByRole('region', { name: 'Failure' });
  await expect(failure).toContainText('has code but no entry file; the nearest is weather.ts');
  await expect(failure).toContainText('Rename weather.ts to extension.ts');
  await expect(connection(page)).toHaveText('Live');
  await server.removeFile('nameless');
});

test.describe('with three hundred extensions and two hundred tools', () => {
  const ids = Array.from({ length: 300 }, (_id, at) => `listed_${at}`);
  const tools = `export const TOOLS = Array.from({ length: 200 }, (_tool, at) => ({
  label: 'Item', name: 'item_' + at, description: 'Returns ' + 'its own number. '.repeat(1 + (at % 30)), parameters: {}, execute: () => at,
}));
`;
  test.use({
    serverOwner: 'many extensions',
    serverOptions: { shipped: [], fixtures: [], env: { EXTENSION_EXCLUDED_EXTENSIONS: ids.join(',') } },
  });

  /** More than a window, its rows ahead and those that are always there. */
  const MOST_ROWS = 60;
  const countRows = (page: Page) => page.locator('[data-index]').count();
  const scrollTo = (page: Page, part: number) =>
    page.evaluate(`scrollTo(0, ${part} * (document.documentElement.scrollHeight - innerHeight))`);

  test('lists render the rows near the window only, and keys and search reach all', async ({ page, server }) => {
    await server.save('store/extension.ts', tools);
    for (const id of ids) await server.save(`${id}/extension.ts`, 'export const TOOLS = [];\n');

    await test.step('each extension is reached by scrolling', async () => {
      await page.goto('/extensions');
      await expect(page.getByRole('table')).toHaveAttribute('aria-rowcount', String(ids.length + 2));
      await expect.poll(() => countRows(page)).toBeLessThan(MOST_ROWS);
      const seen = new Set<number>();
      const readRows = async () => {
        await expect
          .poll(() => page.evaluate(`document.elementFromPoint(innerWidth / 2, innerHeight / 2).closest('[data-index]') !== null`))
          .toBe(true);
        const rows = await page.evaluate<number[]>(
          `[...document.querySelectorAll('tr[aria-rowindex]')].map((row) => Number(row.getAttribute('aria-rowindex')))`,
        );
        expect(rows.length).toBeLessThan(MOST_ROWS);
        for (const row of rows) seen.add(row);
      };
      await expect(async () => {
        await readRows();
        await page.evaluate('scrollBy(0, innerHeight)');
        await expect(page.getByRole('link', { name: 'listed_299', exact: true })).toBeInViewport({ timeout: 20 });
      }).toPass({ intervals: [0] });
      await readRows();
      expect(seen.size, 'with the row of the headings').toBe(ids.length + 2);
    });

    await test.step('the focused row is kept, and j moves on from it', async () => {
      await scrollTo(page, 0);
      await page.keyboard.press('j');
      await expect(page.getByRole('link', { name: 'store', exact: true })).toBeFocused();
      for (let at = 0; at < 50; at += 1) await page.keyboard.press('j');
      await expect(page.getByRole('link', { name: 'listed_49', exact: true })).toBeFocused();
      await scrollTo(page, 1);
      await expect(page.getByRole('link', { name: 'listed_299', exact: true })).toBeInViewport();
      await page.keyboard.press('k');
      await expect(page.getByRole('link', { name: 'listed_48', exact: true })).toBeFocused();
      await expect(page.getByRole('link', { name: 'listed_48', exact: true })).toBeInViewport({ ratio: 1 });
    });

    await test.step('search finds a row that was not rendered, and going back restores the position', async () => {
      await page.getByRole('textbox', { name: 'Search extensions' }).fill('listed_277');
      await expect(page.getByRole('link', { name: 'listed_277', exact: true })).toBeVisible();
      await expect.poll(() => countRows(page)).toBe(1);
      await page.getByRole('textbox', { name: 'Search extensions' }).press('Escape');
      await scrollTo(page, 0.5);
      const row = page.getByRole('link', { name: 'listed_150', exact: true });
      await row.scrollIntoViewIfNeeded();
      const before = await row.boundingBox();
      await row.press('Enter');
      await expect(page.getByRole('heading', { name: 'listed_150', level: 1 })).toBeVisible();
      await expect(page.getByRole('complementary', { name: 'All extensions' }).getByRole('link', { name: 'listed_150' })).toBeInViewport({
        ratio: 1,
      });
      expect(await countRows(page)).toBeLessThan(2 * MOST_ROWS);
      await page.goBack();
      await expect.poll(async () => (await row.boundingBox())?.y).toBe(before?.y);
    });

    await test.step('Home, End and arrow keys move through all tools', async () => {
      await page.goto('/tools');
      await expect(page.getByRole('heading', { name: 'Tools', level: 1 })).toBeAttached();
      await expect.poll(() => countRows(page)).toBeLessThan(MOST_ROWS);
      const tool = (at: number) => page.getByRole('link', { name: new RegExp(`^item_${at}\\s`) });
      await page.getByRole('textbox', { name: 'Search tools' }).press('ArrowDown');
      await expect(tool(0)).toBeFocused();
      await page.keyboard.press('End');
      await expect(tool(199)).toBeFocused();
      await expect(tool(199)).toBeInViewport({ ratio: 1 });
      for (let at = 0; at < 40; at += 1) await page.keyboard.press('ArrowUp');
      await expect(tool(159)).toBeFocused();
      await expect(tool(159)).toBeInViewport({ ratio: 1 });
      await page.keyboard.press('Home');
      await expect(tool(0)).toBeInViewport({ ratio: 1 });
      expect(await countRows(page)).toBeLessThan(MOST_ROWS);
    });

    await test.step('the list beside a tool shows it', async () => {
      await page.goto('/tools/item_150');
      await page.getByRole('button', { name: 'Show the list of tools' }).click();
      const link = page.getByRole('complementary', { name: 'All tools' }).getByRole('link', { name: 'item_150' });
      await expect(link).toHaveAttribute('aria-current', 'page');
      await expect(link).toBeInViewport({ ratio: 1 });
      await expect.poll(() => countRows(page)).toBeLessThan(MOST_ROWS);
    });
  });
});
