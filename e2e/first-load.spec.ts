import { gzipSync } from 'node:zlib';
import type { Response } from '@playwright/test';
import { API } from '#lib/contract/paths.ts';
import { expect, test } from './harness/test.ts';

const MOST_BYTES = 200_000;

for (const [name, address] of [
  ['Overview', '/'],
  ['Extensions', '/extensions'],
] as const) {
  test(`${name} loads at most 200 kB of JavaScript, compressed`, async ({ page }) => {
    const scripts: Response[] = [];
    const fonts: string[] = [];
    page.on('response', (response) => {
      const type = response.request().resourceType();
      if (type === 'script') scripts.push(response);
      if (type === 'font') fonts.push(response.url());
    });
    // The overview asks again while watching is being tested and where its count is late, and what checks answers comes with the
    // first one.
    const extensions = async () => (await page.request.get(API.extensions)).text();
    await expect.poll(extensions).toContain('"result":"seen"');
    await page.request.get(API.lastHour);
    await page.goto(address);
    await expect(page.getByRole('heading', { name, level: 1 })).toBeAttached();
    await expect(page.getByRole('status', { name: 'Connection' })).toContainText('Live');
    await page.waitForLoadState('load');
    const bodies = await Promise.all(scripts.map(async (script) => ({ script, body: await script.body() })));
    const sizes = bodies.map(({ body }) => gzipSync(body).length);
    expect(sizes.length).toBeGreaterThan(3);
    const large = bodies.filter(({ body }) => body.length > 2_000).map(({ script }) => script.headerValue('content-encoding'));
    expect(new Set(await Promise.all(large)), 'on the way it is smaller still').toEqual(new Set(['br']));
    expect(
      bodies.every(({ body }) => body.toString().startsWith('//# allFunctionsCalledOnLoad\n')),
      'scripts are compiled ahead',
    ).toBe(true);
    expect(
      fonts.filter((font) => !font.includes('-basic.')),
      'what is on the page is in the small files of the fonts',
    ).toEqual([]);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST_BYTES);
  });
}
