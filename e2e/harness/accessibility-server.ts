import type { TestServer } from './test-server.ts';
import { test as base } from './test.ts';

const filled = new WeakSet<TestServer>();

/**
 * A server shared by the accessibility tests of a worker, filled with data once. The tests do not depend on each other, so they
 * run in any worker and order.
 */
export const test = base.extend({
  serverOptions: { fixtures: ['workbench', 'broken', 'channels', 'results'], env: {} },
  serverOwner: 'accessibility tests',
  server: async ({ server }, give) => {
    if (!filled.has(server)) {
      await server.call('get_weather', { city: 'Lisbon' });
      await server.call('book_room', { guest: 'A', nights: 99 });
      await server.call('open_safe', { table: 1, api_key: 'guess' }, { 'x-actor': 'Ada' });
      filled.add(server);
    }
    await give(server);
  },
});
