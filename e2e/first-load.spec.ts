import { gzipSync } from 'node:zlib';
import type { Browser, Page, Response } from '@playwright/test';
import { API } from '#lib/contract/paths.ts';
import { expect, test } from './harness/test.ts';
import { callRows } from './harness/navigation.ts';

for (const [name, address, most] of [
  ['Overview', '/', 218_500],
  ['Extensions', '/extensions', 218_500],
  ['Calls', '/calls', 227_500],
  ['Failures', '/failures', 222_500],
  ['Channels', '/channels', 211_000],
  ['get_weather', '/tools/get_weather', 294_000],
  ['math', '/extensions/math', 245_000],
] as const) {
  test(`${name} loads at most ${most / 1_000} kB of JavaScript, compressed`, async ({ page }) => {
    const scripts: { script: Response; body: Promise<Buffer> }[] = [];
    const fonts: string[] = [];
    page.on('response', (response) => {
      const type = response.request().resourceType();
      if (type === 'script') scripts.push({ script: response, body: response.body() });
      if (type === 'font') fonts.push(response.url());
    });
    // The overview refetches during the watch test and with a late count, and the response schemas load with the first
    // response. So API requests are blocked; events are not.
    await page.route(
      ({ pathname }) => pathname.startsWith('/api/') && pathname !== API.events,
      () => undefined,
    );
    await page.goto(address);
    await expect(page.getByRole('heading', { name, level: 1 })).toBeAttached();
    await expect(page.getByRole('status', { name: 'Connection' })).toContainText('Live');
    await page.waitForLoadState('load');
    const read = () => Promise.all(scripts.map(async ({ script, body }) => ({ script, body: await body })));
    // The icons of the navigation load last, among them that of the tokens.
    await expect.poll(async () => (await read()).some(({ body }) => body.includes('"ticket"'))).toBe(true);
    const bodies = await read();
    const sizes = bodies.map(({ body }) => gzipSync(body).length);
    expect(sizes.length).toBeGreaterThan(3);
    const large = bodies.filter(({ body }) => body.length > 2_000).map(({ script }) => script.headerValue('content-encoding'));
    expect(new Set(await Promise.all(large)), 'scripts are sent with Brotli compression').toEqual(new Set(['br']));
    expect(
      bodies.every(({ body }) => body.toString().startsWith('//# allFunctionsCalledOnLoad\n')),
      'scripts request eager compilation',
    ).toBe(true);
    expect(
      fonts.filter((font) => !font.includes('-basic.')),
      'the page needs only the basic subset of the fonts',
    ).toEqual([]);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(most);
  });
}

test('a tool page loads no other page, and hovering a link loads its page', async ({ page }) => {
  const pages: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (searchParams.has('_rsc')) pages.push(pathname);
  });
  await page.goto('/tools/get_weather');
  await expect(page.getByText('°C', { exact: false }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeEnabled();
  await expect(page.getByRole('status', { name: 'Connection' })).toContainText('Live');
  expect(pages).toEqual([]);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Calls', exact: true }).hover();
  await expect.poll(() => pages).toContain('/calls');
});

for (const hasTouch of [false, true]) {
  test.describe(hasTouch ? 'with touch' : 'with a mouse', () => {
    test.use({ hasTouch, isMobile: hasTouch });

    test('the space for the run bar is correct from the first render, and grows with the bar', async ({ page }) => {
      await page.goto('/tools/get_weather');
      await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeEnabled();
      const bar = await page.locator('[data-run-bar]').boundingBox();
      const clear = () => page.evaluate<string>(`getComputedStyle(document.documentElement).getPropertyValue('--run-bar')`);
      expect(await clear()).toBe(`${(bar?.height ?? 0) + 16}px`);
      await expect(page.locator('html')).not.toHaveAttribute('style');
      // An error makes the bar taller.
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await expect(page.getByText('One value needs attention:')).toBeVisible();
      await expect.poll(async () => Number.parseFloat(await clear())).toBeGreaterThan((bar?.height ?? 0) + 16);
    });
  });
}

test('the server renders everything that the page of an extension shows first', async ({ page }) => {
  await page.route(
    ({ pathname }) => pathname.startsWith('/api/') && pathname !== API.events,
    () => undefined,
  );
  // On a busy machine the server leaves out data that it cannot read quickly.
  await expect(async () => {
    await page.goto('/extensions/weather');
    await expect(page.getByRole('heading', { name: 'weather', level: 1 })).toBeVisible();
    await expect(page.getByRole('link', { name: /^\d+ calls?$/ })).toBeVisible({ timeout: 2_000 });
    await expect(page.getByText('every 5 s')).toBeVisible({ timeout: 2_000 });
  }).toPass();
});

test.describe('adding a field', () => {
  async function countStyled(page: Page, browser: Browser): Promise<number> {
    await expect(page.getByRole('status', { name: 'Connection' })).toContainText('Live');
    await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', 'devtools.timeline'] });
    await page.evaluate(`document.querySelector('main').append(document.createElement('input')); document.body.offsetHeight;`);
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString('utf8')) as {
      traceEvents: readonly { name: string; args: { elementCount?: number } }[];
    };
    const styled = traceEvents.filter(({ name }) => name === 'UpdateLayoutTree').map(({ args }) => args.elementCount ?? 0);
    expect(styled.length).toBeGreaterThan(0);
    return Math.max(...styled);
  }

  test('does not restyle the rest of the page', async ({ page, browser }) => {
    await page.goto('/tools/get_weather');
    await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeEnabled();
    const all = await page.evaluate<number>(`document.querySelectorAll('*').length`);
    expect(await countStyled(page, browser)).toBeLessThan(all / 3);
  });

  test('does not restyle the times of all rows', async ({ page, browser, server }) => {
    for (let days = 1; days <= 12; days += 1) await server.call('get_weather', { city: 'Lisbon', days: (days % 7) + 1 });
    await page.goto('/calls');
    await expect.poll(() => callRows(page).count()).toBeGreaterThanOrEqual(12);
    expect(await countStyled(page, browser)).toBeLessThan(12);
  });
});
