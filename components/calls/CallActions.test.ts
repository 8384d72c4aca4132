import { expect, test } from 'vitest';
import { questionBefore } from './CallActions.tsx';

test('only the replay of a destructive tool asks for confirmation', () => {
  expect(questionBefore({ annotations: { destructiveHint: true } }, null)).toContain('may change or delete');
  expect(questionBefore({ annotations: { destructiveHint: true, readOnlyHint: true } }, null)).toBeNull();
  expect(questionBefore({ annotations: {} }, null)).toBeNull();
});

test('nothing runs until the tool is loaded, and a missing tool needs confirmation', () => {
  expect(questionBefore(undefined, null)).toBeUndefined();
  expect(questionBefore(undefined, new Error('The server cannot be reached.'))).toContain('Could not load');
});
