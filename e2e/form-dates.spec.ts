import type { Locator, Page } from '@playwright/test';
import { API } from '#lib/contract/paths.ts';
import { expectAccessible } from './harness/accessible.ts';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

// A half-hour offset without daylight saving time makes a mix-up with UTC visible.
test.use({ timezoneId: 'Asia/Kolkata' });

const preview = (page: Page): Locator => page.getByRole('textbox', { name: 'As JSON' });

const PICKER = 'input[type="datetime-local"]';

/** Input from the browser's native picker, which is outside of the page. */
async function pickInBrowser(page: Page, picked: string): Promise<void> {
  await page.evaluate(
    `(() => {
      const input = document.querySelector(${JSON.stringify(PICKER)});
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, ${JSON.stringify(picked)});
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })()`,
  );
}

test('a half-typed date survives a reload, and a time without a zone is local, keeps its text, and shows the value that is sent', async ({
  page,
}) => {
  await page.goto('/tools/read_moment');
  await expect(runButton(page)).toBeEnabled();
  const field = page.getByRole('textbox', { name: 'it (required)' });
  const half = '2026-01-31T09:3';
  await field.fill(half);
  await expect(preview(page)).toHaveValue(`{\n  "it": "${half}"\n}`);
  await page.reload();
  await expect(field).toHaveValue(half);
  await field.fill('2026-01-31 09:30');
  await expect(field).toHaveAccessibleDescription(/Sent as 2026-01-31T04:00:00Z/);
  await page.reload();
  await expect(field).toHaveValue('2026-01-31 09:30');
  const request = page.waitForRequest(`**${API.callTool('read_moment')}`);
  await runButton(page).click();
  expect((await request).postDataJSON()).toEqual({ arguments: { it: '2026-01-31T04:00:00Z' } });
  await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('2026-01-31T04:00:00Z');

  await field.fill('2026-01-31T04:00:00Z');
  await expect(field).toHaveAccessibleDescription(/2026-01-31 09:30:00 in local time/);
});

test('a date is picked in the native picker, also by keyboard, and is validated on blur', async ({ page }) => {
  await page.goto('/tools/read_moment');
  await expect(runButton(page)).toBeEnabled();
  const field = page.getByRole('textbox', { name: 'it (required)' });
  const picker = page.locator(PICKER);
  await page.evaluate(`HTMLInputElement.prototype.showPicker = function () { this.setAttribute('data-opened', ''); }`);
  await field.fill('2026-01-31');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Pick date and time for it' })).toBeFocused();
  await expect(field).toHaveAccessibleDescription(/Enter a date with time and zone such as 2026-01-31T09:30:00Z\./);
  await page.keyboard.press('Enter');
  await expect(picker).toHaveAttribute('data-opened');
  await expect(picker).toHaveValue('2026-01-31T00:00');
  await pickInBrowser(page, '2026-02-01T10:00:20');
  await expect(field).toHaveValue('2026-02-01T04:30:20Z');
  await expect(field).not.toHaveAttribute('aria-invalid');
  await pickInBrowser(page, '');
  await expect(field).toHaveValue('');
  await expect(preview(page)).toHaveValue('{}');

  await field.fill('2026-01-31');
  await runButton(page).click();
  await expect(field).toBeFocused();
  await expectAccessible(page);
});
