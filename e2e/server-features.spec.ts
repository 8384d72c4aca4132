import { expectAccessible } from './harness/accessible.ts';
import { expect, test } from './harness/test.ts';
import { runButton } from './harness/navigation.ts';

test.use({ serverOwner: 'MCP servers', serverOptions: { shipped: [], fixtures: ['everything'], env: {} } });

test('resources of a server are read on its page, from the list and by template', async ({ page, watch }) => {
  watch.expect(/answer 502: POST .*\/resources\/read|status of 502/);
  await page.goto('/extensions/everything');
  await page.getByRole('tab', { name: /^Resources/ }).click();
  await expect(page).toHaveURL(/[?&]tab=resources/);
  const row = page.getByRole('list', { name: 'Resources' }).getByRole('listitem').filter({ hasText: 'features.md' }).first();
  await row.getByRole('button', { name: 'Read' }).click();
  await expect(row.getByRole('group', { name: 'Content of features.md' }).first()).toContainText('Everything Server');
  const template = page.getByRole('form', { name: 'Dynamic Text Resource' });
  await template.getByLabel('resourceId').fill('7');
  await template.getByRole('button', { name: 'Read' }).click();
  await expect(page.getByRole('group', { name: 'Content of Dynamic Text Resource' }).first()).toContainText('Resource 7:');
  await template.getByLabel('resourceId').fill('none');
  await template.getByRole('button', { name: 'Read' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Not read' })).toContainText('demo://resource/dynamic/text/none');
  const blob = page.getByRole('form', { name: 'Dynamic Blob Resource' });
  await blob.getByLabel('resourceId').fill('3');
  await blob.getByRole('button', { name: 'Read' }).click();
  await expect(
    page.getByRole('group', { name: 'Content of Dynamic Blob Resource' }).getByRole('button', { name: /^Download/ }),
  ).toBeVisible();
  await expectAccessible(page);
});

test('a prompt of a server offers completions, and shows its messages', async ({ page }) => {
  await page.goto('/extensions/everything');
  await page.getByRole('tab', { name: /^Prompts/ }).click();
  const form = page.getByRole('form', { name: 'Team Management' });
  const department = form.getByLabel('department');
  await department.fill('S');
  await expect(form.locator('option')).toHaveCount(2);
  await department.fill('Sales');
  await form.getByLabel('name').fill('Eve');
  await form.getByRole('button', { name: 'Get messages' }).click();
  const messages = page.getByRole('list', { name: 'Messages of Team Management' });
  await expect(messages).toContainText('Please promote Eve to the head of the Sales team.');
  await expect(messages.getByText('user', { exact: true })).toBeVisible();
  await expect(page.getByText('everything__completable-prompt', { exact: true })).toBeVisible();
  await expectAccessible(page);
});

test('an elicitation form of a server is filled in while its tool runs', async ({ page }) => {
  await page.goto('/tools/everything__trigger-elicitation-request');
  await expect(runButton(page)).toBeEnabled();
  await runButton(page).click();
  const question = page.getByRole('region', { name: 'Question of the server' });
  await expect(question).toContainText('Please provide inputs for the following fields:');
  await expectAccessible(page);
  await question
    .getByRole('textbox', { name: /String/ })
    .first()
    .fill('Ada Lovelace');
  await question.getByRole('button', { name: 'Send answer' }).click();
  await expect(question).toHaveCount(0);
  await expect(page.getByText(/Ada Lovelace/).first()).toBeVisible();
});

test('a person opens the URL that a server requests', async ({ page }) => {
  await page.goto('/tools/everything__trigger-url-elicitation');
  await expect(runButton(page)).toBeEnabled();
  await page.getByRole('textbox', { name: 'url (required)' }).fill('https://pay.example/order/7');
  await runButton(page).click();
  const question = page.getByRole('region', { name: 'Question of the server' });
  const link = question.getByRole('link', { name: 'Open pay.example' });
  await expect(link).toHaveAttribute('href', 'https://pay.example/order/7');
  await expect(link).toHaveAttribute('rel', /noopener noreferrer/);
  await expectAccessible(page);
  await question.getByRole('button', { name: 'I opened it' }).click();
  await expect(question).toHaveCount(0);
  await expect(page.getByText(/User completed the URL elicitation flow/).first()).toBeVisible();
});

test('a person answers a sampling request of a server', async ({ page }) => {
  await page.goto('/tools/everything__trigger-sampling-request');
  await expect(runButton(page)).toBeEnabled();
  await page
    .getByRole('textbox', { name: /prompt/i })
    .first()
    .fill('Who is there?');
  await runButton(page).click();
  const question = page.getByRole('region', { name: 'Question of the server' });
  await expect(question.getByRole('list', { name: 'Messages for the model' })).toContainText('Who is there?');
  await question.getByRole('textbox', { name: /Message in place of the model/ }).fill('It is me');
  await question.getByRole('button', { name: 'Send message' }).click();
  await expect(question).toHaveCount(0);
  await expect(page.getByText('It is me').first()).toBeVisible();
});
