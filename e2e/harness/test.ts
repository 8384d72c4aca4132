import { test as base } from '@playwright/test';
import { keepBoards } from './worker-server.ts';
import type { BoardKeeper } from './worker-server.ts';
import type { Board, BoardOptions } from './board.ts';
import { expect } from './expect.ts';
import { waitWhenOpened } from './opened-page.ts';
import { watchPage } from './page-watch.ts';
import type { PageWatch } from './page-watch.ts';

interface TestFixtures {
  /** Options of the server of this file. */
  readonly boardOptions: BoardOptions;
  /** Owner of the server: the file, unless files share a name. */
  readonly boardOwner: string;
  readonly board: Board;
  readonly watch: PageWatch;
}

interface WorkerFixtures {
  readonly boards: BoardKeeper;
}

/** Playwright's test with a server, and with a page whose hidden problems fail it. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  boards: [
    async ({}, use) => {
      const boards = keepBoards();
      await use(boards);
      await boards.end();
    },
    { scope: 'worker' },
  ],
  boardOptions: [{ fixtures: [], env: {} }, { option: true }],
  boardOwner: ({}, give, { file }) => give(file),
  board: async ({ boards, boardOptions, boardOwner }, give) => give(await boards.boardOf(boardOwner, boardOptions)),
  baseURL: ({ board }, give) => give(board.address),
  context: async ({ context }, give) => {
    context.on('page', waitWhenOpened);
    await give(context);
  },
  watch: [
    async ({ page, board }, use) => {
      const watch = await watchPage(page, board.address);
      await use(watch);
      expect(watch.findings(), 'what the page did beside what is seen').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect } from './expect.ts';
