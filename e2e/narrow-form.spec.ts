import type { Locator, Page } from '@playwright/test';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

const SIZES = [
  { width: 390, height: 844 },
  { width: 800, height: 700 },
] as const;

/** Top of the run bar. */
async function barTop(page: Page): Promise<number> {
  return (await page.locator('[data-run-bar]').boundingBox())?.y ?? 0;
}

async function expectClear(page: Page, what: Locator): Promise<void> {
  const bar = await barTop(page);
  await expect.poll(async () => isClear(await what.boundingBox(), bar)).toBe(true);
}

function isClear(box: { y: number; height: number } | null, bar: number): boolean {
  return box !== null && box.y >= 0 && box.y + box.height <= bar;
}

/** Whether the focused element is in the form, its path, and whether it is above the run bar. */
const FOCUSED = `(() => {
  const { activeElement: focused } = document;
  const { top, bottom } = focused.getBoundingClientRect();
  const bar = document.querySelector('[data-run-bar]').getBoundingClientRect().top;
  return { isInForm: focused.closest('section[aria-label="Arguments"]') !== null, path: focused.dataset.path, isClear: top >= 0 && bottom <= bar };
})()`;

test('no focused field is hidden by the run bar, which stays at the bottom on a phone, and a run shows its result', async ({ page }) => {
  const focused = () => page.evaluate<{ isInForm: boolean; path?: string; isClear: boolean }>(FOCUSED);
  await page.setViewportSize(SIZES[0]);
  await page.goto('/tools/book_room');
  await expect(runButton(page)).toBeEnabled();

  await test.step('also at the end of the page', async () => {
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await page.getByRole('heading', { name: 'Recent calls' }).scrollIntoViewIfNeeded();
    await page.keyboard.press('End');
    await expect
      .poll(async () => {
        const bar = await page.locator('[data-run-bar]').boundingBox();
        return Math.abs((bar?.y ?? 0) + (bar?.height ?? 0) - ((await navigation.boundingBox())?.y ?? 0));
      })
      .toBeLessThan(2);
    const last = page.getByText('Calls the tool with generated arguments');
    // Late content may have arrived after the key press, when the page was shorter.
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return isClear(await last.boundingBox(), await barTop(page));
      })
      .toBe(true);
  });

  for (const size of SIZES) {
    await test.step(`${size.width} px wide`, async () => {
      await page.setViewportSize(size);
      await page.locator('[data-path="/guest"]').focus();
      for (const key of ['Tab', 'Shift+Tab']) {
        const visited: string[] = [];
        for (let { isInForm, path } = await focused(); isInForm || visited.length === 0; { isInForm, path } = await focused()) {
          if (isInForm) await expect.poll(async () => (await focused()).isClear, `${path} is above the bar`).toBe(true);
          if (path !== undefined) visited.push(path);
          await page.keyboard.press(key);
        }
        expect(visited).toEqual(expect.arrayContaining(['/guest', '/nights', '/view', '/contact/phone']));
      }
    });
  }

  await test.step('the result below a long form is in view after a run', async () => {
    await page.setViewportSize(SIZES[0]);
    await page.getByRole('textbox', { name: 'guest (required)' }).fill('Ada');
    await page.getByRole('textbox', { name: 'nights (required)' }).fill('2');
    await runButton(page).click();
    await expect(page.getByText('Succeeded').first()).toBeInViewport();
  });
});

test('added items and the add button are not hidden by the run bar', async ({ page }) => {
  await page.setViewportSize(SIZES[0]);
  await page.goto('/tools/list_objects');
  await expect(runButton(page)).toBeEnabled();
  const add = page.getByRole('button', { name: 'Add an item to it' });
  let count = 0;
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const most = count + 3; count < most; count += 1) {
      await add.click();
      await expect(page.locator(`[data-path="/it/${count}/name"]`)).toBeFocused();
      await expectClear(page, page.locator(`[data-path="/it/${count}/name"]`));
      await expectClear(page, add);
    }
    await page.getByRole('textbox', { name: 'As JSON' }).click();
    await expect(page.locator('[data-editor]')).toBeVisible();
    await expectClear(page, page.locator('[data-editor] .cm-activeLine').or(page.locator('[data-editor] .cm-line')).first());
  }
});

test('in a low window only the run bar and the navigation cover the page', async ({ page }) => {
  await page.setViewportSize({ width: 640, height: 400 });
  await page.goto('/tools/book_room');
  await expect(runButton(page)).toBeEnabled();
  await page.evaluate('scrollTo(0, 300)');
  await expect(page.getByRole('banner')).not.toBeInViewport();
  await expect(runButton(page)).toBeInViewport({ ratio: 1 });
});
