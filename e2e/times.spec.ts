import type { Locator, Page } from '@playwright/test';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { callRows } from './harness/navigation.ts';

// A half-hour offset makes a wrong time zone visible.
test.use({ timezoneId: 'Asia/Kolkata' });

const UTC_FIRST = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC, (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\.\d{3} UTC\+05:30$/;
const LOCAL_FIRST = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC\+05:30, (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\.\d{3} UTC$/;

const TIME = `document.querySelector('[role=row] time')`;

test.beforeAll(async ({ server }) => {
  for (let nights = 1; nights <= 2; nights += 1) await server.call('book_room', { guest: 'Ada', nights });
});

async function openCalls(page: Page): Promise<Locator> {
  await page.goto('/calls');
  await expect(callRows(page).first()).toBeVisible();
  return callRows(page).first().locator('time');
}

/** Text beside the time for keyboard and screen reader users; 'none' while hidden. */
function tip(page: Page): Promise<string> {
  return page.evaluate<string>(
    `(({ display, content }) => (display === 'none' ? display : content))(getComputedStyle(${TIME}, '::after'))`,
  );
}

test('all times are shown in UTC or local time, as chosen for this browser', async ({ page }) => {
  const time = await openCalls(page);
  const strip = page.getByRole('region', { name: 'Calls over time', exact: true });
  await expect(time).toHaveAttribute('title', UTC_FIRST);
  await expect(strip).toContainText(/\d\d:\d\d UTC(?!\+)/);

  await page.getByRole('button', { name: 'Theme and time zone' }).click();
  await expect(page.getByRole('menuitemradio', { name: 'UTC', exact: true })).toBeChecked();
  await page.getByRole('menuitemradio', { name: /^Local time/ }).click();
  await expect(time).toHaveAttribute('title', LOCAL_FIRST);
  await expect(strip).toContainText(/\d\d:\d\d UTC\+05:30/);

  await test.step('also in the HTML from the server', async () => {
    const written = await page.request.get('/calls');
    expect(await written.text()).toMatch(/title="[^"]* UTC\+05:30, /);
    await page.reload();
    await expect(time).toHaveAttribute('title', LOCAL_FIRST);
  });

  await test.step('in the fields of filters and in their chips', async () => {
    await page.getByRole('button', { name: 'More filters' }).click();
    const since = page.getByRole('textbox', { name: 'Since, local time' });
    await since.fill('2020-01-01 10:30');
    await since.press('Enter');
    await expect(page).toHaveURL(/since=2020-01-01T05:00/);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Remove the filter Since 2020-01-01 10:30 UTC+05:30' })).toBeVisible();
  });

  await test.step('in UTC again', async () => {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder(/^Search tools/).fill('times in utc');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Remove the filter Since 2020-01-01 05:00 UTC' })).toBeVisible();
    await page.reload();
    await expect(time).toHaveAttribute('title', UTC_FIRST);
  });
});

test('the exact time of a row is shown on hover and on keyboard focus, and a click on it opens the row', async ({ page }) => {
  const time = await openCalls(page);
  await time.hover();
  expect(await page.evaluate<boolean>(`${TIME}.matches(':hover')`), 'nothing covers it').toBe(true);
  await expect(time).toHaveAttribute('title', UTC_FIRST);
  expect(await tip(page)).toBe('none');
  await time.click();
  await expect(callRows(page).first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await expect(callRows(page).first().getByRole('link')).toBeFocused();
  expect(await tip(page)).toMatch(/UTC\+05:30"$/);
});

test.describe('with touch', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 800 } });

  test('the exact time of a row is shown on tap', async ({ page }) => {
    const time = await openCalls(page);
    await time.tap();
    await expect.poll(() => tip(page)).toMatch(/UTC\+05:30"$/);
    await expect(page).toHaveURL(/\/calls$/);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  });
});
