import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import * as z from 'zod';
import type { TestServer } from './harness/test-server.ts';
import { test } from './harness/form-server.ts';
import { expect } from './harness/test.ts';

const listSchema = z.looseObject({ result: z.looseObject({ tools: z.array(z.unknown()) }) });

async function openResult(page: Page, server: TestServer, kind: string): Promise<void> {
  const call = await server.call('show_result', { kind });
  await page.goto(`/calls/${call.id}`);
  await expect(page.getByRole('region', { name: 'Result', exact: true })).toBeVisible();
}

test('a result tree is searched, navigated with keys, and its paths are copied', async ({ page, server, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openResult(page, server, 'tree');
  const tree = page.getByRole('tree', { name: 'Result as a tree' });
  const chosen = tree.getByRole('treeitem', { selected: true });
  await expect(tree).toContainText('"city": "Oslo"');
  await expect(tree).toContainText('[200 … 249]');

  await page.getByRole('textbox', { name: 'Search in Result as a tree' }).fill('city 249');
  await expect(page.getByText('1 found')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(chosen).toHaveText('"name": "City 249"');
  await expect(chosen).toBeInViewport();

  await tree.focus();
  await page.keyboard.press('ArrowDown');
  await expect(chosen).toContainText('"people":');
  await page.keyboard.press('ArrowLeft');
  await expect(chosen).toContainText('249: {');
  await page.keyboard.press('ArrowLeft');
  await expect(chosen).toHaveAttribute('aria-expanded', 'false');
  await page.getByRole('button', { name: 'Copy path' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe('/cities/249');
});

test('a large result loads after its page, is searched completely, and renders only a part at a time', async ({ page, server, watch }) => {
  watch.expect(/answer 500: GET .*\/api\/v1\/calls\/|status of 500/);
  const call = await server.call('show_result', { kind: 'large' });
  let isRefused = true;
  await page.route(`**/api/v1/calls/${call.id}`, (route) => (isRefused ? route.fulfill({ status: 500 }) : route.continue()));
  const answer = await page.goto(`/calls/${call.id}`);
  expect((await answer?.body())?.length).toBeLessThan(300_000);
  await expect(page.getByRole('alert').filter({ hasText: /^The result of [\d.]+ MiB could not be loaded/ })).toBeVisible();
  isRefused = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  const tree = page.getByRole('tree', { name: 'Result as a tree' });
  await expect(tree).toContainText('250,000 items');
  await page.getByRole('textbox', { name: 'Search in Result as a tree' }).fill('city 249999');
  await page.keyboard.press('Enter');
  await expect(tree.getByRole('treeitem', { selected: true })).toHaveText('1: "City 249999"');
  await page.getByRole('button', { name: 'Open all' }).click();
  await tree.focus();
  await page.keyboard.press('Home');
  await expect(tree.getByRole('treeitem').first()).toContainText('250,000 items');
  await page.keyboard.press('End');
  await expect(tree.getByRole('treeitem', { selected: true })).toBeInViewport();
  expect(await tree.getByRole('treeitem').count()).toBeLessThan(150);
});

test('a list of objects is shown as a table, sorted and copied as CSV', async ({ page, server, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openResult(page, server, 'table');
  const table = page.getByRole('region', { name: 'Result as a table' });
  await expect(table.getByRole('row')).toHaveCount(101);
  await table.getByRole('button', { name: 'people' }).click();
  await expect(table.getByRole('row').nth(1)).toContainText('-5');
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(table.getByRole('row')).toHaveCount(152);
  await page.getByRole('button', { name: 'Copy as CSV' }).click();
  const copied = async () => (await page.evaluate<string>('navigator.clipboard.readText()')).split(/\r?\n/).slice(0, 2);
  await expect.poll(copied).toEqual(['name,people,id,at', "'=cmd(),-5,,"]);
});

test('Markdown is rendered, and its source is one click away', async ({ page, server }) => {
  await openResult(page, server, 'markdown');
  const text = page.getByRole('region', { name: 'Result as text' });
  await expect(text.getByRole('cell', { name: 'Oslo' })).toBeVisible();
  await expect(text.getByRole('link', { name: 'the page' })).toHaveAttribute('rel', 'noopener noreferrer nofollow');
  await page.getByRole('button', { name: 'Text', exact: true }).click();
  await expect(text).toContainText('# Report');
});

test('terminal formatting is rendered, and line wrapping can be switched off', async ({ page, server }) => {
  await openResult(page, server, 'terminal');
  const text = page.getByRole('region', { name: 'Result as text' });
  await expect(text).toContainText('3 passed, 1 failed');
  await expect(text.getByText('1 failed')).toHaveCSS('font-weight', '600');
  await expect(text).toHaveCSS('white-space', 'pre-wrap');
  await page.getByRole('button', { name: 'Wrap lines' }).click();
  await expect(text).toHaveCSS('white-space', 'pre');
});

test('images, resources and links of a result are shown without external requests', async ({ page, server }) => {
  await openResult(page, server, 'content');
  const result = page.getByRole('region', { name: 'Result', exact: true });
  const picture = result.getByRole('img', { name: /^Output of the tool/ });
  await expect(picture).toBeVisible();
  await expect(picture).toHaveJSProperty('naturalWidth', 1);
  await expect(result).toContainText('file:///notes.md');
  await expect(result).toContainText('read me');
  await expect(result.getByRole('link', { name: 'Open example.org' })).toHaveAttribute('href', 'https://example.org/map?day=today');
});

test('a result is downloaded as a file', async ({ page, server }) => {
  await openResult(page, server, 'tree');
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const file = await waiting;
  expect(file.suggestedFilename()).toMatch(/^show_result-[\w-]+\.json$/);
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toMatchObject({ stay: { city: 'Oslo' } });
});

test('the agent view of a call shows the exact answer and tool definition, with their size', async ({ page, server }) => {
  await openResult(page, server, 'markdown');
  await page.getByRole('tab', { name: 'What the agent sees' }).click();
  const answer = page.getByRole('region', { name: 'Answer to the agent', exact: true });
  await expect(answer).toContainText('# Report');
  await expect(page.getByText(/^about \d+ tokens \(estimated as 4 bytes each\)$/).first()).toBeVisible();
  const sent = await fetch(`${server.address}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  const { result } = listSchema.parse(await sent.json());
  const shown = await page.getByRole('region', { name: 'Tool as listed as text' }).textContent();
  expect(result.tools).toContainEqual(JSON.parse(shown ?? ''));
});

test('a call is copied as a command', async ({ page, server, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openResult(page, server, 'tree');
  await page.getByRole('button', { name: 'Copy as' }).click();
  await page.getByRole('menuitem', { name: 'Command line' }).click();
  await expect(page.getByText('Copied: Command line.')).toBeVisible();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
    `npx switchboard call show_result '{"kind":"tree"}' --url ${server.address}`,
  );
});

test('the definition for agents is shown before the first run', async ({ page }) => {
  await page.goto('/tools/show_result');
  await page.getByText('Definition · what the agent sees').click();
  const shown = page.getByRole('region', { name: 'Definition', exact: true });
  await expect(shown).toContainText('"inputSchema"');
  await page.getByRole('button', { name: 'Schema', exact: true }).click();
  await expect(shown).not.toContainText('"inputSchema"');
  await expect(shown).toContainText('"kind"');
});
