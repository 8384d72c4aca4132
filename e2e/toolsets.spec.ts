import { expectAccessible } from './harness/accessible.ts';
import { expect, test } from './harness/test.ts';

test.use({ serverOptions: { shipped: ['math', 'weather'], fixtures: [], env: {} } });

test('a toolset with changed tools is created, served to agents, and deleted', async ({ page, server }) => {
  await page.goto('/settings/toolsets');
  await page.getByRole('button', { name: 'New toolset' }).click();
  const form = page.getByRole('form', { name: 'Toolset' });
  await form.getByLabel('Name', { exact: true }).fill('support');
  await form.getByLabel('Title', { exact: true }).fill('Support');
  await form.getByLabel('Instructions').fill('Only Oslo.');
  await form.getByRole('list', { name: 'Tools of this server' }).getByLabel('get_weather').check();
  const chosen = form.getByRole('list', { name: 'Tools in this toolset' });
  await chosen.getByText('get_weather').click();
  await chosen.getByLabel('Name for agents').fill('oslo_weather');
  await chosen.getByLabel('Argument city').selectOption('hidden');
  await expect(form.getByRole('alert')).toContainText('needs the argument “city”');
  await chosen.getByLabel('Argument city').selectOption('fixed');
  // A text, though it looks like a number.
  await chosen.getByLabel('Value of city').fill('1701');
  await expect(form.getByRole('alert')).toBeHidden();
  await expect(form).toContainText('"name": "oslo_weather"');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('list', { name: 'Toolsets' }).getByRole('listitem').filter({ hasText: 'Support' });
  await expect(row).toContainText(/1 tool · about \d+ tokens/);
  await expectAccessible(page);

  const ask = async (method: string, params: object) => {
    const answer = await fetch(`${server.address}/mcp/support`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return answer.json();
  };
  expect(await ask('tools/list', {})).toMatchObject({ result: { tools: [{ name: 'oslo_weather' }] } });
  expect(await ask('tools/call', { name: 'oslo_weather' })).toMatchObject({ result: { structuredContent: { city: '1701' } } });

  await row.getByRole('button', { name: 'Edit support' }).click();
  await expect(form.getByLabel('Instructions')).toHaveValue('Only Oslo.');
  await form.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No toolsets yet')).toBeVisible();
});
