import { expect, it } from 'vitest';
import { problemOfThrown } from './problem.ts';

it.each(['storage_unavailable', 'storage_full'])('of %s on the way it is not said that nothing was run', (code) => {
  const problem = problemOfThrown(Object.assign(new Error('inside'), { code }));
  expect(problem).toMatchObject({ code, detail: expect.stringContaining('Parts of it may be stored') });
  expect(problem.detail).not.toMatch(/nothing was run|inside/i);
});

it('an internal error reveals no internals', () => {
  expect(problemOfThrown(new Error('inside'))).toMatchObject({ code: 'internal_error', detail: expect.not.stringContaining('inside') });
});
