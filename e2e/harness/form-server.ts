import { test as base } from './test.ts';

/**
 * A server shared by the form tests of a worker. The tests do not depend on each other: each checks only its own page and calls.
 */
export const test = base.extend({
  serverOptions: { fixtures: ['attachments', 'forms', 'workbench'], env: {} },
  serverOwner: 'form tests',
});
