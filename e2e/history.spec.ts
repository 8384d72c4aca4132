import { readFile } from 'node:fs/promises';
import { expect, test } from './harness/test.ts';
import { callRows, connection, openPage } from './harness/navigation.ts';

test.use({ serverOptions: { shipped: [], fixtures: ['workbench'], env: {} } });

test.beforeAll(async ({ server }) => {
  for (let nights = 1; nights <= 5; nights += 1) await server.call('book_room', { guest: '=Ada', nights });
  await server.call('book_room', { guest: 'A', nights: 99 }, { 'x-actor': 'Bea' });
});

test('the chart counts the listed calls, and selects a time range by dragging or in its table', async ({ page, server }) => {
  await page.goto(`/calls?since=${new Date(Date.now() - 3_600_000).toISOString()}`);
  await expect(connection(page)).toHaveText('Live');
  const strip = page.getByRole('region', { name: 'Calls over time', exact: true });
  await expect(strip).toContainText('6 calls, 17% failed');
  await server.call('book_room', { guest: 'Bea', nights: 1 });
  await expect(strip).toContainText('7 calls, 14% failed');

  await test.step('dragging', async () => {
    const box = await strip.locator('[data-strip]').boundingBox();
    if (box === null) throw new Error('The chart is not on the page.');
    await page.mouse.click(box.x + box.width / 2, box.y + 20);
    await page.mouse.move(box.x + 2, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + 20, { steps: 5 });
    await page.mouse.up();
    await expect(page).toHaveURL(/since=.*until=/);
    await page.goBack();
    await expect(page).not.toHaveURL(/until=/);
    await page.goForward();
    await expect(page.getByText('7 calls in total')).toBeVisible();
    await strip.getByRole('button', { name: 'Reset time range' }).click();
    await expect(page).not.toHaveURL(/since=/);
  });

  await test.step('by keyboard', async () => {
    await strip.getByText('As a table').press('Enter');
    await strip.getByRole('row').nth(1).getByRole('button').press('Enter');
    await expect(page).toHaveURL(/since=.*until=/);
  });
});

// components/calls/CallFilters.test.tsx tests the fields for times.
test('invalid agent calls, statuses, durations, revision and times are filters in the URL', async ({ page }) => {
  await page.goto('/calls');
  const chips = page.getByRole('group', { name: 'Status' });
  await chips.getByRole('button', { name: 'Succeeded' }).click();
  await chips.getByRole('button', { name: 'Failed', exact: true }).click();
  await expect(page).toHaveURL(/status=succeeded,failed/);
  await chips.getByRole('button', { name: 'Any failure' }).click();
  await expect(page).toHaveURL(/status=failed,timed_out/);
  await expect(callRows(page)).toHaveCount(1);
  await chips.getByRole('button', { name: 'Any failure' }).click();
  await expect(page).not.toHaveURL(/status=/);

  await page.getByRole('button', { name: 'Invalid agent calls' }).click();
  await expect(page).toHaveURL(/source=mcp&.*error_kind=invalid_parameters/);
  await expect(page.getByText('No matching calls')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Calls over time', exact: true })).toBeHidden();
  await page.getByRole('button', { name: 'Invalid agent calls' }).click();

  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByRole('combobox', { name: 'Kind of error' }).selectOption('Invalid arguments');
  await page.getByRole('textbox', { name: 'Min duration (ms)' }).fill('0.001');
  await page.getByRole('textbox', { name: 'Max duration (ms)' }).fill('60000');
  await page.getByRole('textbox', { name: 'Since, UTC' }).fill('2020-01-01 10:30');
  await page.getByRole('textbox', { name: 'Revision' }).fill('1');
  await page.getByRole('textbox', { name: 'Revision' }).press('Enter');
  await page.keyboard.press('Escape');
  for (const part of ['error_kind=invalid_parameters', 'min_ms=0.001', 'max_ms=60000', 'since=2020-01-01T10:30', 'revision=1'])
    await expect(page).toHaveURL(({ search }) => search.includes(part));
  await expect(callRows(page)).toHaveCount(1);
  await page.reload();
  await expect(callRows(page)).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Remove the filter Since 2020-01-01 10:30 UTC' })).toBeVisible();
  await page.getByRole('button', { name: 'Remove the filter Revision 1' }).click();
  await expect(page).not.toHaveURL(/revision=/);
});

test('a filter in the address that is not valid is shown as ignored, and can be removed', async ({ page }) => {
  await page.goto('/calls?since=yesterday&status=failed,lost');
  await expect(page.getByRole('button', { name: 'Failed', exact: true, pressed: true })).toBeVisible();
  await expect(callRows(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Remove the filter Ignored since=yesterday' }).click();
  await expect(page).not.toHaveURL(/since=/);
  await page.getByRole('button', { name: 'Remove the filter Ignored status=failed,lost' }).click();
  await expect(page).toHaveURL(/status=failed$/);
  await expect(page.getByText('Ignored')).toBeHidden();
  await page.goto('/failures?status=lost');
  await expect(page.getByRole('button', { name: 'Remove the filter Ignored status=lost' })).toBeVisible();
});

test('on a phone the filters are scrolled to the active one', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/calls?status=cancelled');
  await expect(page.getByRole('textbox', { name: 'Search calls' }), 'the limit of the server').toHaveAttribute('maxlength', '500');
  await expect(page.getByRole('button', { name: 'Cancelled', pressed: true })).toBeInViewport({ ratio: 1 });
  await page.goto('/calls?revision=1');
  await expect(page.getByRole('button', { name: 'Remove the filter Revision 1' })).toBeInViewport({ ratio: 1 });
});

test('a long actor name stays on one line, chosen columns survive a reload, and filtered calls are exported as CSV', async ({
  page,
  server,
}) => {
  await server.call('book_room', { guest: 'Ada', nights: 1 }, { 'x-actor': 'somebody whose name is rather long' });
  await page.goto('/calls');
  const row = callRows(page).first();
  const cell = row.getByRole('cell', { name: /somebody whose name/ });
  await expect(cell).toBeVisible();
  const heights = [await cell.boundingBox(), await row.boundingBox()].map((box) => box?.height ?? 0);
  expect(heights[0]).toBeLessThan(heights[1] ?? 0);

  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Actor' }).check();
  await page.getByRole('checkbox', { name: 'Arguments' }).uncheck();
  await page.keyboard.press('Escape');
  const heads = page.getByRole('columnheader');
  await expect(heads).toHaveText(['Time', 'Tool', 'Status', 'Source', 'Actor', 'Duration']);
  await page.reload();
  await expect(heads).toHaveText(['Time', 'Tool', 'Status', 'Source', 'Actor', 'Duration']);
  await expect(callRows(page).filter({ hasText: 'Bea' })).not.toHaveCount(0);

  await page.goto('/calls?status=succeeded');
  await page.getByRole('button', { name: 'Export' }).click();
  const wanted = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download CSV' }).click();
  const table = await readFile(await (await wanted).path(), 'utf8');
  expect(table.split('\r\n')[0]).toMatch(/^\uFEFFid,started_at,/);
  expect(table).toContain('book_room');
  expect(table).not.toContain('invalid_parameters');
});

test('Back restores the previous filters, and each page has its own search', async ({ page }) => {
  await page.goto('/');
  await openPage(page, 'Calls');
  const failed = page.getByRole('button', { name: 'Failed', exact: true });
  await failed.click();
  await expect(page).toHaveURL(/status=failed/);
  await page.getByLabel('Search calls').fill('99');
  await expect(page).toHaveURL(/q=99/);
  await callRows(page).first().click();
  await expect(page).toHaveURL(/call=/);
  const panel = page.getByRole('complementary', { name: 'The selected call' });
  await expect(panel).toBeVisible();
  await page.goBack();
  await expect(panel).toHaveCount(0);
  await expect(page).toHaveURL(/q=99/);

  await openPage(page, 'Tools');
  await expect(page.getByLabel('Search tools')).toHaveValue('');
  await page.goBack();
  await expect(page.getByLabel('Search calls')).toHaveValue('99');
  await expect(failed).toHaveAttribute('aria-pressed', 'true');
  await page.goBack();
  await expect(page).toHaveURL('/calls');
  await expect(failed).toHaveAttribute('aria-pressed', 'false');
  await expect(page.getByLabel('Search calls')).toHaveValue('');
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeAttached();
});

test('older calls that fail to load are reported, and are reloaded on request', async ({ page, server, watch }) => {
  watch.expect(/answer 400|status of 400/);
  await Promise.all(Array.from({ length: 60 }, () => server.call('book_room', { guest: 'Ada', nights: 1 })));
  let asked = 0;
  await page.route(/\/api\/v1\/calls\?.*cursor=/, async (route) => {
    asked += 1;
    const problem = { type: 'about:blank', title: 'x', status: 400, code: 'query_invalid', detail: 'The disk is away.' };
    await route.fulfill({ status: 400, contentType: 'application/problem+json', body: JSON.stringify(problem) });
  });
  await page.goto('/calls');
  await page.mouse.wheel(0, 100_000);
  await expect(page.getByText('Could not load older calls.')).toBeVisible();
  await expect(page.getByText('The disk is away.')).toBeVisible();
  const before = asked;
  await page.mouse.wheel(0, -300);
  await page.mouse.wheel(0, 100_000);
  await page.unroute(/\/api\/v1\/calls\?.*cursor=/);
  expect(asked).toBe(before);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText(/ in total$/)).toBeVisible();
});
