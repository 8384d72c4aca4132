import type { Browser, Locator, Page } from '@playwright/test';
import { API } from '#lib/contract/paths.ts';
import { type FailureGroup, groupPageSchema } from '#lib/contract/failure-group.ts';
import type { TestServer } from './harness/test-server.ts';
import { waitForHydration } from './harness/hydration.ts';
import { watchPage } from './harness/page-watch.ts';
import { expect, test } from './harness/test.ts';
import { connection, openPage } from './harness/navigation.ts';

test.use({ serverOptions: { shipped: ['math'], fixtures: [], env: {} } });

const GOOD = `export const TOOL = {
  label: 'Test',
  name: 'NAME',
  description: 'Answers with a fixed text.',
  parameters: {},
  execute() { return 'fine'; },
};
`;
const good = (name: string): string => GOOD.replace('NAME', name);
const broken = (words: string): string => `throw new Error(${JSON.stringify(words)});\n`;

const section = (page: Page, status: string): Locator => page.getByRole('region', { name: `${status} failures` });
const row = (page: Page, title: string): Locator => page.getByRole('main').locator('[data-failure]').filter({ hasText: title });
const activity = (page: Page): Locator => page.getByRole('list', { name: 'Activity' });

async function groupOf(server: TestServer, words: string): Promise<FailureGroup> {
  let found: FailureGroup | undefined;
  await expect
    .poll(async () => {
      const page = groupPageSchema.parse(await (await fetch(`${server.address}${API.failures}?limit=200`)).json());
      found = page.groups.find((group) => group.title.includes(words));
      return found !== undefined;
    })
    .toBe(true);
  if (found === undefined) throw new Error('The failure is not listed.');
  return found;
}

/** A second person's browser. */
async function secondBrowser(browser: Browser, server: TestServer, name: string): Promise<{ page: Page; close(): Promise<void> }> {
  const context = await browser.newContext({ baseURL: server.address });
  const page = await context.newPage();
  waitForHydration(page);
  const watch = await watchPage(page, server.address);
  await page.addInitScript(`localStorage.setItem('switchboard.name', ${JSON.stringify(name)})`);
  return {
    page,
    async close() {
      expect(watch.problems(), 'unexpected problems of the second page').toEqual([]);
      await context.close();
    },
  };
}

test('two people handle a failure and see the same state, until it is resolved and regresses', async ({ page, browser, server }) => {
  const ben = await secondBrowser(browser, server, 'Ben');
  await page.goto('/failures');
  await ben.page.goto('/failures');
  await server.save('orders/extension.ts', good('look_up_order'));
  await expect.poll(async () => (await server.call('look_up_order').catch(() => null))?.status).toBe('succeeded');
  await expect(page.getByText('No open failures')).toBeVisible();

  await test.step('both see the new failure', async () => {
    await server.save('orders/extension.ts', broken('no orders today'));
    for (const each of [page, ben.page]) {
      await expect(section(each, 'Open').getByText('no orders today')).toBeVisible();
      await expect(each.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Failures/ })).toContainText('1');
    }
  });

  await test.step('one assigns and acknowledges it with keys, and enters a name once', async () => {
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await page.getByRole('textbox', { name: 'Your name' }).fill('Ada');
    await page.getByRole('textbox', { name: 'Your name' }).press('Enter');
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(row(page, 'no orders today')).toContainText('Ada');
    await expect(row(ben.page, 'no orders today')).toContainText('Ada');
    await page.keyboard.press('e');
    await expect(section(page, 'Acknowledged').getByText('no orders today')).toBeVisible();
    await expect(section(ben.page, 'Acknowledged').getByText('no orders today')).toBeVisible();
    await expect(page.getByRole('dialog')).toBeHidden();
  });

  await test.step('comments and assignments appear for both', async () => {
    await row(page, 'no orders today').getByRole('link').press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toContainText('no orders today');
    await ben.page.goto(new URL(page.url()).pathname);
    await page.getByRole('textbox', { name: 'Comment' }).fill('It is the **supplier**, see <b>mail</b> and [this](javascript:alert(1)).');
    await page.getByRole('textbox', { name: 'Comment' }).press('Control+Enter');
    await expect(activity(ben.page).getByRole('strong').filter({ hasText: 'supplier' })).toBeVisible();
    await expect(activity(ben.page)).toContainText('see <b>mail</b> and this.');
    await expect(activity(ben.page).getByRole('link', { name: 'this' })).toHaveCount(0);
    await ben.page.getByRole('button', { name: 'Assign to me' }).click();
    await expect(activity(page)).toContainText('Ada assigned themselves');
    await expect(activity(page)).toContainText('Ben assigned themselves');
  });

  await test.step('a clean load resolves it and names the revision, and a repeat is a regression', async () => {
    await server.save('orders/extension.ts', good('look_up_order').replace('fine', 'finer'));
    for (const each of [page, ben.page]) await expect(activity(each)).toContainText('Resolved: revision 3 loaded');
    await server.save('orders/extension.ts', `// again\n${broken('no orders today')}`);
    for (const each of [page, ben.page]) {
      await expect(each.getByText('Regression: fixed in revision 3, failed again in revision 4')).toBeVisible();
      await expect(activity(each)).toContainText('Fixed in revision 3, failed again in revision 4');
    }
    await expect(page.getByRole('region', { name: 'Changes of orders/extension.ts', exact: true })).toContainText('failing line');
  });
  await server.removeFile('orders');
  await expect(activity(page)).toContainText('Resolved: the extension was removed');
  await ben.close();
});

test('failures of three extensions with one cause are acknowledged together, and show the likely cause first', async ({ page, server }) => {
  const uses = (name: string): string => `import { unit } from '../_lib/units.ts';\nexport const used = unit;\n${good(name)}`;
  const filler = Array.from({ length: 40 }, (_, at) => `export const value${at} = ${at};\n`).join('');
  await server.save('_lib/units.ts', `export const first = 1;\n${filler}export const unit = 'piece';\n`);
  for (const name of ['stock', 'invoices', 'returns']) await server.save(`${name}/extension.ts`, uses(`list_${name}`));
  for (const name of ['stock', 'invoices', 'returns'])
    await expect.poll(async () => (await server.call(`list_${name}`).catch(() => null))?.status).toBe('succeeded');
  await page.goto('/failures');
  await server.save(
    '_lib/units.ts',
    `export const first = 2;\n${filler}export const unit = load();\nfunction load(): string {\n  throw new Error('the table of units is empty');\n}\n`,
  );
  await expect(page.getByText('One cause broke 3 extensions')).toBeVisible();
  await expect(row(page, 'the table of units is empty')).toHaveCount(1);
  await page.getByRole('button', { name: 'Show 2 more with this cause' }).click();
  await expect(row(page, 'the table of units is empty')).toHaveCount(3);
  await page.getByRole('button', { name: 'Acknowledge all' }).click();
  await page.getByRole('button', { name: 'Continue without a name' }).click();
  await expect(section(page, 'Acknowledged').getByText('One cause broke 3 extensions')).toBeVisible();
  await expect(section(page, 'Open')).toHaveCount(0);

  const group = await groupOf(server, 'the table of units is empty');
  await page.goto(`/failures/${group.id}`);
  await expect(page.getByText('The same cause broke 2 other extensions')).toBeVisible();
  const changes = page.getByRole('region', { name: 'Changes of _lib/units.ts', exact: true });
  await expect(changes.getByText(/^(Most likely cause|From)/)).toHaveText([/^Most likely cause/, /^From line 1/]);
  await expect(changes).toContainText("throw new Error('the table of units is empty')");
  await page.keyboard.press('o');
  const source = page.getByRole('dialog', { name: `_lib/units.ts:${group.latest.line}` });
  await expect(source.getByText(`fault in line`)).toBeAttached();
  await page.keyboard.press('Escape');
  await expect(source).toBeHidden();

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Copy as Markdown' }).click();
  await expect(page.getByText('Copied as Markdown.')).toBeVisible();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toContain('the table of units is empty');
  expect(copied).toContain(`${server.address}/failures/${group.id}`);
  expect(copied).toContain('```diff');
  for (const name of ['stock', 'invoices', 'returns']) await server.removeFile(name);
});

test('an ignored failure leaves the list and keeps its reason, and the filter is in the URL', async ({ page, server }) => {
  await server.save('tides/extension.ts', broken('no tides'));
  await groupOf(server, 'no tides');
  await page.goto('/failures');
  await expect(row(page, 'no tides')).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('i');
  const dialog = page.getByRole('dialog', { name: 'Ignore this failure' });
  await dialog.getByRole('radio', { name: /^Until a date/ }).check();
  await dialog.getByRole('textbox', { name: 'Date and time' }).fill('2020-01-01 10:00');
  await dialog.getByRole('button', { name: 'Ignore', exact: true }).click();
  await expect(dialog.getByText('Choose a time in the future.')).toBeVisible();
  await dialog.getByRole('radio', { name: /^Until it changes/ }).check();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('waits for the harbour');
  await dialog.getByRole('button', { name: 'Ignore', exact: true }).click();
  await page.getByRole('button', { name: 'Continue without a name' }).click();
  await expect(row(page, 'no tides')).toHaveCount(0);

  await page
    .getByRole('group', { name: 'Status' })
    .getByRole('button', { name: /^Ignored/ })
    .click();
  await expect(page).toHaveURL(/[?&]status=ignored/);
  await page.reload();
  await expect(row(page, 'no tides')).toContainText('until the extension changes');
  await row(page, 'no tides').getByRole('link').click();
  await expect(page.getByText('waits for the harbour').first()).toBeVisible();
  await page.getByRole('textbox', { name: 'Search failures' }).fill('nothing says so');
  await expect(page.getByText('No matching failures')).toBeVisible();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Acknowledge the failure');
  await page.keyboard.press('Escape');
  await server.removeFile('tides');
});

test('two failures are merged and split manually, and the page says why they are grouped', async ({ page, server, watch }) => {
  await server.save('ferry/extension.ts', broken('no ferry'));
  const first = await groupOf(server, 'no ferry');
  await server.save('ferry/extension.ts', broken('no captain after 15 ms'));
  const second = await groupOf(server, 'no captain');
  await page.goto(`/failures/${second.id}`);
  await expect(page.getByText('no captain after <number> ms')).toBeVisible();
  await page.getByRole('button', { name: 'Split or merge…' }).click();
  await page.getByRole('combobox', { name: 'Merge into' }).selectOption({ label: first.title });
  await page.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.getByRole('button', { name: 'Continue without a name' }).click();
  await expect(page).toHaveURL(new RegExp(first.id));
  await expect(page.getByText('Merged by hand.')).toBeVisible();

  await page.goto(`/failures/${second.id}`);
  await expect(page, 'the old permalink redirects').toHaveURL(new RegExp(first.id));
  await page.getByRole('button', { name: 'Split or merge…' }).click();
  await page.getByRole('listitem').filter({ hasText: 'no captain' }).getByRole('button', { name: 'Split off' }).click();
  await expect(page).toHaveURL(new RegExp(second.id));
  await expect(activity(page)).toContainText('split it in two');

  watch.expect(/409/);
  await page.getByRole('button', { name: 'Split or merge…' }).click();
  await page.getByRole('button', { name: 'Split off' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'only occurrence' })).toBeVisible();
  await server.removeFile('ferry');
});

test('an unsent comment survives navigation and a reload, and sending removes only the sent text', async ({ page, server }) => {
  await page.addInitScript(`localStorage.setItem('switchboard.name', 'Ada')`);
  await server.save('drafts/extension.ts', broken('no drafts today'));
  const { id } = await groupOf(server, 'no drafts today');
  const comment = page.getByRole('textbox', { name: 'Comment' });
  await page.goto(`/failures/${id}`);
  await comment.fill('half a thought');
  await openPage(page, 'Calls');
  await page.goBack();
  await expect(comment).toHaveValue('half a thought');
  await page.reload();
  await expect(comment).toHaveValue('half a thought');

  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let isRequested = false;
  await page.route(`**${API.commentFailure(id)}`, async (route) => {
    isRequested = true;
    await released;
    await route.continue();
  });
  await comment.press('Control+Enter');
  await expect.poll(() => isRequested).toBe(true);
  await comment.press('End');
  await comment.pressSequentially(' and another');
  release();
  await expect(comment).toHaveValue('and another');
  await expect(activity(page)).toContainText('half a thought');
  await server.removeFile('drafts');
});

// components/ui/stable-rows.test.tsx tests rows that move, and rows above them.
test('the list of failures does not move under the pointer, and a URL selects a failure at any width', async ({ page, server }) => {
  await server.save('piano/extension.ts', broken('no piano'));
  await groupOf(server, 'no piano');
  await server.save('organ/extension.ts', broken('no organ'));
  const organ = await groupOf(server, 'no organ');
  const main = page.getByRole('main');
  const isNew = main.getByRole('button', { name: '1 new' });
  const heading = page.getByRole('heading', { name: 'Failures', level: 1 });
  await page.goto('/failures');
  await expect(connection(page)).toHaveText('Live');
  await expect(section(page, 'Open').locator('[data-failure]')).toHaveCount(2);

  await test.step('a new failure waits behind a button', async () => {
    await row(page, 'no organ').hover();
    const before = await row(page, 'no organ').boundingBox();
    await server.save('harp/extension.ts', broken('no harp'));
    await expect(isNew).toBeVisible();
    expect(await row(page, 'no organ').boundingBox()).toEqual(before);
    await heading.hover();
    await expect(row(page, 'no harp')).toBeVisible();
  });
  await test.step('on a narrow window, the URL of a selected failure opens its page', async () => {
    await page.setViewportSize({ width: 1500, height: 900 });
    await row(page, 'no organ').click();
    await expect(page).toHaveURL(/[?&]failure=/);
    const address = page.url();
    await page.setViewportSize({ width: 1000, height: 900 });
    await page.goto(address);
    await expect(page).toHaveURL(`/failures/${organ.id}`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('no organ');
  });
  await test.step('keys select a row there without leaving the list', async () => {
    await page.goto('/failures');
    await expect(connection(page)).toHaveText('Live');
    await page.keyboard.press('j');
    await expect(main.locator('[data-failure][data-selected=true]')).toHaveCount(1);
    await expect(page).toHaveURL('/failures');
  });
  for (const name of ['piano', 'organ', 'harp']) await server.removeFile(name);
});
