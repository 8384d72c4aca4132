import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { API } from '#lib/contract/paths.ts';
import { madeTokenSchema, tokenListSchema } from '#lib/contract/token.ts';
import { memoryProvider } from '#lib/testing/oauth-client.ts';
import { expectAccessible, NARROW, WIDE } from './harness/accessible.ts';
import { createFirstAdmin, inviteMember, openBrowserAs, requestAs } from './harness/team-server.ts';
import type { Member } from './harness/team-server.ts';
import { expect, test } from './harness/test.ts';

test.use({ serverOptions: { shipped: ['math'], fixtures: [], env: { AUTH: 'team' } } });

let anna: Member;
test.beforeAll(async ({ server }) => {
  anna = await createFirstAdmin(server, 'Anna Lind');
});

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

  watch.expect(/401/);

  await test.step('the client opens the browser, and the person signs in first', async () => {
    await expect(new Client({ name: 'official', version: '1' }).connect(transport)).rejects.toThrow(UnauthorizedError);
    await page.goto(provider.opened[0]?.href ?? '');
    await page.getByLabel('E-mail').fill(anna.email);
    await page.getByLabel('Password', { exact: true }).fill(anna.password);
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

test('a member sees and revokes their own tokens and clients, and no others', async ({ browser, server }) => {
  const otto = await inviteMember(server, anna, 'Otto Berg', 'admin');
  const createToken = async (who: typeof anna, name: string) =>
    madeTokenSchema.parse(await (await requestAs(server, who, 'POST', API.tokens, { name, role: 'operator' })).json());
  await createToken(anna, 'of the admin');
  const own = await createToken(otto, 'nightly sums');
  expect((await requestAs(server, anna, 'PATCH', API.member(otto.id), { role: 'operator' })).ok).toBe(true);
  const { page, watch, close } = await openBrowserAs(browser, server, otto);
  const withToken = (): Promise<Response> => fetch(`${server.address}${API.tools}`, { headers: { authorization: `Bearer ${own.token}` } });

  // The profile page stands in for the redirect page of the client.
  const provider = memoryProvider(`${server.address}/profile`);
  const endpoint = new URL('/mcp', server.address);
  const transport = new StreamableHTTPClientTransport(endpoint, { authProvider: provider });
  const client = new Client({ name: 'official', version: '1' });

  await test.step('a client signs in as the member', async () => {
    await expect(new Client({ name: 'official', version: '1' }).connect(transport)).rejects.toThrow(UnauthorizedError);
    await page.goto(provider.opened[0]?.href ?? '');
    await page.getByRole('button', { name: 'Allow' }).click();
    await expect(page).toHaveURL(/\/profile\?code=/);
    await transport.finishAuth(new URL(page.url()).searchParams);
    await client.connect(new StreamableHTTPClientTransport(endpoint, { authProvider: provider }));
    expect((await client.listTools()).tools).not.toEqual([]);
  });

  await test.step('the page is in the navigation, and lists only their own', async () => {
    await page.goto(server.address);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tokens' }).click();
    await expect(page.getByRole('heading', { name: 'Tokens', level: 1 })).toBeVisible();
    await expect(page.getByRole('list', { name: 'Active tokens' }).getByRole('listitem')).toHaveCount(2);
    await expect(page.getByText('nightly sums').first()).toBeVisible();
    await expect(page.getByText('Official client').first()).toBeVisible();
    await expect(page.getByText('of the admin')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Create token' })).toHaveCount(0);
  });

  await test.step('it fits wide and narrow windows, light and dark', async () => {
    for (const size of [WIDE, NARROW]) {
      await page.setViewportSize(size);
      for (const name of ['nightly sums', 'Official client'])
        await expect(page.getByRole('button', { name: `Revoke ${name}` })).toBeInViewport();
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
    }
    await expectAccessible(page);
  });

  await test.step('a revoked token or client stops working at once', async () => {
    expect((await withToken()).status).toBe(200);
    for (const name of ['nightly sums', 'Official client']) {
      await page.getByRole('button', { name: `Revoke ${name}` }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
      await expect(page.getByRole('list', { name: 'Inactive tokens' })).toContainText(name);
    }
    await expect(page.getByText('No active tokens')).toBeVisible();
    expect((await withToken()).status).toBe(401);
    await expect(client.listTools()).rejects.toThrow();
  });

  await test.step('tokens of others cannot be listed or revoked', async () => {
    const { tokens } = tokenListSchema.parse(await (await requestAs(server, anna, 'GET', API.tokens)).json());
    const other = tokens.find(({ name }) => name === 'of the admin')?.id ?? '';
    const statusOf = async (method: string, path: string): Promise<number> =>
      (await page.request.fetch(`${server.address}${path}`, { method })).status();
    expect(await statusOf('DELETE', API.ownToken(other))).toBe(404);
    expect(await statusOf('DELETE', API.token(other))).toBe(403);
    expect(await statusOf('GET', API.tokens)).toBe(403);
  });

  await client.close().catch(() => undefined);
  watch.expect(/401/);
  await close();
});
