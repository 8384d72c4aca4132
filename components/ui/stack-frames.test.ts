import { expect, it } from 'vitest';
import { splitStack } from './stack-frames.ts';

it('keeps the message and the own frames and sets the runtime aside', () => {
  const stack =
    'TypeError: node: is not a thing\n    at rates.ts:8:31\n    at ModuleJob.run (node:internal/modules/esm/module_job:430:25)\n    at f (node_modules/x/y.js:1:1)';
  expect(splitStack(stack)).toEqual({
    own: 'TypeError: node: is not a thing\n    at rates.ts:8:31',
    rest: ['    at ModuleJob.run (node:internal/modules/esm/module_job:430:25)', '    at f (node_modules/x/y.js:1:1)'],
  });
});

it('keeps an own frame whose function has no name', () => {
  const own = 'Error: x\n    at <anonymous> (rates.ts:3:27)\n    at async node (rates.ts:4:1)';
  expect(
    splitStack(`${own}\n    at async node:internal/x:1:1\n    at new Promise (<anonymous>)\n    at a (../node_modules/b/c.js:1:2)`),
  ).toEqual({
    own,
    rest: ['    at async node:internal/x:1:1', '    at new Promise (<anonymous>)', '    at a (../node_modules/b/c.js:1:2)'],
  });
});

it('folds nothing when every frame is of the extension', () => {
  expect(splitStack('Error: x\n    at a.ts:1:1\n').rest).toEqual([]);
});
