import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { RunOptions } from 'axe-core';
import { expect } from './test.ts';

/** Half as large as the package's own `source`. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 844 };

/** Waits for transitions, even zero-length ones; endless animations do not count. */
const SETTLE = `(async () => {
  const isEnding = ({ effect, playState }) => playState === 'running' && effect.getComputedTiming().iterations !== Infinity;
  for (;;) {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const ending = document.getAnimations().filter(isEnding);
    if (ending.length === 0) return;
    await Promise.allSettled(ending.map(({ finished }) => finished));
  }
})()`;

interface Look {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
  readonly rules: RunOptions;
}

/** Each rule where it can find something: contrast does not depend on the width, and only contrast on the theme. */
const LOOKS: readonly Look[] = [
  { viewport: WIDE, colorScheme: 'light', rules: {} },
  { viewport: WIDE, colorScheme: 'dark', rules: { runOnly: ['color-contrast', 'link-in-text-block'] } },
  { viewport: NARROW, colorScheme: 'dark', rules: { rules: { 'color-contrast': { enabled: false }, 'target-size': { enabled: true } } } },
];

/** Findings of axe as text, with scroll width and width of the page. Its script is injected once per page; no rule in use reads style sheets. */
const lookWith = (rules: RunOptions) => `(async () => {
  const { violations } = await axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], preload: false, ...rules })});
  const found = violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join('\\n'));
  return { found, wanted: document.documentElement.scrollWidth, given: document.documentElement.clientWidth };
})()`;

/** Wide in light and dark, and on a phone: axe finds nothing, and nothing scrolls sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  // What comes to lie below the pointer would show a tooltip.
  await page.mouse.move(0, 0);
  for (const { viewport, colorScheme, rules } of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.evaluate(SETTLE);
    const { found, wanted, given } = await page.evaluate<{ found: string[]; wanted: number; given: number }>(lookWith(rules));
    expect(found, `${colorScheme}, ${viewport.width} px`).toEqual([]);
    expect(wanted, `width of the page at ${viewport.width} px`).toBeLessThanOrEqual(given);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
