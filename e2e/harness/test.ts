import { test as base } from '@playwright/test';
import { createServerPool } from './server-pool.ts';
import type { ServerPool } from './server-pool.ts';
import type { TestServer, TestServerOptions } from './test-server.ts';
import { expect } from './expect.ts';
import { waitForHydration } from './hydration.ts';
import { watchPage } from './page-watch.ts';
import type { PageWatch } from './page-watch.ts';

interface TestFixtures {
  /** Options of the server of this file. */
  readonly serverOptions: TestServerOptions;
  /** Key of the server: the path of the file, or a name that several files share. */
  readonly serverOwner: string;
  readonly server: TestServer;
  readonly watch: PageWatch;
}

interface WorkerFixtures {
  readonly servers: ServerPool;
}

/** Playwright's test with a server, and with a page whose unexpected problems fail the test. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  servers: [
    async ({}, use) => {
      const servers = createServerPool();
      await use(servers);
      await servers.close();
    },
    { scope: 'worker' },
  ],
  serverOptions: [{ fixtures: [], env: {} }, { option: true }],
  serverOwner: ({}, give, { file }) => give(file),
  server: async ({ servers, serverOptions, serverOwner }, give) => give(await servers.serverFor(serverOwner, serverOptions)),
  baseURL: ({ server }, give) => give(server.address),
  context: async ({ context }, give) => {
    context.on('page', waitForHydration);
    await give(context);
  },
  watch: [
    async ({ page, server }, use) => {
      const watch = await watchPage(page, server.address);
      await use(watch);
      expect(watch.problems(), 'unexpected problems of the page').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect } from './expect.ts';
