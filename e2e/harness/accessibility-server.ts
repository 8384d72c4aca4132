import type { Board } from './board.ts';
import { test as base } from './test.ts';

const filled = new WeakSet<Board>();

/**
 * A server shared by the accessibility tests of a worker, filled with data once. The tests only look at pages, so they can run
 * in any worker and order.
 */
export const test = base.extend({
  boardOptions: { fixtures: ['workbench', 'broken', 'channels', 'results'], env: {} },
  boardOwner: 'the tests of accessibility',
  board: async ({ board }, give) => {
    if (!filled.has(board)) {
      await board.call('get_weather', { city: 'Lisbon' });
      await board.call('book_room', { guest: 'A', nights: 99 });
      await board.call('open_safe', { table: 1, api_key: 'guess' }, { 'x-actor': 'Ada' });
      filled.add(board);
    }
    await give(board);
  },
});
