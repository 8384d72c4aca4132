import { test as base } from './test.ts';

/**
 * What the tests of accessibility share: one board for as many of their files as a worker takes in turn, filled once. They look
 * at pages and leave them as they were, each alone, so that any worker may take any of them.
 */
export const test = base.extend<object, { readonly filledBoard: void }>({
  boardOptions: { fixtures: ['workbench', 'broken', 'channels', 'results'], env: {} },
  filledBoard: [
    async ({ board }, use) => {
      await board.call('get_weather', { city: 'Lisbon' });
      await board.call('book_room', { guest: 'A', nights: 99 });
      await board.call('open_safe', { room: 1, api_key: 'guess' }, { 'x-actor': 'Ada' });
      await use();
    },
    { auto: true, scope: 'worker' },
  ],
});
