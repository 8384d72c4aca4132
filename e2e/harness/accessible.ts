import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './test.ts';

export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 844 };

/** Colours change by transitions, also where those take no time; what turns for ever does not count. */
const SETTLED = `document.getAnimations().every(({ effect }) => effect.getComputedTiming().iterations === Infinity)`;

interface Look {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
  readonly rules: Parameters<AxeBuilder['options']>[0];
}

/** Each rule where it can find something: colours do not hang on the width, and nothing but colours on the theme. */
const LOOKS: readonly Look[] = [
  { viewport: WIDE, colorScheme: 'light', rules: {} },
  { viewport: WIDE, colorScheme: 'dark', rules: { runOnly: ['color-contrast', 'link-in-text-block'] } },
  { viewport: NARROW, colorScheme: 'dark', rules: { rules: { 'color-contrast': { enabled: false } } } },
];

/** The page as it stands, wide in light and dark, and on a phone: axe finds nothing, and nothing scrolls sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const { viewport, colorScheme, rules } of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => page.evaluate<boolean>(SETTLED)).toBe(true);
    const { violations } = await new AxeBuilder({ page })
      .options({ resultTypes: ['violations'], ...rules })
      .setLegacyMode()
      .analyze();
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary ?? ''}`).join('\n')}`,
    );
    expect(found, `${colorScheme}, ${viewport.width} px`).toEqual([]);
    const [wanted, given] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    );
    expect(wanted, `width of the page at ${viewport.width} px`).toBeLessThanOrEqual(given);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
