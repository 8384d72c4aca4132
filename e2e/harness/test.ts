import { test as base } from '@playwright/test';
import { keepBoards } from './board-keeper.ts';
import type { BoardKeeper } from './board-keeper.ts';
import type { Board, BoardOptions } from './board.ts';
import { expect } from './expect.ts';
import { waitWhenOpened } from './opened-page.ts';
import { watchPage } from './page-watch.ts';
import type { PageWatch } from './page-watch.ts';

interface TestFixtures {
  /** What the server of this file is started with. */
  readonly boardOptions: BoardOptions;
  /** Whose board it is: a file's own, unless several name the same. */
  readonly boardOwner: string;
  readonly board: Board;
  readonly watch: PageWatch;
}

interface WorkerFixtures {
  readonly boards: BoardKeeper;
}

/** Playwright's test with a server behind it, and with a page that may do nothing wrong unseen. */
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
