import { describe, expect, it } from 'vitest';
import { readStack } from './stack-frames.ts';

const STACK = `TypeError: no
    at node:internal/modules/cjs/loader:1:1
    at helper (/srv/extensions/node_modules/dep/index.js:1:2)
    at run (/srv/cache/child.mjs:3:4)
    at file:///srv/extensions/wea%20ther/extension.ts:5:6
    at async Object.execute (/srv/extensions/_lib/units.ts:7:8)
    at Array.map (<anonymous>)`;

describe('a stack', () => {
  it('starts with own frames, without those of Node and of the program', () => {
    const error = Object.assign(new Error('no'), { stack: STACK });
    const { text, first } = readStack(error, ['/srv/extensions'], '/srv/cache/child.mjs');
    expect(text?.split('\n').map((line) => line.trim())).toEqual([
      'TypeError: no',
      'at file:///srv/extensions/wea%20ther/extension.ts:5:6',
      'at async Object.execute (/srv/extensions/_lib/units.ts:7:8)',
      'at helper (/srv/extensions/node_modules/dep/index.js:1:2)',
    ]);
    expect(first).toMatchObject({ file: '/srv/extensions/wea ther/extension.ts', line: 5, column: 6 });
  });

  it.each([
    null,
    'text',
    {},
    Object.freeze({ stack: 3 }),
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap');
        },
      },
    ),
  ])('that is invalid is ignored', (thrown) => {
    expect(readStack(thrown, ['/work'], '/child.mjs')).toEqual({ text: null, first: null });
  });
});
