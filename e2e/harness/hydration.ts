import type { Page } from '@playwright/test';

/**
 * Before hydration, server-rendered elements ignore clicks and keys. React marks each hydrated element; page-wide shortcuts work
 * right after.
 */
const WAIT_UNTIL_HYDRATED = `(async () => {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const isHydrated = (element) => Object.keys(element).some((key) => key.startsWith('__reactProps$'));
  const findUnhydrated = () => [...document.querySelectorAll('main :is(a[href], button, input, select, textarea), nav a[href]')]
    .find((element) => element.closest('.cm-editor') === null && !isHydrated(element));
  const end = performance.now() + 30_000;
  while (findUnhydrated() !== undefined) {
    if (performance.now() > end) throw new Error('Not hydrated in time: ' + findUnhydrated()?.outerHTML.slice(0, 300));
    await nextFrame();
  }
  await nextFrame();
  await nextFrame();
})()`;

/** Makes navigations of this page wait for hydration. */
export function waitForHydration(page: Page): void {
  const goto = page.goto.bind(page);
  const reload = page.reload.bind(page);
  page.goto = async (...given) => {
    const response = await goto(...given);
    await page.evaluate(WAIT_UNTIL_HYDRATED);
    return response;
  };
  page.reload = async (...given) => {
    const response = await reload(...given);
    await page.evaluate(WAIT_UNTIL_HYDRATED);
    return response;
  };
}
