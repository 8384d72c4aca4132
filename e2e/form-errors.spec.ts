import { BAD_INPUTS } from '#lib/testing/form-cases/bad-inputs.ts';
import { fieldIdOf } from '../components/tool-form/form-view.tsx';
import { createFiller } from './harness/form-filler.ts';
import { openEmptyForm } from './harness/form-navigation.ts';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

// One input for each kind of field that no other browser test leaves invalid; components/playground/PlaygroundForm.test.tsx tests
// all inputs on the DOM.
const ONE_PER_KIND = ['a required answer not given', 'JSON that cannot be read', 'no form chosen of several', 'a name that stands twice'];

test('an invalid value is reported at its field, which gets the focus, and nothing is sent', async ({ page }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await page.goto('/tools');
  for (const { what, tool, fill, at, says } of BAD_INPUTS.filter((one) => ONE_PER_KIND.includes(one.what))) {
    await test.step(what, async () => {
      await openEmptyForm(page, tool);
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

test('a field is validated on blur, never while typing', async ({ page }) => {
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

test('pressing Control+Enter twice at once sends one call, and so does a double click', async ({ page }) => {
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
  const call = page.getByRole('link', { name: 'Open call' });
  const first = (await call.getAttribute('href')) ?? '';
  await expect(runButton(page)).toBeEnabled();
  await runButton(page).dblclick();
  await expect(call).not.toHaveAttribute('href', first);
  expect(sent).toHaveLength(2);
  expect(new Set(sent).size).toBe(2);
});
