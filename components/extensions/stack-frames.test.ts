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

it('has nothing aside when every frame is the own', () => {
  expect(splitStack('Error: x\n    at a.ts:1:1\n').rest).toEqual([]);
});
