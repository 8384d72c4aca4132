import type { Board } from './board.ts';
import { test as base } from './test.ts';

const filled = new WeakSet<Board>();

/**
 * What the tests of accessibility share: one board for as many of their files as a worker takes in turn, filled once. They look
 * at pages and leave them as they were, each alone, so that any worker may take any of them.
 */
export const test = base.extend({
  boardOptions: { fixtures: ['workbench', 'broken', 'channels', 'results'], env: {} },
  boardOwner: 'the tests of accessibility',
  board: async ({ board }, give) => {
    if (!filled.has(board)) {
      await board.call('get_weather', { city: 'Lisbon' });
      await board.call('book_room', { guest: 'A', nights: 99 });
      await board.call('open_safe', { room: 1, api_key: 'guess' }, { 'x-actor': 'Ada' });
      filled.add(board);
    }
    await give(board);
  },
});
