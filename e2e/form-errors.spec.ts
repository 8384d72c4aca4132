import { BAD_INPUTS } from '#lib/testing/form-cases/bad-inputs.ts';
import { fieldIdOf } from '../components/tool-form/form-view.tsx';
import { createFiller } from './harness/form-filler.ts';
import { openConstruct } from './harness/form-walk.ts';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { openPlace, runButton } from './harness/walk.ts';

// Every input is tried on the DOM (components/playground/PlaygroundForm.test.tsx); here one of each kind of field.
const OF_EACH_KIND = [
  'a required number left blank',
  'a required answer not given',
  'JSON that cannot be read',
  'half a date',
  'no form chosen of several',
  'a name that stands twice',
];

test('what is wrong is said at the field, which gets the focus, and nothing is sent', async ({ page }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await page.goto('/');
  await openPlace(page, 'Tools');
  for (const { what, tool, fill, at, says } of BAD_INPUTS.filter((one) => OF_EACH_KIND.includes(one.what))) {
    await test.step(what, async () => {
      await openConstruct(page, tool);
      const form = createFiller(page);
      await fill(form);
      await runButton(page).click();
      await expect(page.getByText('One value needs attention:')).toBeVisible();
      const path = `[data-path=${JSON.stringify(at)}]`;
      await expect(page.locator(`${path}:focus, ${path} :focus`)).toBeVisible();
      await expect(page.locator(`#${fieldIdOf(at)}-issues`)).toHaveText(says);
    });
  }
  expect(sent, 'no call was sent').toEqual([]);
});

test('what is wrong is said after the field is left, never while somebody types', async ({ page }) => {
  await page.goto('/tools/read_email');
  await expect(runButton(page)).toBeEnabled();
  const field = page.getByRole('textbox', { name: 'it (required)' });
  await field.pressSequentially('ada');
  await expect(field).not.toHaveAttribute('aria-invalid');
  await field.press('Tab');
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await field.pressSequentially('@');
  await expect(field).not.toHaveAttribute('aria-invalid');
  await field.press('Tab');
  await expect(field).toHaveAccessibleDescription(/e-mail/);
  await field.fill('ada@example.org');
  await field.press('Tab');
  await runButton(page).click();
  await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('ada@example.org');
});

test('a second press, made before the first is through, is no second call', async ({ page }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.headers()['idempotency-key'] ?? '');
  });
  await page.goto('/tools/read_optional_text');
  await expect(runButton(page)).toBeEnabled();
  await page.evaluate(
    `for (const press of [1, 2]) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }))`,
  );
  await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('got');
  expect(sent).toEqual([expect.stringMatching(/^[\d-]+$/)]);
});
