import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { RunOptions } from 'axe-core';
import { expect } from './test.ts';

/** The minified script has half the size of the package's `source`. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 844 };

/** Waits for transitions, even zero-length ones; endless animations and those that follow scrolling do not count. */
const WAIT_FOR_ANIMATIONS = `(async () => {
  const isEnding = ({ effect, playState, timeline }) =>
    timeline === document.timeline && playState === 'running' && effect.getComputedTiming().iterations !== Infinity;
  for (;;) {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const ending = document.getAnimations().filter(isEnding);
    if (ending.length === 0) return;
    await Promise.allSettled(ending.map(({ finished }) => finished));
  }
})()`;

interface Variant {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
  readonly rules: RunOptions;
}

/** Each rule runs where it can find something: contrast does not depend on the width, and only contrast depends on the theme. */
const VARIANTS: readonly Variant[] = [
  { viewport: WIDE, colorScheme: 'light', rules: {} },
  { viewport: WIDE, colorScheme: 'dark', rules: { runOnly: ['color-contrast', 'link-in-text-block'] } },
  { viewport: NARROW, colorScheme: 'dark', rules: { rules: { 'color-contrast': { enabled: false }, 'target-size': { enabled: true } } } },
];

/** Returns violations as text, and the scroll width and width of the page. No rule in use reads style sheets, so axe does not load them. */
const runAxe = (rules: RunOptions) => `(async () => {
  const { violations } = await axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], preload: false, ...rules })});
  const found = violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join('\\n'));
  return { found, scrollWidth: document.documentElement.scrollWidth, width: document.documentElement.clientWidth };
})()`;

/** Expects no axe violations and no horizontal scrolling, on a wide window in light and dark, and on a phone. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  // An element under the pointer would show a tooltip.
  await page.mouse.move(0, 0);
  for (const { viewport, colorScheme, rules } of VARIANTS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.evaluate(WAIT_FOR_ANIMATIONS);
    const { found, scrollWidth, width } = await page.evaluate<{ found: string[]; scrollWidth: number; width: number }>(runAxe(rules));
    expect(found, `${colorScheme}, ${viewport.width} px`).toEqual([]);
    expect(scrollWidth, `scroll width at ${viewport.width} px`).toBeLessThanOrEqual(width);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
