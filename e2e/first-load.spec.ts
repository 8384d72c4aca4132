import { gzipSync } from 'node:zlib';
import type { Response } from '@playwright/test';
import { expect, test } from './harness/test.ts';

const MOST_BYTES = 200_000;

test('the extensions page loads at most 200 kB of JavaScript, compressed', async ({ page }) => {
  const scripts: Response[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response);
  });
  await page.goto('/extensions');
  await expect(page.getByRole('heading', { name: 'Extensions', level: 1 })).toBeVisible();
  await expect(page.getByRole('status', { name: 'Connection' })).toContainText('Live');
  await page.waitForLoadState('load');
  const sizes = await Promise.all(scripts.map(async (script) => gzipSync(await script.body()).length));
  expect(sizes.length).toBeGreaterThan(3);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST_BYTES);
});
