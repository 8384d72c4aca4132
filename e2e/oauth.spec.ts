import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { memoryProvider } from '#lib/testing/oauth-client.ts';
import { expectAccessible } from './harness/accessible.ts';
import { expect, test } from './harness/test.ts';
import { firstAdminLink, join } from './harness/join.ts';

test.use({ serverOptions: { shipped: ['math'], fixtures: [], env: { AUTH: 'team' } } });

const ANNA = { name: 'Anna Lind', email: 'anna@team.example', password: 'correct horse battery' };

test('a client connects with the consent page, lists the allowed tools, and is revoked on the tokens page', async ({
  page,
  server,
  watch,
}) => {
  // The profile page stands in for the redirect page of the client.
  const provider = memoryProvider(`${server.address}/profile`);
  const endpoint = new URL('/mcp', server.address);
  const transport = new StreamableHTTPClientTransport(endpoint, { authProvider: provider });
  const client = new Client({ name: 'official', version: '1' });

  await page.goto(firstAdminLink(server));
  await join(page, ANNA);
  watch.expect(/401/);
  await page.context().clearCookies();

  await test.step('the client opens the browser, and the person signs in first', async () => {
    await expect(new Client({ name: 'official', version: '1' }).connect(transport)).rejects.toThrow(UnauthorizedError);
    await page.goto(provider.opened[0]?.href ?? '');
    await page.getByLabel('E-mail').fill(ANNA.email);
    await page.getByLabel('Password', { exact: true }).fill(ANNA.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Connect Official client?' })).toBeVisible();
  });

  await test.step('the page names the client, its redirect target and its permissions', async () => {
    await expect(page.getByText('Unverified client.')).toBeVisible();
    await expect(page.getByText('(an application on your computer)')).toBeVisible();
    await expect(page.getByRole('radio', { name: 'Operator' })).toBeChecked();
    await page.getByText('Permissions').click();
    await expect(page.getByText('Calling a tool')).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('radio', { name: 'Viewer' }).check();
    await expect(page.getByText('Calling a tool')).toBeHidden();
    await page.getByRole('radio', { name: 'Operator' }).check();
    await page.getByRole('radio', { name: 'Selected tools only' }).check();
    await expect(page.getByRole('button', { name: 'Allow' })).toBeDisabled();
    await page.getByRole('checkbox', { name: 'calculate_expression' }).check();
  });

  await test.step('after consent the browser returns to the client, which sees only the chosen tool', async () => {
    await page.getByRole('button', { name: 'Allow' }).click();
    await expect(page).toHaveURL(/\/profile\?code=/);
    await transport.finishAuth(new URL(page.url()).searchParams);
    await client.connect(new StreamableHTTPClientTransport(endpoint, { authProvider: provider }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['calculate_expression']);
  });

  await test.step('the tokens page lists it, and revoking it there ends its access', async () => {
    await page.goto(`${server.address}/team/tokens`);
    const row = page.getByRole('listitem').filter({ hasText: 'Official client' });
    await expect(row).toContainText('OAuth, unverified');
    await expect(row).toContainText('only calculate_expression');
    await expectAccessible(page);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await expect(page.getByRole('list', { name: 'Inactive tokens' })).toContainText('Official client');
    await expect(client.listTools()).rejects.toThrow();
  });

  await test.step('a request of an unknown client is rejected with the reason', async () => {
    watch.expect(/400/);
    const asked = new URL(provider.opened[0]?.href ?? '');
    asked.searchParams.set('client_id', 'dcr-nobody');
    await page.goto(asked.href);
    await expect(page.getByRole('heading', { name: 'This client cannot connect' })).toBeVisible();
    await expect(page.getByText('not registered here')).toBeVisible();
    await expectAccessible(page);
  });

  await client.close().catch(() => undefined);
});
