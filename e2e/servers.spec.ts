import path from 'node:path';
import { CLIENT_FILES } from '#lib/servers/client-files-for-tests.ts';
import { expectAccessible } from './harness/accessible.ts';
import { expect, test } from './harness/test.ts';
import { openPage } from './harness/navigation.ts';

test.use({ serverOptions: { shipped: [], fixtures: [], env: {} } });

const SERVER = path.resolve(import.meta.dirname, '../lib/runtime/fixtures/mcp-server.mjs');

test('a server is tested, added, edited and removed in the browser', async ({ page, server, watch }) => {
  // Its page may refetch once more when it is disabled or removed.
  watch.expect(/answer 40[49]: GET .*\/extensions\/local|status of 40[49]/);
  await page.goto('/');
  await openPage(page, 'Extensions');
  await page.getByRole('button', { name: 'Add MCP server' }).click();
  const form = page.getByRole('form', { name: 'MCP server' });
  await form.getByLabel('Name').fill('local');
  await form.getByLabel('Command').fill('node');
  await form.getByLabel('Arguments').fill('nothing-here.mjs');
  await form.getByLabel('Environment').fill('API_KEY=k3y-of-the-form-123\nLEVEL=info');
  await form.getByRole('button', { name: 'Test connection' }).click();
  await expect(form.getByRole('region', { name: 'Test result' })).toContainText('nothing-here.mjs');
  await form.getByLabel('Arguments').fill(SERVER);
  await form.getByRole('button', { name: 'Test connection' }).click();
  await expect(form.getByRole('region', { name: 'Test result' })).toContainText('Connected to');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Add server' }).click();
  await expect(page.getByRole('heading', { name: 'local', level: 1 })).toBeVisible();
  const saved = await server.read('mcp.json');
  expect(JSON.parse(saved)).toMatchObject({ mcpServers: { local: { env: { API_KEY: '${secret:API_KEY}', LEVEL: 'info' } } } });

  await page.getByRole('button', { name: 'Edit server' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit local' });
  await expect(edit.getByLabel('Environment')).toHaveValue('API_KEY=${secret:API_KEY}\nLEVEL=info');
  await edit.getByLabel('Enabled').uncheck();
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit).toBeHidden();
  await expect(page.getByText('disabled by its file')).toBeVisible();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('heading', { name: 'Extensions', level: 1 })).toBeVisible();
  await expect.poll(async () => JSON.parse(await server.read('mcp.json'))).toEqual({ mcpServers: {} });
});

test('servers of another client are previewed, chosen and imported, and exported again', async ({ page, server, watch }) => {
  watch.expect(/answer 422: POST .*\/servers\/import|status of 422/);
  await page.goto('/extensions?add=server');
  await page.getByRole('tab', { name: 'Import' }).click();
  const form = page.getByRole('form', { name: 'Import servers' });
  await form.getByLabel('Configuration').fill('{ broken');
  await form.getByRole('button', { name: 'Preview' }).click();
  await expect(form.getByRole('alert')).toContainText('Invalid JSON at line 1, column 3.');
  await form.getByLabel('Configuration').fill(CLIENT_FILES.codex);
  await form.getByRole('button', { name: 'Preview' }).click();
  const found = form.getByRole('region', { name: 'Servers found' });
  await expect(found).toContainText('Codex: 2 found');
  await expect(found).toContainText('Secrets: CONTEXT7_API_KEY');
  await expectAccessible(page);
  await found.getByRole('checkbox', { name: /^context7/ }).uncheck();
  await form.getByRole('button', { name: 'Add 1 server' }).click();
  await expect(form).toBeHidden();
  expect(Object.keys(JSON.parse(await server.read('mcp.json')).mcpServers)).toEqual(['figma']);

  await page.getByRole('button', { name: 'Add MCP server' }).click();
  await page.getByRole('tab', { name: 'Export' }).click();
  await page.getByRole('combobox', { name: 'Client' }).selectOption('vscode');
  await expect(page.getByRole('dialog')).toContainText('${input:FIGMA_OAUTH_TOKEN}');
});
