import { test as base } from './test.ts';

/**
 * A server shared by the tests of a worker that fill in forms. They depend on nothing that others leave behind: each looks only at
 * its own page and the calls it has just made.
 */
export const test = base.extend({
  serverOptions: { fixtures: ['attachments', 'forms', 'workbench'], env: {} },
  serverOwner: 'the tests of forms',
});
