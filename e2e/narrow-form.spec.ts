import type { Locator, Page } from '@playwright/test';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

const STEPS = 45;

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

/** The focused form control; none if the focus is elsewhere. */
function focused(page: Page): Locator {
  return page.getByRole('region', { name: 'Arguments', exact: true }).locator(':focus');
}

for (const [width, height] of [
  [390, 844],
  [800, 700],
] as const) {
  test(`no focused field is hidden by the run bar, ${width} px wide`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.goto('/tools/book_room');
    await expect(runButton(page)).toBeEnabled();
    const visited = new Set<string>();
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let step = 0; step < STEPS; step += 1) {
        await page.keyboard.press(key);
        if ((await focused(page).count()) === 0) continue;
        await expectClear(page, focused(page));
        visited.add((await focused(page).getAttribute('data-path')) ?? '');
      }
    }
    expect([...visited]).toEqual(expect.arrayContaining(['/guest', '/nights', '/view', '/contact/phone']));
  });

  test(`added items and the add button are not hidden by the run bar, ${width} px wide`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.goto('/tools/list_objects');
    await expect(runButton(page)).toBeEnabled();
    const add = page.getByRole('button', { name: 'Add an item to it' });
    for (let count = 0; count < 5; count += 1) {
      await add.click();
      await expect(page.locator(`[data-path="/it/${count}/name"]`)).toBeFocused();
      await expectClear(page, page.locator(`[data-path="/it/${count}/name"]`));
      await expectClear(page, add);
    }
    await page.getByRole('textbox', { name: 'As JSON' }).click();
    await expect(page.locator('[data-editor]')).toBeVisible();
    await expectClear(page, page.locator('[data-editor] .cm-activeLine').or(page.locator('[data-editor] .cm-line')).first());
  });
}

test('on a phone the run bar stays at the bottom, also at the end of the page', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/tools/book_room');
  await expect(runButton(page)).toBeEnabled();
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await page.getByRole('heading', { name: 'Recent calls' }).scrollIntoViewIfNeeded();
  await page.keyboard.press('End');
  await expect
    .poll(async () => {
      const bar = await page.locator('[data-run-bar]').boundingBox();
      return Math.abs((bar?.y ?? 0) + (bar?.height ?? 0) - ((await navigation.boundingBox())?.y ?? 0));
    })
    .toBeLessThan(2);
  const last = page.getByRole('region', { name: 'Recent calls' }).or(page.getByText('No calls yet')).first();
  // Late content may have arrived after the key press, when the page was shorter.
  await expect
    .poll(async () => {
      await page.keyboard.press('End');
      return isClear(await last.boundingBox(), await barTop(page));
    })
    .toBe(true);
});

test('a double click runs a tool once', async ({ page }) => {
  await page.goto('/tools/take_nothing');
  await expect(runButton(page)).toBeEnabled();
  await runButton(page).dblclick();
  await expect(page.getByText(/^take_nothing: Succeeded/)).toBeAttached();
  await page.getByRole('link', { name: 'Open call' }).click();
  await page.goto('/calls?tool=take_nothing');
  await expect(page.getByText('1 call in total')).toBeVisible();
});

test('the result is in view after a run, however long the form is', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/tools/fill_many');
  await runButton(page).click();
  await expect(page.getByText('Succeeded').first()).toBeInViewport();
});
