import type { Page } from '@playwright/test';

/**
 * What the server rendered stands there before anything answers to it: a click or a key that comes earlier is lost, as it is for
 * a person who is that quick. React marks each element that it has taken over; what listens to the keys of the whole page begins
 * right after.
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

/** From now on a load of this page ends when all that it shows answers. */
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
