import { serveSigning } from '#lib/testing/signing-mcp-server.ts';
import type { SigningServer } from '#lib/testing/signing-mcp-server.ts';
import { expectAccessible } from './harness/accessible.ts';
import { expect, test } from './harness/test.ts';
import { openExtension, openTool, runButton } from './harness/navigation.ts';

test.use({ serverOwner: 'MCP servers', serverOptions: { shipped: [], fixtures: ['everything'], env: {} } });

/** The browser opens the authorization server. */
const AUTHORIZATION_REQUEST = /external request: .*\/authorize\?/;

let mcpServer: SigningServer;
test.beforeAll(async () => {
  mcpServer = await serveSigning();
});
test.afterAll(() => mcpServer.close());

test('a person signs in to a server, calls its tools, and signs in again after access is revoked', async ({ page, server, watch }) => {
  watch.expect(AUTHORIZATION_REQUEST);
  await server.save('files/mcp.json', JSON.stringify({ url: mcpServer.url }));
  await page.goto('/');
  await openExtension(page, 'files');
  const signIn = page.getByRole('region', { name: 'Sign-in' });
  const connect = async () => {
    await signIn.getByRole('button', { name: 'Connect' }).click();
    await expect(page.getByRole('heading', { name: 'Sign in to Files' })).toBeVisible();
    await page.getByLabel('Name').fill('Ada');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('heading', { name: 'files', level: 1 })).toBeVisible();
    await expect(signIn).toContainText('Connected to this server');
  };
  const outcome = page.getByRole('tabpanel', { name: /Result|Error/ });
  const run = async () => {
    await openTool(page, 'files__whoami');
    await runButton(page).click();
  };

  await test.step('the page says that the server needs a sign-in', async () => {
    await expect(signIn).toContainText('This server asks for a sign-in.');
    await expectAccessible(page);
  });

  await test.step('the person signs in on the server and returns', async () => {
    await connect();
    await expect(page.getByText('Ready', { exact: true }).first()).toBeVisible();
    await expectAccessible(page);
    await run();
    await expect(outcome).toContainText('Ada');
  });

  await test.step('an expired token is refreshed automatically', async () => {
    mcpServer.issued.revoked.push(...mcpServer.issued.access);
    await runButton(page).click();
    await expect.poll(() => mcpServer.exchanges.filter((form) => form['grant_type'] === 'refresh_token').length).toBeGreaterThan(0);
    await expect(outcome).toContainText('Ada');
  });

  await test.step('after the server revokes the sign-in, a call says what to do, and connecting again works', async () => {
    mcpServer.rules.refusesRefresh = true;
    mcpServer.issued.revoked.push(...mcpServer.issued.access);
    await runButton(page).click();
    await expect(outcome).toContainText('press Connect on the page of the extension');
    mcpServer.rules.refusesRefresh = false;
    await page.goto('/extensions/files');
    await expect(signIn).toContainText('This server asks for a sign-in.');
    await connect();
    await run();
    await expect(outcome).toContainText('Ada');
  });

  await test.step('disconnecting revokes the tokens at the server', async () => {
    await page.goto('/extensions/files');
    await signIn.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click();
    await expect(signIn).toContainText('This server asks for a sign-in.');
    expect(mcpServer.issued.revoked).toEqual(expect.arrayContaining([mcpServer.issued.access.at(-1), mcpServer.issued.refresh.at(-1)]));
  });
});

test('the page says that the person denied the sign-in', async ({ page, server, watch }) => {
  watch.expect(AUTHORIZATION_REQUEST);
  await server.save('denied/mcp.json', JSON.stringify({ url: mcpServer.url }));
  await page.goto('/');
  await openExtension(page, 'denied');
  const signIn = page.getByRole('region', { name: 'Sign-in' });
  await signIn.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('link', { name: 'Deny' }).click();
  await expect(page.getByRole('heading', { name: 'denied', level: 1 })).toBeVisible();
  await expect(signIn).toContainText('The server refused the sign-in: You denied it');
  await expectAccessible(page);
});
