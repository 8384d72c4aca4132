import { startFaultProxy } from '#lib/testing/fault-proxy.ts';
import type { FaultProxy } from '#lib/testing/fault-proxy.ts';
import { startPostgres } from '#lib/testing/postgres.ts';
import { startTestServer } from './harness/test-server.ts';
import type { TestServer } from './harness/test-server.ts';
import { expect } from './harness/expect.ts';
import { test as base } from './harness/test.ts';

interface OnPostgres {
  readonly server: TestServer;
  readonly database: FaultProxy;
}

const test = base.extend<object, { onPostgres: OnPostgres }>({
  onPostgres: [
    async ({}, use) => {
      const postgres = await startPostgres();
      const database = await startFaultProxy([postgres.port]);
      const url = new URL(await postgres.createDatabase());
      url.port = String(database.port);
      const server = await startTestServer({ shipped: ['math'], fixtures: [], env: { DATABASE_URL: url.href } });
      await use({ server, database });
      // The server logs why pages failed.
      await expect(server.remove()).rejects.toThrow(/does not answer/);
      await database.close();
      await postgres.close();
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  server: async ({ onPostgres }, give) => give(onPostgres.server),
});

test('pages report an unavailable database, and load as soon as it responds', async ({ page, server, onPostgres, watch }) => {
  const { database } = onPostgres;
  const away = page.getByRole('heading', { name: 'The database does not answer', level: 1 });
  watch.expect(/503|React error|failed request/);
  await server.call('calculate_expression', { expression: '6 * 7' });

  await test.step('a page opened during the outage', async () => {
    await page.goto('/tools');
    database.cut();
    await expect(async () => expect((await page.request.get('/readyz')).status()).toBe(503)).toPass();
    expect((await page.request.get('/calls')).status()).toBe(503);
    await page.evaluate("location.assign('/calls')");
    await expect(away).toBeVisible();
    database.resume();
    await expect(page.getByRole('heading', { name: 'Calls', level: 1 })).toBeVisible();
    await expect(page.getByText('6 * 7')).toBeVisible();
  });

  await test.step('a page reached by a link during the outage', async () => {
    await page.goto('/tools');
    database.cut();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Failures' }).click();
    await expect(away).toBeVisible();
    await expect(page.getByRole('main')).not.toContainText('Reference');
    database.resume();
    await expect(page.getByRole('heading', { name: 'Failures', level: 1 })).toBeVisible();
    await expect(away).toHaveCount(0);
  });
});
