import { expect, test } from './harness/test.ts';
import { callRows, connection, runButton } from './harness/navigation.ts';

test.use({ serverOptions: { shipped: ['math', 'weather'], fixtures: ['workbench'], env: {} } });

const CALLS = 120;

test.beforeAll(async ({ server }) => {
  for (let number = 0; number < CALLS; number += 1) {
    const headers = { 'x-actor': number % 2 === 0 ? 'even' : 'odd' };
    if (number % 10 === 3) await server.call('calculate_expression', { expression: `${number} +` }, headers);
    else if (number % 3 === 0) await server.call('get_weather', { city: `City ${number}` }, headers);
    else await server.call('calculate_expression', { expression: `${number} * 2` }, headers);
  }
});

test('scrolling loads older calls page by page, to the first one', async ({ page }) => {
  const cursors: string[] = [];
  page.on('request', (request) => {
    const cursor = new URL(request.url()).searchParams.get('cursor');
    if (cursor !== null) cursors.push(cursor);
  });
  await page.goto('/calls');
  await expect(connection(page)).toHaveText('Live');
  await expect(callRows(page).first()).toBeVisible();
  await expect(async () => {
    await page.mouse.wheel(0, 4000);
    await expect(page.getByText(`${CALLS} calls in total`)).toBeInViewport({ timeout: 500 });
  }).toPass();
  await expect(page.getByRole('table', { name: 'Calls, newest first' })).toHaveAttribute('aria-rowcount', String(CALLS + 1));
  expect(cursors).toHaveLength(2);
  expect(new Set(cursors).size).toBe(2);
  expect(await callRows(page).count(), 'only rows near the viewport are rendered').toBeLessThan(80);
});

test('new calls wait behind a button while the list is scrolled down', async ({ page, server }) => {
  await page.goto('/calls');
  await expect(connection(page)).toHaveText('Live');
  await page.mouse.move(600, 500);
  await page.mouse.wheel(0, 900);
  await expect(page.getByRole('heading', { name: 'Calls', level: 1 })).not.toBeInViewport();
  await server.call('calculate_expression', { expression: '1000 + 1' });
  await server.call('calculate_expression', { expression: '1000 + 2' });
  await expect(page.getByRole('button', { name: '2 new' })).toBeVisible();
  await test.step('also after opening a call and going back', async () => {
    const id = await callRows(page).getByRole('link').nth(25).getAttribute('data-call');
    const call = page.locator(`[data-call="${id}"]`);
    await expect(call).toBeInViewport();
    const before = await call.boundingBox();
    await call.press('Enter');
    await expect(page).toHaveURL(/\/calls\/.+/);
    await page.goBack();
    await expect(page.getByRole('button', { name: '2 new' })).toBeVisible();
    await expect.poll(async () => (await call.boundingBox())?.y).toBe(before?.y);
  });
  await test.step('a list opened at its top shows them at once', async () => {
    await page.getByRole('navigation').getByRole('link', { name: 'Tools', exact: true }).click();
    await expect(page).toHaveURL(/\/tools$/);
    await page.getByRole('navigation').getByRole('link', { name: 'Calls' }).click();
    await expect(callRows(page).first()).toContainText('1000 + 2');
    await expect(page.getByRole('button', { name: /new$/ })).toBeHidden();
    await page.mouse.wheel(0, 900);
    await expect(page.getByRole('heading', { name: 'Calls', level: 1 })).not.toBeInViewport();
    await server.call('calculate_expression', { expression: '1000 + 2 + 0' });
    await server.call('calculate_expression', { expression: '1000 + 2' });
  });
  await page.getByRole('button', { name: '2 new' }).click();
  await expect(page.getByRole('button', { name: /new$/ })).toBeHidden();
  await expect(callRows(page).first()).toContainText('1000 + 2');
  await expect(callRows(page).first()).toBeInViewport();
  await page.getByRole('heading', { name: 'Calls', level: 1 }).hover();
  await server.call('calculate_expression', { expression: '1000 + 3' });
  await expect(callRows(page).first()).toContainText('1000 + 3');
});

test('the hovered or focused row keeps its position at the top of a busy list', async ({ page, server }) => {
  await page.goto('/calls');
  await expect(connection(page)).toHaveText('Live');
  const rows = callRows(page);
  const shownFirst = () => rows.first().getByRole('link').getAttribute('data-call');
  const callTwice = async (number: number) => {
    await server.call('calculate_expression', { expression: `${number} + 1` });
    await server.call('calculate_expression', { expression: `${number} + 2` });
  };
  const isNew = page.getByRole('button', { name: '2 new' });
  const heading = page.getByRole('heading', { name: 'Calls', level: 1 });

  await test.step('the focused row', async () => {
    const before = await shownFirst();
    await rows.nth(2).getByRole('link').focus();
    await callTwice(2000);
    await expect(isNew).toBeVisible();
    expect(await shownFirst()).toBe(before);
    await isNew.press('Enter');
    await expect(rows.first()).toContainText('2000 + 2');
    // The button with the focus is gone, so the list has no focus.
    await server.call('calculate_expression', { expression: '2000 + 3' });
    await expect(rows.first()).toContainText('2000 + 3');
  });
  await test.step('the hovered row, until the pointer leaves', async () => {
    await rows.nth(1).hover();
    await callTwice(3000);
    await expect(isNew).toBeVisible();
    await expect(rows.first()).toContainText('2000 + 3');
    await heading.hover();
    await expect(rows.first()).toContainText('3000 + 2');
    await expect(isNew).toBeHidden();
  });
  await test.step('a click opens the hovered row', async () => {
    const id = await rows.nth(3).getByRole('link').getAttribute('data-call');
    await rows.nth(3).hover();
    const at = await rows.nth(3).boundingBox();
    if (at === null) throw new Error('The row is not on the page.');
    await callTwice(4000);
    await expect(isNew).toBeVisible();
    await page.mouse.click(at.x + 300, at.y + at.height / 2);
    await expect(page).toHaveURL(`/calls?call=${id}`);
  });
});

test('the filters are in the URL, which shows the same list to anyone with the link', async ({ page, context, server }) => {
  await page.goto('/calls');
  await expect(connection(page)).toHaveText('Live');
  const calls = callRows(page);

  await test.step('by status', async () => {
    await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: 'Failed', exact: true }).click();
    await expect(page).toHaveURL(/[?&]status=failed(&|$)/);
    await expect(page.getByText('12 calls in total')).toBeVisible();
  });
  await test.step('by search', async () => {
    await page.getByRole('textbox', { name: 'Search calls' }).fill('93');
    await expect(page).toHaveURL(/[?&]q=93(&|$)/);
    await expect(calls).toHaveCount(1);
    await expect(calls).toContainText('93 +');
  });
  await test.step('the link opens the same list in another tab', async () => {
    const other = await context.newPage();
    await other.goto(page.url());
    await expect(callRows(other)).toHaveCount(1);
    await expect(other.getByRole('button', { name: 'Failed', exact: true })).toHaveAttribute('aria-pressed', 'true');
    await expect(other.getByRole('textbox', { name: 'Search calls' })).toHaveValue('93');
    await other.close();
  });
  await test.step('by tool, extension, source and actor', async () => {
    await page.getByRole('textbox', { name: 'Search calls' }).fill('');
    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    await expect(page).toHaveURL(/\/calls$/);
    await page.getByRole('combobox', { name: 'Tool' }).selectOption('get_weather');
    await page.getByRole('combobox', { name: 'Extension' }).selectOption('weather');
    await page.getByRole('combobox', { name: 'Source' }).selectOption('api');
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByRole('textbox', { name: 'Actor' }).fill('odd');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.keyboard.press('Escape');
    await expect(page).toHaveURL(/tool=get_weather/);
    await expect(page).toHaveURL(/actor=odd/);
    await expect(page.getByText('16 calls in total')).toBeVisible();
    await page.getByRole('button', { name: 'Remove the filter Actor odd' }).click();
    await expect(page).not.toHaveURL(/actor/);
  });
  await test.step('by time', async () => {
    await page.getByRole('combobox', { name: 'Source' }).selectOption('web');
    await expect(page.getByText('No matching calls')).toBeVisible();
    await page.getByRole('button', { name: 'Show all calls' }).click();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByRole('button', { name: 'Last hour' }).click();
    await expect(page).toHaveURL(/since=/);
    await expect(calls.first()).toBeVisible();
  });
  await test.step('a new matching call appears automatically', async () => {
    await page.goto('/calls?tool=book_room');
    await expect(page.getByText('No matching calls')).toBeVisible();
    await expect(connection(page)).toHaveText('Live');
    await server.call('book_room', { guest: 'Ada', nights: 1 });
    await expect(calls).toHaveCount(1);
  });
});

test('arrow keys select rows, which a wide window opens beside the list and a narrow one on their page', async ({ page }) => {
  await page.setViewportSize({ width: 1500, height: 900 });
  await page.goto('/calls?tool=get_weather');
  await expect(connection(page)).toHaveText('Live');
  await callRows(page).first().click();
  const panel = page.getByRole('complementary', { name: 'The selected call' });
  await expect(panel).toContainText('City 117');
  await callRows(page).first().getByRole('link').focus();
  await page.keyboard.press('ArrowDown');
  await expect(callRows(page).nth(1).getByRole('link')).toBeFocused();
  await expect(panel).toContainText('City 114');
  await panel.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(panel).toBeHidden();

  await callRows(page).nth(1).click();
  await expect(page).toHaveURL(/[?&]call=/);
  const address = page.url();
  const id = new URL(address).searchParams.get('call');
  await test.step('narrowing the window keeps the list and its URL', async () => {
    await expect(panel).toBeVisible();
    await page.setViewportSize({ width: 1000, height: 900 });
    await expect(panel).toBeHidden();
    await expect(page).toHaveURL(address);
    await page.setViewportSize({ width: 1500, height: 900 });
    await expect(panel).toBeVisible();
  });
  await test.step('a link to a selected call opens the page of that call, which links to its tool', async () => {
    await page.setViewportSize({ width: 1000, height: 900 });
    await page.goto(address);
    await expect(page).toHaveURL(`/calls/${id}`);
    await page.getByRole('heading', { name: 'get_weather', level: 1 }).getByRole('link').click();
    await expect(runButton(page)).toBeEnabled();
  });
});
