import { test as base } from './test.ts';

/**
 * A server shared by tests of a worker that do not depend on each other: each checks only its own page and calls. No test stops it
 * or changes an extension.
 */
export const test = base.extend({
  serverOptions: { shipped: ['math'], fixtures: ['attachments', 'forms', 'probing', 'results', 'workbench'], env: {} },
  serverOwner: 'form tests',
});
