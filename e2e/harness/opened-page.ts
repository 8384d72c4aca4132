import type { Page } from '@playwright/test';

/**
 * Before hydration, server-rendered elements ignore clicks and keys, as they would for a fast person. React marks each hydrated
 * element; page-wide shortcuts start right after.
 */
const ANSWERS = `(async () => {
  const drawn = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const isTaken = (element) => Object.keys(element).some((key) => key.startsWith('__reactProps$'));
  const silent = () => [...document.querySelectorAll('main :is(a[href], button, input, select, textarea), nav a[href]')]
    .find((element) => element.closest('.cm-editor') === null && !isTaken(element));
  const end = performance.now() + 30_000;
  while (silent() !== undefined) {
    if (performance.now() > end) throw new Error('This never answered: ' + silent()?.outerHTML.slice(0, 300));
    await drawn();
  }
  await drawn();
  await drawn();
})()`;

/** Makes navigations of this page wait for hydration. */
export function waitWhenOpened(page: Page): void {
  const goto = page.goto.bind(page);
  const reload = page.reload.bind(page);
  page.goto = async (...given) => {
    const response = await goto(...given);
    await page.evaluate(ANSWERS);
    return response;
  };
  page.reload = async (...given) => {
    const response = await reload(...given);
    await page.evaluate(ANSWERS);
    return response;
  };
}
