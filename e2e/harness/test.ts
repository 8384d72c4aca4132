import { test as base } from '@playwright/test';
import { createServerPool } from './worker-server.ts';
import type { ServerPool } from './worker-server.ts';
import type { TestServer, TestServerOptions } from './test-server.ts';
import { expect } from './expect.ts';
import { waitWhenOpened } from './opened-page.ts';
import { watchPage } from './page-watch.ts';
import type { PageWatch } from './page-watch.ts';

interface TestFixtures {
  /** Options of the server of this file. */
  readonly serverOptions: TestServerOptions;
  /** Owner of the server: the file, unless files share a name. */
  readonly serverOwner: string;
  readonly server: TestServer;
  readonly watch: PageWatch;
}

interface WorkerFixtures {
  readonly servers: ServerPool;
}

/** Playwright's test with a server, and with a page whose hidden problems fail it. */
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
    context.on('page', waitWhenOpened);
    await give(context);
  },
  watch: [
    async ({ page, server }, use) => {
      const watch = await watchPage(page, server.address);
      await use(watch);
      expect(watch.findings(), 'what the page did beside what is seen').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect } from './expect.ts';
