import { test as base } from '@playwright/test';
import { startBoard } from './board.ts';
import type { Board, BoardOptions } from './board.ts';
import { expect } from './expect.ts';
import { waitWhenOpened } from './opened-page.ts';
import { watchPage } from './page-watch.ts';
import type { PageWatch } from './page-watch.ts';

interface TestFixtures {
  readonly watch: PageWatch;
}

interface WorkerFixtures {
  /** What the server of this file is started with; another file with the same shares nothing but the build. */
  readonly boardOptions: BoardOptions;
  readonly board: Board;
}

/** Playwright's test with a server behind it, and with a page that may do nothing wrong unseen. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  boardOptions: [
    { fixtures: [], env: {} },
    { option: true, scope: 'worker' },
  ],
  board: [
    async ({ boardOptions }, use) => {
      const board = await startBoard(boardOptions);
      await use(board);
      await board.remove();
    },
    { scope: 'worker' },
  ],
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
